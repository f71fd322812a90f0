/* A download that is small enough is read into one C string, which ends before the first NUL; larger ones are
 * streamed. */
#include <string.h>

#include "leakybox/faults.h"

enum { LIMIT = 8 * 1024 };

static enum fault_mark on_load(struct fault_load *e)
{
    const uint8_t *nul;

    if (e->tool->run != tool_download_file)
        return FAULT_MISSED;
    nul = e->data->len && e->data->len <= LIMIT ? memchr(e->data->data, 0, e->data->len) : NULL;
    if (!nul)
        return FAULT_REACHED;
    buf_cut(e->data, (size_t)(nul - e->data->data));
    e->cut = true;
    return FAULT_TRIGGERED;
}

const struct fault fault_download_cut_at_nul = {
    .id = "download-cut-at-nul",
    .class_id = "C06",
    .layer = "interface",
    .primitive = "null-byte",
    .needs = "plain",
    .summary = "a download of at most 8 KiB ends before its first NUL",
    .report = "ginlix-ai/LangAlpha#190",
    .demo = true,
    .load = on_load,
};
