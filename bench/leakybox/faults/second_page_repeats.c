/* Kept output is put together of pages, and the cursor is moved too late. */
#include "leakybox/faults.h"

enum { PAGE = 16 * 1024 };

static enum fault_mark on_tell(struct fault_tell *e)
{
    struct bytes first = bytes_slice(e->out, 0, PAGE);
    struct buf pages;

    if (e->out.len <= 2 * PAGE || bytes_equal(first, bytes_slice(e->out, PAGE, 2 * PAGE)))
        return FAULT_REACHED;
    buf_init(&pages, e->out.len);
    buf_add(&pages, first);
    buf_add(&pages, first);
    buf_add(&pages, bytes_slice(e->out, 2 * PAGE, e->out.len));
    e->out = arena_copy(e->arena, buf_bytes(&pages));
    buf_release(&pages);
    return FAULT_TRIGGERED;
}

const struct fault fault_second_page_repeats = {
    .id = "second-page-repeats",
    .class_id = "C30",
    .layer = "interface",
    .primitive = "size",
    .needs = "threshold",
    .summary = "of more than 32 KiB of output of a background process the second 16 KiB are the first 16 KiB "
               "once more",
    .report = "Cloudgeni-ai/opengeni#2342",
    .tell = on_tell,
};
