/* An error of the protocol has a code and a message. */
#include "exec/oracle/checks/checks.h"

static void judge(const struct execution *e, struct verdicts *out)
{
    for (size_t i = 0; i < e->count; i++) {
        const struct observation *o = &e->observations[i];
        if (o->outcome.class != OUTCOME_PROTOCOL_ERROR || (o->outcome.message.len && o->outcome.code != 0))
            continue;
        judge_say(out, e, "mcp-05", i, EFFECT_NONE,
                  o->outcome.message.len ? "an error without a code" : "an error without a message",
                  arena_printf(out->arena, "the error that answers %s has no %s", o->step->op->name,
                               o->outcome.message.len ? "code" : "message"),
                  arena_printf(out->arena, "step %s %s: error code %lld, message of %zu bytes -> interface",
                               o->step->id, o->step->op->name, (long long)o->outcome.code,
                               o->outcome.message.len));
    }
}

const struct check check_mcp_05 = {"mcp-05", "", "protocol", "an error has a code and a message", judge};
