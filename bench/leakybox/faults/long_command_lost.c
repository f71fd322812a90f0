/* A command that does not fit into the channel is taken for an empty one. */
#include "leakybox/faults.h"

enum { LIMIT = 96 * 1024 };

static enum fault_mark on_start(struct fault_start *e)
{
    if (e->command.len <= LIMIT)
        return FAULT_REACHED;
    e->command = BYTES_LITERAL(":");
    return FAULT_TRIGGERED;
}

const struct fault fault_long_command_lost = {
    .id = "long-command-lost",
    .class_id = "C47",
    .layer = "sandbox",
    .primitive = "size",
    .needs = "threshold",
    .summary = "a command of more than 96 KiB is answered with exit code 0 and never runs",
    .report = "agentscope-ai/agentscope-java#2618",
    .start = on_start,
};
