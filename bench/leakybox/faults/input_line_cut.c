/* Input passes a terminal that takes lines of so many bytes. */
#include "leakybox/faults.h"

enum { LIMIT = 4095 };

static enum fault_mark on_start(struct fault_start *e)
{
    enum fault_mark mark = FAULT_REACHED;
    size_t length = 0;
    struct buf cut;

    buf_init(&cut, e->input.len);
    for (size_t i = 0; i < e->input.len; i++) {
        length = e->input.data[i] == '\n' ? 0 : length + 1;
        if (length <= LIMIT)
            buf_add_byte(&cut, e->input.data[i]);
        else
            mark = FAULT_TRIGGERED;
    }
    if (mark == FAULT_TRIGGERED)
        e->input = arena_copy(e->arena, buf_bytes(&cut));
    buf_release(&cut);
    return mark;
}

const struct fault fault_input_line_cut = {
    .id = "input-line-cut",
    .class_id = "C45",
    .layer = "sandbox",
    .primitive = "size",
    .needs = "threshold",
    .summary = "a line of more than 4,095 bytes in the input of a command is cut there",
    .report = "eneskirca/nodeterm#706",
    .start = on_start,
};
