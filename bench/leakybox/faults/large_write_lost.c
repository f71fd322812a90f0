/* Beyond a size the store is acknowledged and does not happen. */
#include "leakybox/faults.h"

enum { LIMIT = 18 * 1024 };

static enum fault_mark on_store(struct fault_store *e)
{
    if (!(e->tool->hints & TOOL_STORES))
        return FAULT_MISSED;
    e->lost = e->data.len > LIMIT;
    return e->lost ? FAULT_TRIGGERED : FAULT_REACHED;
}

const struct fault fault_large_write_lost = {
    .id = "large-write-lost",
    .class_id = "C28",
    .layer = "sandbox",
    .primitive = "storage",
    .needs = "threshold",
    .summary = "a write or upload of more than 18 KiB succeeds and stores nothing",
    .report = "opensandbox-group/OpenSandbox#1016",
    .store = on_store,
};
