/* The path of a store becomes a C string: what follows a NUL is gone. */
#include "leakybox/faults.h"

static enum fault_mark on_path(struct fault_path *e)
{
    ptrdiff_t nul;

    if (!(e->tool->hints & TOOL_STORES))
        return FAULT_MISSED;
    nul = bytes_find(e->path, BYTES_LITERAL("\0"), 0);
    if (nul < 0)
        return FAULT_REACHED;
    e->path = bytes_slice(e->path, 0, (size_t)nul);
    return FAULT_TRIGGERED;
}

const struct fault fault_nul_path_truncates = {
    .id = "nul-path-truncates",
    .class_id = "C07",
    .layer = "sandbox",
    .primitive = "null-byte",
    .needs = "plain",
    .summary = "a path with NUL is cut there when something is written, which goes to another file",
    .report = "oven-sh/bun#34735",
    .path = on_path,
};
