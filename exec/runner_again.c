/* The first call of a session, when it is refused: the very same call once more. A sandbox that takes it now was said to be there
 * before it was. Only calls that change nothing are made twice. */
#include "exec/oracle/judge.h"
#include "exec/oracle/script.h"
#include "exec/runner_internal.h"

static bool changes_nothing(const struct observation *o)
{
    static const char *const looks[] = {"read", "list", "stat", NULL};
    return observation_is_any(o, looks) || (observation_is(o, "run") && script_makes_nothing(o));
}

void runner_try_again(struct runner *r, struct session *s, size_t index, const struct call *first)
{
    const struct observation *o = &r->e->observations[index];
    if (!observation_refused(o) || o->outcome.has_exit || o->outcome.fault || o->in_group || !observation_opens(r->e, index) ||
        step_mutated(r->e, o->step) || error_expected(r->e, o->step) || !changes_nothing(o) || runner_stopped(r))
        return;
    struct call again = *first;
    again.outcome = (struct outcome){0};
    again.mutation = NULL;
    again.timeout_ms = settings_int(r->settings, "exec.probe-timeout");
    session_calls(s, (struct call *[]){&again}, 1);
    const struct outcome *now = &again.outcome;
    r->e->first_refused = r->e->first_refused || (now->class == OUTCOME_OK && (!now->has_exit || now->exit == 0));
}
