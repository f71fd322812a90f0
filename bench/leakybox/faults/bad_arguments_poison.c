/* Arguments that are no object leave the dispatcher of tools in a state of error. */
#include "leakybox/rpc.h"
#include "leakybox/faults.h"

static bool poisoned;

static enum fault_mark on_malformed(struct fault_malformed *e)
{
    if (!e->in_arguments)
        return FAULT_MISSED;
    poisoned = poisoned || e->is_string;
    return FAULT_REACHED;
}

static enum fault_mark on_call(struct fault_call *e)
{
    if (!poisoned)
        return FAULT_REACHED;
    rpc_error(e->call->server, e->call->id, RPC_INTERNAL, "internal error");
    e->taken = true;
    return FAULT_TRIGGERED;
}

const struct fault fault_bad_arguments_poison = {
    .id = "bad-arguments-poison",
    .class_id = "C23",
    .layer = "interface",
    .primitive = "protocol",
    .needs = "sequence",
    .summary = "once arguments came as a string, every later call of a tool is an internal error",
    .report = "modelcontextprotocol/python-sdk#820",
    .malformed = on_malformed,
    .call = on_call,
};
