/* The first call after a session was opened is refused, and the very same call right after it succeeds: the
 * sandbox was said to be there before it was. */
#include "exec/oracle/checks/checks.h"

#include <string.h>

static const char slug[] = "created-not-usable";

static bool opens(const struct observation *o)
{
    static const char *const ops[] = {"open", "reopen", "resume", "restore", "fork", NULL};
    return observation_is_any(o, ops) && o->outcome.class == OUTCOME_OK;
}

/* The first of its session: nothing before it, or only what opened it. */
static bool is_first(const struct execution *e, size_t i)
{
    return i == 0 || (opens(&e->observations[i - 1]) && !e->observations[i - 1].outcome.fault &&
                      strcmp(e->observations[i - 1].step->session, e->observations[i].step->session) == 0);
}

static bool same_call(const struct observation *a, const struct observation *b)
{
    return strcmp(a->step->session, b->step->session) == 0 && a->args && observation_same_call(a, b);
}

static void judge(const struct execution *e, struct verdicts *out)
{
    static const char *const plain[] = {"run", "start", "list", "read", "write", "stat", "mkdir", NULL};
    for (size_t i = 0; i + 1 < e->count; i++) {
        const struct observation *first = &e->observations[i], *again = &e->observations[i + 1];
        bool refused = observation_is_any(first, plain) && observation_refused(first) &&
                       !first->outcome.fault && !first->in_group && !error_expected(e, first->step);
        bool fine = observation_claims(again) && !again->in_group && !again->outcome.fault &&
                    (!again->outcome.has_exit || again->outcome.exit == 0);
        if (!refused || !fine || !is_first(e, i) || !same_call(first, again))
            continue;
        struct buf evidence;
        buf_init(&evidence, 4096);
        buf_addf(&evidence, "step %s %s, the first after the session was opened, was refused with ",
                 first->step->id, first->step->op->name);
        judge_quote(&evidence, first->outcome.message, 200);
        buf_add_string(&evidence, "; the same call right after it succeeds -> sandbox");
        judge_say_op(out, e, slug, i, "open", EFFECT_WRONG, "the first call after opening is refused",
                     "a session that was opened is not usable at once", buf_string(&evidence));
        buf_release(&evidence);
        return;
    }
}

const struct check check_created_not_usable = {slug, "C82", "session",
                                               "the first call after creating works, every time", judge};
