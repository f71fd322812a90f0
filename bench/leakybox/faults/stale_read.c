/* What read_file gave is remembered by path and size, and given again when both are the same. */
#include <string.h>

#include "leakybox/faults.h"

enum { ENTRIES = 16, BYTES_MAX = 64 * 1024 };

static struct {
    struct buf path, data; /* no data: free */
} seen[ENTRIES];
static size_t next;

static size_t find(const struct place *p)
{
    size_t i = 0;

    while (i < ENTRIES &&
           !(seen[i].data.len && bytes_equal(buf_bytes(&seen[i].path), buf_bytes(&p->relative))))
        i++;
    return i;
}

static void release(size_t i)
{
    buf_release(&seen[i].path);
    buf_release(&seen[i].data);
}

/* A file that is made is not the one that was read. */
static enum fault_mark on_store(struct fault_store *e)
{
    size_t i = e->place->exists ? ENTRIES : find(e->place);

    if (i < ENTRIES)
        release(i);
    return FAULT_MISSED;
}

static enum fault_mark on_load(struct fault_load *e)
{
    bool stale = false;
    size_t i;

    if (e->tool->run != tool_read_file || !e->whole || !e->data->len || e->data->len > BYTES_MAX)
        return FAULT_MISSED;
    i = find(e->place);
    if (i < ENTRIES && seen[i].data.len == e->data->len) {
        stale = !bytes_equal(buf_bytes(&seen[i].data), buf_bytes(e->data));
        buf_clear(e->data);
        buf_add(e->data, buf_bytes(&seen[i].data));
        return stale ? FAULT_TRIGGERED : FAULT_REACHED;
    }
    if (i == ENTRIES)
        i = next++ % ENTRIES;
    release(i);
    buf_init(&seen[i].path, PATH_MAX);
    buf_add(&seen[i].path, buf_bytes(&e->place->relative));
    buf_init(&seen[i].data, BYTES_MAX);
    buf_add(&seen[i].data, buf_bytes(e->data));
    return FAULT_REACHED;
}

const struct fault fault_stale_read = {
    .id = "stale-read",
    .class_id = "C62",
    .layer = "interface",
    .primitive = "storage",
    .needs = "sequence",
    .summary = "read_file gives the old content of a file that it gave before and that has been overwritten "
               "with as many bytes",
    .report = "google/gvisor#1006",
    .store = on_store,
    .load = on_load,
};
