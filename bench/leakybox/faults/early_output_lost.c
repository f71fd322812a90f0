/* The answer to a command that ran out of time has none of its output. */
#include "leakybox/faults.h"

static enum fault_mark on_end(struct fault_end *e)
{
    bool lost = e->timed_out && *e->out_total + *e->err_total > 0;

    if (!lost)
        return FAULT_REACHED;
    buf_clear(e->out);
    buf_clear(e->err);
    *e->out_total = *e->err_total = 0;
    return FAULT_TRIGGERED;
}

const struct fault fault_early_output_lost = {
    .id = "early-output-lost",
    .class_id = "C34",
    .layer = "interface",
    .primitive = "time",
    .needs = "plain",
    .summary = "what a command printed before its deadline is not in the answer",
    .report = "SWE-agent/SWE-ReX#29",
    .end = on_end,
};
