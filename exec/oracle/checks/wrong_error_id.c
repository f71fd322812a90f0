/* A request whose id can be read is refused by an error that does not bear it, or as JSON that cannot be parsed. Big frames are left
 * out: whoever refuses them has not read them. */
#include "exec/oracle/checks/checks.h"

static const char slug[] = "wrong-error-id";

enum { PARSE_ERROR = -32700 };

static void judge(const struct execution *e, struct verdicts *out)
{
    for (size_t i = 0; i < e->count; i++) {
        const struct observation *o = &e->observations[i];
        const struct outcome_fault *f = o->outcome.fault;
        if (!observation_reframed(o) || !f->owed || observation_size(o) >= BIG_FRAME)
            continue;
        bool null = f->nulls && f->replies < f->owed;
        bool unparsed = o->outcome.class == OUTCOME_PROTOCOL_ERROR && o->outcome.code == PARSE_ERROR;
        if (!null && !unparsed)
            continue;
        judge_say_op(out, e, slug, i, "send", EFFECT_NONE,
                     arena_printf(out->arena, "%s, %s", null ? "an error with the id null" : "a parse error", f->mutator),
                     arena_printf(out->arena, "a request with %s is refused by %s, though its id can be read", f->mutator,
                                  null ? "an error with the id null" : "a parse error"),
                     arena_printf(out->arena, "step %s %s, sent with %s (%s): error %lld, %u answers with its id, %u with null "
                                              "-> interface",
                                  o->step->id, o->step->op->name, f->mutator, f->kind, (long long)o->outcome.code, f->replies,
                                  f->nulls));
    }
}

const struct check check_wrong_error_id = {slug, "C21", "protocol", "an error bears the id of its request and the code of its kind",
                                           judge};
