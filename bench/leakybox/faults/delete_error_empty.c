/* One cause of trouble has no words. */
#include <errno.h>

#include "leakybox/faults.h"

static enum fault_mark on_failure(struct fault_failure *e)
{
    if (e->tool->run != tool_delete_file)
        return FAULT_MISSED;
    e->wordless = e->number == ENOTEMPTY;
    return e->wordless ? FAULT_TRIGGERED : FAULT_REACHED;
}

const struct fault fault_delete_error_empty = {
    .id = "delete-error-empty",
    .class_id = "C83",
    .layer = "interface",
    .primitive = "protocol",
    .needs = "plain",
    .summary = "the error about a directory that is not empty has no text",
    .report = "FerroxLabs/wayland#552",
    .failure = on_failure,
};
