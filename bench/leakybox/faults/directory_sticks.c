/* The directory of a command is that of the session from then on. */
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "leakybox/faults.h"

static int sticky = -1;

static enum fault_mark on_start(struct fault_start *e)
{
    struct stat asked, kept;

    if (e->own_cwd) {
        if (sticky >= 0)
            close(sticky);
        sticky = fcntl(*e->cwd, F_DUPFD_CLOEXEC, 3);
        return FAULT_REACHED;
    }
    if (sticky < 0 || fstat(*e->cwd, &asked) || fstat(sticky, &kept) ||
        (asked.st_dev == kept.st_dev && asked.st_ino == kept.st_ino))
        return FAULT_REACHED;
    close(*e->cwd);
    *e->cwd = fcntl(sticky, F_DUPFD_CLOEXEC, 3);
    return FAULT_TRIGGERED;
}

const struct fault fault_directory_sticks = {
    .id = "directory-sticks",
    .class_id = "C49",
    .layer = "sandbox",
    .primitive = "session",
    .needs = "sequence",
    .summary = "a command without a working directory runs in that of the command before",
    .report = "NousResearch/hermes-agent#11956",
    .start = on_start,
};
