/* At the end nobody kills what still runs. */
#include "leakybox/faults.h"
#include "leakybox/job.h"
#include "leakybox/proctree.h"

static enum fault_mark on_close(struct fault_close *e)
{
    size_t left = 0;

    for (const struct job *j = e->server->jobs; j; j = j->next)
        left += j->keeper ? proctree_count(j->keeper) : 0;
    e->spares = true;
    return left ? FAULT_TRIGGERED : FAULT_REACHED;
}

const struct fault fault_orphan_child = {
    .id = "orphan-child",
    .class_id = "C40",
    .layer = "sandbox",
    .primitive = "process",
    .needs = "sequence",
    .summary = "what commands left in the background survives the end of the server",
    .report = "modelcontextprotocol/python-sdk#526",
    .demo = true,
    .close = on_close,
};
