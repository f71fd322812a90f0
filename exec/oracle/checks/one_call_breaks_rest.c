/* The target falls silent after a call about which nothing stands out; or what one client sent costs another client its call. */
#include <string.h>

#include "exec/oracle/checks/checks.h"
#include "exec/oracle/fatal.h"

static bool same_session(const struct observation *a, const struct observation *b)
{
    return strcmp(a->step->session, b->step->session) == 0;
}

/* The same call of the same client was answered before: index, or e->count. */
static size_t worked_before(const struct execution *e, size_t index)
{
    const struct observation *o = &e->observations[index];
    for (size_t i = 0; i < index; i++) {
        const struct observation *other = &e->observations[i];
        bool went = other->outcome.class != OUTCOME_SKIPPED && other->outcome.class != OUTCOME_HARNESS && !observation_lost(other);
        if (went && o->args && same_session(other, o) && observation_same_call(other, o))
            return i;
    }
    return e->count;
}

/* What another client sent raw between the two. */
static size_t sent_between(const struct execution *e, size_t from, size_t to)
{
    for (size_t i = to; i-- > from;) {
        const struct observation *o = &e->observations[i];
        if (observation_is(o, "send") && o->outcome.class != OUTCOME_SKIPPED && !same_session(o, &e->observations[to]))
            return i;
    }
    return e->count;
}

static void judge_others(const struct execution *e, struct verdicts *out)
{
    for (size_t i = 0; i < e->count; i++) {
        const struct observation *o = &e->observations[i];
        if (observation_is(o, "send") || !observation_lost(o))
            continue;
        size_t before = worked_before(e, i), cause = before < e->count ? sent_between(e, before, i) : e->count;
        if (cause == e->count)
            continue;
        judge_say(out, e, "one-call-breaks-rest", i, EFFECT_NONE, "another client's call is lost",
                  "what one client sends breaks the session of another",
                  arena_printf(out->arena,
                               "step %s %s was answered before (step %s); after step %s of another client it is not: %s -> interface",
                               o->step->id, o->step->op->name, e->observations[before].step->id, e->observations[cause].step->id,
                               outcome_class_name(o->outcome.class)));
    }
}

static void judge(const struct execution *e, struct verdicts *out)
{
    fatal_report(e, out, "one-call-breaks-rest");
    if (!control_failed(e))
        judge_others(e, out);
}

const struct check check_one_call_breaks_rest = {
    "one-call-breaks-rest", "C23", "protocol",
    "after a call that failed, a plain call on another object works, of this client and of others", judge};
