/* The exit code of a command that ran and failed is not handed on. */
#include "leakybox/faults.h"

static enum fault_mark on_end(struct fault_end *e)
{
    if (e->exit_code < 1 || e->exit_code > 125)
        return FAULT_REACHED;
    e->exit_code = 0;
    return FAULT_TRIGGERED;
}

const struct fault fault_exit_code_lost = {
    .id = "exit-code-lost",
    .class_id = "C31",
    .layer = "interface",
    .primitive = "process",
    .needs = "plain",
    .summary = "a command that fails with 1 to 125 is reported with exit code 0",
    .report = "shellhub-io/shellhub#1966",
    .demo = true,
    .end = on_end,
};
