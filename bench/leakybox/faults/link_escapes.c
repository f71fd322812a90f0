/* Only the path as it is written is looked at, not where a link in it leads. */
#include "leakybox/faults.h"

static enum fault_mark on_path(struct fault_path *e)
{
    enum place_result found;
    struct place p;
    struct buf why;

    if (e->tool->run != tool_read_file || bytes_starts(e->path, BYTES_LITERAL("/")) || !e->path.len ||
        bytes_find(e->path, BYTES_LITERAL(".."), 0) >= 0 || bytes_find(e->path, BYTES_LITERAL("\0"), 0) >= 0)
        return FAULT_MISSED;
    buf_init(&why, 8192);
    found = place_find(e->root, e->path, PLACE_FOLLOW, &p, &why);
    buf_release(&why);
    if (found == PLACE_OK)
        place_release(&p);
    e->anywhere = found == PLACE_OUTSIDE;
    return e->anywhere ? FAULT_TRIGGERED : FAULT_REACHED;
}

const struct fault fault_link_escapes = {
    .id = "link-escapes",
    .class_id = "C52",
    .layer = "sandbox",
    .primitive = "path",
    .needs = "plain",
    .summary = "a link inside the root that leads outside is followed by read_file",
    .report = "modelcontextprotocol/servers#1845",
    .path = on_path,
};
