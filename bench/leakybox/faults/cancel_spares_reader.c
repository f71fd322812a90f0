/* Whoever has fed a command does not hear of a cancellation. */
#include "leakybox/faults.h"

static enum fault_mark on_cancel(struct fault_cancel *e)
{
    e->spares = e->given_input;
    return e->spares ? FAULT_TRIGGERED : FAULT_REACHED;
}

const struct fault fault_cancel_spares_reader = {
    .id = "cancel-spares-reader",
    .class_id = "C26",
    .layer = "sandbox",
    .primitive = "process",
    .needs = "concurrent",
    .summary = "a cancelled command that was given input runs on",
    .report = "cloudflare/sandbox-sdk#819",
    .cancel = on_cancel,
};
