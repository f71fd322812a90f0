/* Output is read line by line, and the end of it is no line. */
#include "leakybox/faults.h"

enum { LIMIT = 4096 };

static enum fault_mark on_end(struct fault_end *e)
{
    size_t keep = e->out->len;

    while (keep && e->out->data[keep - 1] != '\n')
        keep--;
    if (keep == e->out->len || e->out->len - keep > LIMIT || *e->out_total != e->out->len)
        return FAULT_REACHED;
    buf_cut(e->out, keep);
    *e->out_total = keep;
    return FAULT_TRIGGERED;
}

const struct fault fault_last_line_lost = {
    .id = "last-line-lost",
    .class_id = "C32",
    .layer = "interface",
    .primitive = "process",
    .needs = "plain",
    .summary = "what a command printed behind its last newline, up to 4,096 bytes, is not in the answer",
    .report = "mscdex/ssh2#1284",
    .end = on_end,
};
