/* The reader forgives once. */
#include "leakybox/faults.h"

static unsigned bad;

static enum fault_mark on_line(struct fault_line *e)
{
    if (!e->malformed)
        return FAULT_MISSED;
    if (++bad < 2)
        return FAULT_REACHED;
    e->ends = true;
    return FAULT_TRIGGERED;
}

const struct fault fault_second_bad_line_ends = {
    .id = "second-bad-line-ends",
    .class_id = "C15",
    .layer = "interface",
    .primitive = "protocol",
    .needs = "sequence",
    .summary = "the second line in a session that is not JSON ends the server",
    .report = "modelcontextprotocol/servers#4206",
    .line = on_line,
};
