/* The name of the directory does not reach the listing. */
#include "leakybox/faults.h"

static enum fault_mark on_path(struct fault_path *e)
{
    if (e->tool->run != tool_list_directory)
        return FAULT_MISSED;
    if (!e->path.len || bytes_equal_string(e->path, ".") || bytes_equal_string(e->path, e->root->real))
        return FAULT_REACHED;
    e->path = BYTES_LITERAL(".");
    return FAULT_TRIGGERED;
}

const struct fault fault_list_ignores_path = {
    .id = "list-ignores-path",
    .class_id = "C51",
    .layer = "interface",
    .primitive = "path",
    .needs = "plain",
    .summary = "list_directory lists the root whatever directory was asked for",
    .report = "aws/bedrock-agentcore-sdk-typescript#44",
    .path = on_path,
};
