/* The record of a background process is not told of the signal that has ended it. */
#include "leakybox/faults.h"

static enum fault_mark on_tell(struct fault_tell *e)
{
    if (!e->killed || e->running)
        return FAULT_REACHED;
    e->running = true;
    return FAULT_TRIGGERED;
}

const struct fault fault_phantom_running = {
    .id = "phantom-running",
    .class_id = "C42",
    .layer = "interface",
    .primitive = "process",
    .needs = "sequence",
    .summary = "a background process that signal_process has killed is told as running",
    .report = "cloudflare/sandbox-sdk#737",
    .tell = on_tell,
};
