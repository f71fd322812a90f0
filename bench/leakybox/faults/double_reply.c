/* A cancellation is answered with an error, and the command, which runs on, is answered when it ends. */
#include "leakybox/rpc.h"
#include "leakybox/faults.h"

static enum fault_mark on_cancel(struct fault_cancel *e)
{
    if (e->spares)
        return FAULT_MISSED;
    rpc_error(e->server, e->id, RPC_INTERNAL, "the call was cancelled");
    e->goes_on = true;
    return FAULT_TRIGGERED;
}

const struct fault fault_double_reply = {
    .id = "double-reply",
    .class_id = "C16",
    .layer = "interface",
    .primitive = "protocol",
    .needs = "concurrent",
    .summary = "a cancelled command is answered twice: when it is cancelled and when it ends",
    .report = "cloudflare/sandbox-sdk#873",
    .cancel = on_cancel,
};
