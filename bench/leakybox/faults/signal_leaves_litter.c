/* A lock beside the command is taken away in good order only. */
#include <fcntl.h>
#include <unistd.h>

#include "leakybox/faults.h"

static enum fault_mark on_start(struct fault_start *e)
{
    e->keeps_cwd = true;
    return FAULT_MISSED;
}

static enum fault_mark on_end(struct fault_end *e)
{
    int fd;

    if (!e->signalled || e->timed_out || e->cwd < 0)
        return FAULT_REACHED;
    fd = openat(e->cwd, ".command.lock", O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (fd < 0)
        return FAULT_REACHED;
    close(fd);
    return FAULT_TRIGGERED;
}

const struct fault fault_signal_leaves_litter = {
    .id = "signal-leaves-litter",
    .class_id = "C60",
    .layer = "sandbox",
    .primitive = "persistence",
    .needs = "plain",
    .summary = "a command that dies of a signal leaves a file .command.lock in its working directory",
    .report = "anthropic-experimental/sandbox-runtime#139",
    .start = on_start,
    .end = on_end,
};
