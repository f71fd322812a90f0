/* Null becomes 0 on the way to a tool. */
#include "leakybox/faults.h"

static enum fault_mark on_call(struct fault_call *e)
{
    bool found = false;

    for (size_t i = 0; i < e->call->tool->arg_count; i++) {
        const struct tool_arg *arg = &e->call->tool->args[i];
        struct json *value = json_get(e->call->args, arg->name);

        if (arg->type != ARG_COUNT || arg->required || !json_is(value, JSON_NULL))
            continue;
        json_replace(value, json_integer(e->call->arena, 0));
        found = true;
    }
    return found ? FAULT_TRIGGERED : FAULT_REACHED;
}

const struct fault fault_null_is_zero = {
    .id = "null-is-zero",
    .class_id = "C27",
    .layer = "interface",
    .primitive = "protocol",
    .needs = "plain",
    .summary = "an optional number that is null counts as 0, not as absent",
    .report = "openclaw/openclaw#96716",
    .call = on_call,
};
