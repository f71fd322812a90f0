/* Finds equal rounds; see rounds.h. Short rounds are tried first, so a call that repeats is a round of one.
 */
#include "exec/oracle/rounds.h"

#include <string.h>

/* What a target may rightly keep for later: jobs, sessions, tabs, and whatever a tool or request of its own
 * does. */
static bool may_keep(const struct observation *o)
{
    static const char *const keeps[] = {"start",    "serve",   "open",    "reopen",   "fork",
                                        "call",     "request", "restore", "snapshot", "resume",
                                        "tab-open", "send",    "notify",  NULL};
    return observation_is_any(o, keeps) ||
           (observation_is(o, "run") && script_in_background(observation_script(o)));
}

static bool counts(const struct execution *e, size_t i)
{
    const struct observation *o = &e->observations[i];
    return observation_claims(o) && !o->in_group && !o->outcome.fault && o->usage.descriptors > 0 &&
           !may_keep(o) && strcmp(o->step->session, e->observations[0].step->session) == 0;
}

static bool equal(const struct execution *e, size_t i, size_t k)
{
    const struct observation *a = &e->observations[i], *b = &e->observations[k];
    return counts(e, i) && counts(e, k) && observation_same_call(a, b);
}

static size_t rounds_from(const struct execution *e, size_t first, size_t length)
{
    size_t end = first + length;
    while (end < e->count && equal(e, end - length, end))
        end++;
    return (end - first) / length;
}

bool rounds_next(const struct execution *e, size_t *at, size_t least, struct rounds *out)
{
    for (; *at < e->count; (*at)++)
        for (size_t length = 1; length <= ROUNDS_STEPS_MAX; length++) {
            size_t count = rounds_from(e, *at, length);
            if (count < least)
                continue;
            *out = (struct rounds){*at, count, length};
            *at += count * length;
            return true;
        }
    return false;
}

const struct observation *rounds_end(const struct execution *e, const struct rounds *r, size_t index)
{
    return &e->observations[r->first + (index + 1) * r->length - 1];
}
