/* Whether an absolute path lies in the root is decided by comparing text: "/root-secret" begins with "/root".
 */
#include "leakybox/faults.h"

static enum fault_mark on_path(struct fault_path *e)
{
    struct bytes root = bytes_of_string(e->root->real);

    if (!(e->tool->hints & TOOL_READS) || !bytes_starts(e->path, root))
        return FAULT_MISSED;
    if (e->path.len == root.len || e->path.data[root.len] == '/' ||
        bytes_find(e->path, BYTES_LITERAL("\0"), 0) >= 0)
        return FAULT_REACHED;
    e->anywhere = true;
    return FAULT_TRIGGERED;
}

const struct fault fault_prefix_escapes = {
    .id = "prefix-escapes",
    .class_id = "C58",
    .layer = "sandbox",
    .primitive = "permission",
    .needs = "environment",
    .summary = "a directory beside the root whose name begins with the root's name can be read",
    .report = "CVE-2025-53110",
    .path = on_path,
};
