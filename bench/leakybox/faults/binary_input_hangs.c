/* Input with a NUL goes another way, where nobody closes the pipe. */
#include "leakybox/faults.h"

static enum fault_mark on_start(struct fault_start *e)
{
    e->keeps_input = bytes_find(e->input, BYTES_LITERAL("\0"), 0) >= 0;
    return e->keeps_input ? FAULT_TRIGGERED : FAULT_REACHED;
}

const struct fault fault_binary_input_hangs = {
    .id = "binary-input-hangs",
    .class_id = "C43",
    .layer = "interface",
    .primitive = "process",
    .needs = "plain",
    .summary =
        "input that holds a NUL is given to a command but never closed, so a reader waits until its deadline",
    .report = "dust-tt/dust#28081",
    .start = on_start,
};
