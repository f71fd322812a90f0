/* What checks of browsers share; see browser.h. */
#include "exec/oracle/browser.h"

#include "exec/oracle/expect.h"

bool browser_opens(const struct observation *o)
{
    static const char *const ops[] = {"navigate", "tab-open", NULL};
    return observation_is_any(o, ops);
}

bool browser_asks(const struct observation *o)
{
    static const char *const ops[] = {"evaluate", "scrape", "screenshot", NULL};
    return observation_is_any(o, ops);
}

bool browser_hangs(const struct execution *e, size_t index)
{
    const struct observation *o = &e->observations[index];
    return observation_lost(o) && o->outcome.class == OUTCOME_TIMEOUT && e->control.made &&
           e->control.answered && !e->target_died && !step_mutated(e, o->step);
}

bool browser_fact_fails(const struct execution *e, size_t index, struct arena *a)
{
    const struct observation *o = &e->observations[index];
    for (const struct json *x = e->task->expect ? e->task->expect->first : NULL; observation_claims(o) && x;
         x = x->next) {
        struct fact_report r;
        if (!bytes_equal_string(json_as_text(json_get(x, "step")), o->step->id) || !json_get(x, "at"))
            continue;
        expect_evaluate(e, x, a, &r);
        if (r.fact == FACT_FAILS && r.observation == index)
            return true;
    }
    return false;
}
