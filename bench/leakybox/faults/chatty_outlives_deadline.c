/* The deadline is one for silence. */
#include "leakybox/faults.h"

static enum fault_mark on_output(struct fault_output *e)
{
    e->restarts = true;
    return e->overdue ? FAULT_TRIGGERED : FAULT_REACHED;
}

const struct fault fault_chatty_outlives_deadline = {
    .id = "chatty-outlives-deadline",
    .class_id = "C39",
    .layer = "sandbox",
    .primitive = "time",
    .needs = "plain",
    .summary = "each piece of output of a command starts its deadline anew",
    .report = "anthropics/claude-code#28408",
    .output = on_output,
};
