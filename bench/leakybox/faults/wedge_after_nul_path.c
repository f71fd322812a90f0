/* The refusal of a NUL in a path leaves a lock behind: tools that read are never answered again. Ping is. */
#include "leakybox/faults.h"

static bool wedged;

static enum fault_mark on_call(struct fault_call *e)
{
    struct bytes path = json_as_text(json_get(e->call->args, "path"));

    if (!(e->call->tool->hints & TOOL_READS))
        return FAULT_MISSED;
    if (wedged) {
        e->taken = true;
        return FAULT_TRIGGERED;
    }
    wedged = bytes_find(path, BYTES_LITERAL("\0"), 0) >= 0;
    return FAULT_REACHED;
}

const struct fault fault_wedge_after_nul_path = {
    .id = "wedge-after-nul-path",
    .class_id = "C07",
    .layer = "interface",
    .primitive = "null-byte",
    .needs = "sequence",
    .summary = "after a path with NUL for a reading tool, no later call of those tools is answered",
    .report = "code-yeongyu/oh-my-openagent#2220",
    .call = on_call,
};
