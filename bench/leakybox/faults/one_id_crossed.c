/* Calls in flight are found by their id, and the newest takes the place of the one before. */
#include "leakybox/job.h"
#include "leakybox/faults.h"

static enum fault_mark on_twin(struct fault_twin *e)
{
    job_forget(e->server, e->id);
    e->accepted = true;
    return FAULT_TRIGGERED;
}

const struct fault fault_one_id_crossed = {
    .id = "one-id-crossed",
    .class_id = "C22",
    .layer = "interface",
    .primitive = "concurrency",
    .needs = "concurrent",
    .summary = "of two calls in flight with one id only the second is answered",
    .report = "modelcontextprotocol/python-sdk#3060",
    .twin = on_twin,
};
