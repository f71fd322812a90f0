/* Each request gets one answer, which bears its id. One answer to a call that we gave up or cancelled is
 * late, not wrong; a second one is wrong. After raw frames we cannot tell whose ids are meant. */
#include "exec/oracle/checks/checks.h"
#include "exec/oracle/wire.h"

static bool gave_up_any(const struct execution *e)
{
    for (size_t i = 0; i < e->count; i++) {
        const struct observation *o = &e->observations[i];
        if (o->step->cancel_after_ms >= 0 || o->outcome.class == OUTCOME_TIMEOUT)
            return true;
    }
    return e->control.made && !e->control.answered;
}

static void judge(const struct execution *e, struct verdicts *out)
{
    if (client_illegal(e, e->count))
        return;
    if (!gave_up_any(e))
        wire_report(e, out, "mcp-04", "unknown-id", "an answer to nothing",
                    "the target answers a request that was not made");
    wire_report(e, out, "mcp-04", "double-reply", "two answers to one request",
                "the target answers one request twice");
    for (size_t i = 0; i < e->count; i++) {
        const struct observation *o = &e->observations[i];
        if (o->outcome.replies > 1)
            judge_say(out, e, "mcp-04", e->count, EFFECT_NONE, "two answers to one request",
                      "the target answers one request twice",
                      arena_printf(out->arena, "step %s %s got %u answers with its id -> interface",
                                   o->step->id, o->step->op->name, o->outcome.replies));
    }
}

const struct check check_mcp_04 = {"mcp-04", "", "protocol",
                                   "each request gets exactly one answer, with its id", judge};
