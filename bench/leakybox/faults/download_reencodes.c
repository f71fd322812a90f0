/* A download passes through a text decoder: what is not UTF-8 becomes U+FFFD, and success is reported. What
 * another fault has cut has not come this way. */
#include "base/utf8.h"
#include "leakybox/faults.h"

static enum fault_mark on_load(struct fault_load *e)
{
    struct bytes from = buf_bytes(e->data);
    struct buf decoded;
    size_t at = 0;

    if (e->tool->run != tool_download_file || e->cut)
        return FAULT_MISSED;
    if (utf8_valid(from))
        return FAULT_REACHED;
    buf_init(&decoded, 3 * from.len);
    while (at < from.len) {
        size_t start = at;

        if (utf8_next(from, &at) < 0)
            buf_add_string(&decoded, "\xef\xbf\xbd");
        else
            buf_add(&decoded, bytes_slice(from, start, at));
    }
    buf_clear(e->data);
    buf_add(e->data, buf_bytes(&decoded));
    buf_release(&decoded);
    return FAULT_TRIGGERED;
}

const struct fault fault_download_reencodes = {
    .id = "download-reencodes",
    .class_id = "C02",
    .layer = "interface",
    .primitive = "encoding",
    .needs = "plain",
    .summary = "a download that is not UTF-8 is decoded as text: bytes become U+FFFD",
    .report = "labring/FastGPT#7433",
    .demo = true,
    .load = on_load,
};
