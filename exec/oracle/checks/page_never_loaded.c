/* A page that does not finish loading, and then cannot be asked either. */
#include "exec/oracle/browser.h"
#include "exec/oracle/checks/checks.h"

static const char slug[] = "page-never-loaded";

static void judge(const struct execution *e, struct verdicts *out)
{
    for (size_t i = 0, load = e->count; i < e->count; i++) {
        const struct observation *o = &e->observations[i];
        if (browser_opens(o))
            load = observation_lost(o) || observation_refused(o) ? i : e->count;
        if (load >= e->count || !browser_asks(o) || !browser_hangs(e, i))
            continue;
        judge_say(out, e, slug, i, EFFECT_NONE, "a page that is still loading cannot be asked",
                  "a page that never ends loading blocks other calls",
                  arena_printf(out->arena,
                               "step %s %s did not finish; then step %s %s was not answered, and a plain "
                               "call was -> interface",
                               e->observations[load].step->id, e->observations[load].step->op->name,
                               o->step->id, o->step->op->name));
        return;
    }
}

const struct check check_page_never_loaded = {slug, "C89", "browser",
                                              "a page that never finishes loading can still be asked", judge};
