/* A read that stops early does not close its file. */
#include "leakybox/faults.h"

static enum fault_mark on_open(struct fault_open *e)
{
    e->forgets = e->head;
    return e->head ? FAULT_TRIGGERED : FAULT_REACHED;
}

const struct fault fault_descriptor_leak = {
    .id = "descriptor-leak",
    .class_id = "C64",
    .layer = "interface",
    .primitive = "process",
    .needs = "sequence",
    .summary = "reading the first lines of a file leaves its descriptor open",
    .report = "wonderwhy-er/DesktopCommanderMCP#631",
    .open = on_open,
};
