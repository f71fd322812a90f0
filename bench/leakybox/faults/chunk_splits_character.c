/* A file is decoded chunk by chunk, so the halves of a character that lies across two chunks are replaced. */
#include "base/utf8.h"
#include "leakybox/faults.h"

enum { CHUNK = 4096 };

static enum fault_mark on_load(struct fault_load *e)
{
    struct bytes data = buf_bytes(e->data);
    struct buf decoded;
    size_t at, from;
    bool split = false;

    if (e->tool->run != tool_read_file || !utf8_valid(data))
        return FAULT_MISSED;
    buf_init(&decoded, 3 * data.len);
    for (from = 0; from < data.len; from += CHUNK) {
        struct bytes chunk = bytes_slice(data, from, from + CHUNK);

        for (at = 0; at < chunk.len;) {
            size_t start = at;
            bool whole = utf8_next(chunk, &at) >= 0;

            split = split || !whole;
            buf_add(&decoded, whole ? bytes_slice(chunk, start, at) : BYTES_LITERAL("\xef\xbf\xbd"));
        }
    }
    if (split) {
        buf_clear(e->data);
        buf_add(e->data, buf_bytes(&decoded));
    }
    buf_release(&decoded);
    return split ? FAULT_TRIGGERED : FAULT_REACHED;
}

const struct fault fault_chunk_splits_character = {
    .id = "chunk-splits-character",
    .class_id = "C03",
    .layer = "interface",
    .primitive = "encoding",
    .needs = "threshold",
    .summary = "read_file decodes chunks of 4096 bytes on their own: a character across two becomes U+FFFD",
    .report = "NousResearch/hermes-agent#46099",
    .load = on_load,
};
