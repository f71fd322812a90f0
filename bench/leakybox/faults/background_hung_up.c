/* The session of a command ends with its call, and what is left in it is hung up. */
#include <signal.h>

#include "leakybox/faults.h"

static enum fault_mark on_end(struct fault_end *e)
{
    if (e->timed_out || e->held_ms || e->shell <= 0 || kill(-e->shell, SIGHUP))
        return FAULT_REACHED;
    return FAULT_TRIGGERED;
}

const struct fault fault_background_hung_up = {
    .id = "background-hung-up",
    .class_id = "C37",
    .layer = "sandbox",
    .primitive = "process",
    .needs = "sequence",
    .summary = "what a command left in the background gets SIGHUP after its call is answered",
    .report = "siteboon/claudecodeui#792",
    .end = on_end,
};
