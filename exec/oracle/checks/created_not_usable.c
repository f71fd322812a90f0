/* The first call after a session was opened is refused, and the very same call right after it succeeds: the
 * sandbox was said to be there before it was. That call is the task's first, or the one of ours that asks what the
 * sandbox can do. */
#include "exec/oracle/checks/checks.h"

#include <string.h>

static const char slug[] = "created-not-usable";

static bool same_call(const struct observation *a, const struct observation *b)
{
    return strcmp(a->step->session, b->step->session) == 0 && a->args && observation_same_call(a, b);
}

static void say(const struct execution *e, struct verdicts *out, size_t i, const char *evidence)
{
    judge_say_op(out, e, slug, i, "open", EFFECT_WRONG, "the first call after opening is refused",
                 "a session that was opened is not usable at once", evidence);
}

static void judge(const struct execution *e, struct verdicts *out)
{
    static const char *const plain[] = {"run", "start", "list", "read", "write", "stat", "mkdir", NULL};
    if (e->first_refused) {
        say(e, out, e->count,
            "the first call of a session was refused; the very same call, made by us right after it, succeeds -> sandbox");
        return;
    }
    for (size_t i = 0; i + 1 < e->count; i++) {
        const struct observation *first = &e->observations[i], *again = &e->observations[i + 1];
        bool refused = observation_is_any(first, plain) && observation_refused(first) &&
                       !first->outcome.fault && !first->in_group && !error_expected(e, first->step);
        bool fine = observation_claims(again) && !again->in_group && !again->outcome.fault &&
                    (!again->outcome.has_exit || again->outcome.exit == 0);
        if (!refused || !fine || !observation_opens(e, i) || !same_call(first, again))
            continue;
        struct buf evidence;
        buf_init(&evidence, 4096);
        buf_addf(&evidence, "step %s %s, the first after the session was opened, was refused with ",
                 first->step->id, first->step->op->name);
        judge_quote(&evidence, first->outcome.message, 200);
        buf_add_string(&evidence, "; the same call right after it succeeds -> sandbox");
        say(e, out, i, buf_string(&evidence));
        buf_release(&evidence);
        return;
    }
}

const struct check check_created_not_usable = {slug, "C82", "session",
                                               "the first call after creating works, every time", judge};
