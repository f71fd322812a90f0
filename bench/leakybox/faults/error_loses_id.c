/* The check of params is made where the id is no longer known. */
#include "leakybox/faults.h"

static enum fault_mark on_malformed(struct fault_malformed *e)
{
    if (e->in_arguments)
        return FAULT_MISSED;
    e->id = BYTES_LITERAL("null");
    return FAULT_TRIGGERED;
}

const struct fault fault_error_loses_id = {
    .id = "error-loses-id",
    .class_id = "C21",
    .layer = "interface",
    .primitive = "protocol",
    .needs = "plain",
    .summary = "the error about params that are no object carries the id null",
    .report = "modelcontextprotocol/csharp-sdk#1687",
    .malformed = on_malformed,
};
