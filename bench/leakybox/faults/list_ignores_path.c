/* The name of the directory does not reach the listing. */
#include "leakybox/faults.h"

static bool leads_to_root(const struct fault_path *e)
{
    struct place p;
    struct buf why;
    bool root;

    buf_init(&why, 8192);
    root = bytes_find(e->path, BYTES_LITERAL("\0"), 0) < 0 &&
           place_find(e->root, e->path, PLACE_FOLLOW, &p, &why) == PLACE_OK;
    if (root) {
        root = p.is_root;
        place_release(&p);
    }
    buf_release(&why);
    return root;
}

static enum fault_mark on_path(struct fault_path *e)
{
    if (e->tool->run != tool_list_directory)
        return FAULT_MISSED;
    if (leads_to_root(e))
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
