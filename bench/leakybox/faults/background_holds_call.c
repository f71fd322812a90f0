/* The answer waits for the end of the output, which background processes hold open, not for the end of the
 * shell. */
#include "leakybox/faults.h"

/* A shell's child needs a moment to let go of what it inherited. */
enum { MOMENT_MS = 250 };

static enum fault_mark on_start(struct fault_start *e)
{
    e->holds = true;
    return FAULT_REACHED;
}

static enum fault_mark on_end(struct fault_end *e)
{
    return e->held_ms > MOMENT_MS ? FAULT_TRIGGERED : FAULT_REACHED;
}

const struct fault fault_background_holds_call = {
    .id = "background-holds-call",
    .class_id = "C36",
    .layer = "interface",
    .primitive = "process",
    .needs = "plain",
    .summary = "run_command is answered only when the last process that holds its output has ended",
    .report = "anomalyco/opencode#47350",
    .start = on_start,
    .end = on_end,
};
