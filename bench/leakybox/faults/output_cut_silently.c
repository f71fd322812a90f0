/* Output beyond a limit is dropped without a word. */
#include "leakybox/faults.h"

enum { LIMIT = 64 * 1024 };

static enum fault_mark on_end(struct fault_end *e)
{
    if (e->out->len <= LIMIT)
        return FAULT_REACHED;
    buf_cut(e->out, LIMIT);
    *e->out_total = LIMIT;
    return FAULT_TRIGGERED;
}

const struct fault fault_output_cut_silently = {
    .id = "output-cut-silently",
    .class_id = "C33",
    .layer = "interface",
    .primitive = "size",
    .needs = "threshold",
    .summary = "of more than 64 KiB of output only the first 64 KiB are given, and nothing says so",
    .report = "nteract/papermill#426",
    .end = on_end,
};
