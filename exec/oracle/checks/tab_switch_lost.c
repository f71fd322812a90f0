/* Actions after a change of tabs: what the page tells of itself is of another tab than the one that was
 * switched to. */
#include "exec/oracle/browser.h"
#include "exec/oracle/checks/checks.h"

static const char slug[] = "tab-switch-lost";

static void judge(const struct execution *e, struct verdicts *out)
{
    static const char *const changes[] = {"tab-switch", "tab-close", NULL};
    for (size_t i = 0, change = e->count; i < e->count; i++) {
        const struct observation *o = &e->observations[i];
        if (observation_is_any(o, changes))
            change = observation_claims(o) ? i : e->count;
        if (browser_opens(o) || observation_is(o, "attach"))
            change = e->count;
        if (change >= e->count || !browser_asks(o) || !browser_fact_fails(e, i, out->arena))
            continue;
        judge_say_op(out, e, slug, i, e->observations[change].step->op->name, EFFECT_NONE,
                     "the next call goes to another tab", "a change of tabs is reported and does not happen",
                     arena_printf(out->arena,
                                  "step %s %s claims success; step %s %s then shows another page than that "
                                  "tab has -> interface",
                                  e->observations[change].step->id, e->observations[change].step->op->name,
                                  o->step->id, o->step->op->name));
        return;
    }
}

const struct check check_tab_switch_lost = {slug, "C92", "browser",
                                            "actions go to the tab that was switched to", judge};
