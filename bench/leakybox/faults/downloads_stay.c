/* The buffers of large downloads are kept for nobody. */
#include "base/error.h"
#include "leakybox/faults.h"

enum { LIMIT = 64 * 1024 };

struct kept {
    struct kept *next;
    struct buf data;
};

/* A root of what stays, so that it is memory that grows and not memory that is lost. */
static struct kept *all;

static enum fault_mark on_load(struct fault_load *e)
{
    struct kept *k;

    if (e->tool->run != tool_download_file)
        return FAULT_MISSED;
    if (e->data->len <= LIMIT)
        return FAULT_REACHED;
    k = xcalloc(1, sizeof(*k));
    buf_init(&k->data, e->data->len);
    buf_add(&k->data, buf_bytes(e->data));
    k->next = all;
    all = k;
    return FAULT_TRIGGERED;
}

const struct fault fault_downloads_stay = {
    .id = "downloads-stay",
    .class_id = "C69",
    .layer = "interface",
    .primitive = "memory",
    .needs = "sequence",
    .summary = "the bytes of every download of more than 64 KiB stay in the server's memory",
    .report = "microsoft/playwright-mcp#1636",
    .load = on_load,
};
