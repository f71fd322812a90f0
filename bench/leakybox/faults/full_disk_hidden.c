/* The error of a full disk is swallowed. */
#include "leakybox/faults.h"

static enum fault_mark on_full(struct fault_full *e)
{
    e->hidden = true;
    return FAULT_TRIGGERED;
}

const struct fault fault_full_disk_hidden = {
    .id = "full-disk-hidden",
    .class_id = "C63",
    .layer = "sandbox",
    .primitive = "storage",
    .needs = "environment",
    .summary = "on a full disk a write succeeds and leaves what fitted",
    .report = "pmcfadin/cqlite#3637",
    .full = on_full,
};
