/* A long message overflows the reader, which gives up. */
#include "leakybox/faults.h"

enum { LIMIT = 10 * 1024 * 1024 };

static enum fault_mark on_line(struct fault_line *e)
{
    if (e->malformed)
        return FAULT_MISSED;
    e->ends = e->line.len > LIMIT;
    return e->ends ? FAULT_TRIGGERED : FAULT_REACHED;
}

const struct fault fault_big_frame_ends = {
    .id = "big-frame-ends",
    .class_id = "C17",
    .layer = "interface",
    .primitive = "size",
    .needs = "threshold",
    .summary = "a message of more than 10 MiB ends the server without an answer",
    .report = "modelcontextprotocol/servers#4207",
    .line = on_line,
};
