/* A filter of system calls leaves out one that programs talk to their children by. */
#include "leakybox/denied.h"
#include "leakybox/faults.h"

static enum fault_mark on_start(struct fault_start *e)
{
    e->denied |= DENY_SOCKETPAIR;
    return FAULT_REACHED;
}

static enum fault_mark on_denied(struct fault_denied *e)
{
    return e->call == DENY_SOCKETPAIR ? FAULT_TRIGGERED : FAULT_MISSED;
}

const struct fault fault_socketpair_refused = {
    .id = "socketpair-refused",
    .class_id = "C73",
    .layer = "sandbox",
    .primitive = "syscall",
    .needs = "plain",
    .summary = "commands get EPERM from socketpair",
    .report = "openai/codex#26625",
    .start = on_start,
    .denied = on_denied,
};
