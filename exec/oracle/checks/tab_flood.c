/* Many tabs: each opens or is refused in words; one that is not answered, or that has the name of another
 * that is open, is lost. */
#include "exec/oracle/browser.h"
#include "exec/oracle/checks/checks.h"

static const char slug[] = "tab-flood";

enum { FLOOD = 10 };

static bool closed(const struct execution *e, const struct json *tab, size_t from, size_t until)
{
    for (size_t i = from; i < until; i++) {
        const struct json *named = json_get(e->observations[i].args, "tab");
        if (observation_is(&e->observations[i], "tab-close") && named && json_equal(named, tab))
            return true;
    }
    return false;
}

static bool named_twice(const struct execution *e, size_t i)
{
    const struct json *tab = json_get(e->observations[i].outcome.result, "tab");
    for (size_t k = 0; tab && k < i; k++) {
        const struct json *other = json_get(e->observations[k].outcome.result, "tab");
        if (observation_is(&e->observations[k], "tab-open") && other && json_equal(tab, other) &&
            !closed(e, tab, k, i))
            return true;
    }
    return false;
}

static void judge(const struct execution *e, struct verdicts *out)
{
    size_t opened = 0;
    for (size_t i = 0; i < e->count; i++) {
        const struct observation *o = &e->observations[i];
        if (!observation_is(o, "tab-open"))
            continue;
        bool twice = observation_claims(o) && named_twice(e, i);
        if (twice || (opened >= FLOOD && browser_hangs(e, i))) {
            judge_say(out, e, slug, i, twice ? EFFECT_NONE : EFFECT_WRONG,
                      twice ? "two open tabs have one name" : "a tab is neither opened nor refused",
                      "many tabs are not kept apart",
                      arena_printf(out->arena, "%zu tabs were open; step %s tab-open %s -> %s", opened,
                                   o->step->id,
                                   twice ? "gives a tab the name of one that is open"
                                         : "was not answered, and plain calls are",
                                   layer_name(layer_of(twice ? EFFECT_NONE : EFFECT_WRONG))));
            return;
        }
        opened += observation_claims(o);
    }
}

const struct check check_tab_flood = {
    slug, "C85", "browser", "each tab opens in time or is refused clearly, and has a name of its own", judge};
