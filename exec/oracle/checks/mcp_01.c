/* Answers that cannot be read; not those of commands that we made of an op, which are no messages. The form of messages is a duty
 * (duty_message.c), under the same name. */
#include "exec/oracle/checks/checks.h"
#include "exec/oracle/judge.h"

static void judge(const struct execution *e, struct verdicts *out)
{
    for (size_t i = 0; i < e->count; i++) {
        const struct observation *o = &e->observations[i];
        if (o->outcome.class != OUTCOME_TRANSPORT_ERROR || !observation_lost(o) || e->target_died ||
            observation_reframed(o) || o->outcome.lowered || bytes_starts(o->outcome.message, BYTES_LITERAL("HTTP 4")))
            continue;
        struct buf evidence;
        buf_init(&evidence, 4096);
        buf_addf(&evidence, "step %s %s: the answer could not be read: ", o->step->id, o->step->op->name);
        judge_quote(&evidence, o->outcome.message, 300);
        buf_add_string(&evidence, " -> interface");
        judge_say(out, e, "mcp-01", i, EFFECT_NONE, "an answer that cannot be read",
                  arena_printf(out->arena, "the answer to %s cannot be read", o->step->op->name),
                  buf_string(&evidence));
        buf_release(&evidence);
    }
}

const struct check check_mcp_01 = {"mcp-01", "", "protocol", "messages are JSON-RPC 2.0 in UTF-8", judge};
