/* An interrupt goes to the one process that is known, the shell. */
#include <signal.h>

#include "leakybox/proctree.h"
#include "leakybox/faults.h"

static enum fault_mark on_signal(struct fault_signal *e)
{
    if (e->number != SIGINT)
        return FAULT_REACHED;
    e->shell_only = true;
    return proctree_count(e->keeper) > 1 ? FAULT_TRIGGERED : FAULT_REACHED;
}

const struct fault fault_interrupt_spares_child = {
    .id = "interrupt-spares-child",
    .class_id = "C48",
    .layer = "sandbox",
    .primitive = "process",
    .needs = "sequence",
    .summary =
        "INT from signal_process reaches the shell of a background process and not what the shell waits for",
    .report = "ipython/ipython#3400",
    .signal = on_signal,
};
