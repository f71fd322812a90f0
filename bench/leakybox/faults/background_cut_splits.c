/* The output of a background process is cut at a byte and then decoded. */
#include "base/utf8.h"
#include "leakybox/faults.h"

enum { LIMIT = 30000 };

static enum fault_mark on_tell(struct fault_tell *e)
{
    struct bytes head = bytes_slice(e->out, 0, LIMIT);
    size_t whole = utf8_valid_prefix(head);
    struct buf cut;

    if (e->out.len <= LIMIT || !utf8_valid(e->out) || whole == head.len)
        return FAULT_REACHED;
    buf_init(&cut, LIMIT + 4);
    buf_add(&cut, bytes_slice(head, 0, whole));
    buf_add_string(&cut, "\xef\xbf\xbd");
    e->out = arena_copy(e->arena, buf_bytes(&cut));
    buf_release(&cut);
    return FAULT_TRIGGERED;
}

const struct fault fault_background_cut_splits = {
    .id = "background-cut-splits",
    .class_id = "C04",
    .layer = "interface",
    .primitive = "encoding",
    .needs = "threshold",
    .summary = "output of a background process is cut after 30,000 bytes in the middle of a character, which "
               "becomes U+FFFD",
    .report = "agentic-os-org/ANOLISA#2096",
    .tell = on_tell,
};
