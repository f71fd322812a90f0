/* A tab that stays dead after its page crashed: the crash was told or asked for, and an ordinary page in the
 * same tab is not loaded any more. */
#include "exec/oracle/browser.h"
#include "exec/oracle/checks/checks.h"
#include "exec/oracle/symptom.h"

static const char slug[] = "dead-tab";

static bool crashes(const struct observation *o)
{
    struct bytes url = observation_argument(o, "url");
    static const char *const urls[] = {"chrome://crash", "chrome://kill", "about:crash", NULL};
    for (size_t i = 0; browser_opens(o) && urls[i]; i++)
        if (bytes_starts(url, bytes_of_string(urls[i])))
            return true;
    return o->killed > 0 ||
           (!observation_claims(o) &&
            symptom_words(o->outcome.message, "page crashed|Page crashed|Target crashed|renderer crashed"));
}

/* A page that comes from nowhere or from the fixture site, so that nothing but the tab can be in the way. */
static bool is_plain(const struct execution *e, struct bytes url)
{
    struct bytes site = e->site.address ? bytes_of_string(e->site.address) : BYTES_NONE;
    ptrdiff_t query = bytes_find(url, BYTES_LITERAL("?"), 0);
    bool page = site.len && bytes_starts(url, site) && bytes_ends(bytes_slice(url, 0, query < 0 ? url.len : (size_t)query), BYTES_LITERAL("/page"));
    return page || bytes_starts(url, BYTES_LITERAL("about:blank")) ||
           bytes_starts(url, BYTES_LITERAL("data:text/html"));
}

/* The call after a page was killed may fail, and says so; not being answered at all is worse. */
static bool hangs_when_killed(const struct execution *e, const struct observation *o)
{
    return o->killed && observation_is(o, "navigate") && o->outcome.class == OUTCOME_TIMEOUT && observation_lost(o) && e->control.made &&
           e->control.answered && !e->target_died;
}

static void judge(const struct execution *e, struct verdicts *out)
{
    for (size_t i = 0, crash = e->count; i < e->count; i++) {
        const struct observation *o = &e->observations[i];
        bool plain = observation_is(o, "navigate") && !o->killed && !step_mutated(e, o->step) && !error_expected(e, o->step) &&
                     is_plain(e, observation_argument(o, "url"));
        crash = hangs_when_killed(e, o) ? i : crash;
        if ((plain && crash < e->count && (browser_hangs(e, i) || observation_refused(o))) || hangs_when_killed(e, o)) {
            judge_say(out, e, slug, i, EFFECT_NONE, "a tab stays dead after a crash",
                      "after a page crashed its tab cannot be used",
                      arena_printf(
                          out->arena,
                          "the page crashed in step %s; then step %s navigate to a plain page %s -> interface",
                          e->observations[crash].step->id, o->step->id,
                          observation_refused(o) ? "was refused" : "was not answered"));
            return;
        }
        if (browser_opens(o) && observation_claims(o))
            crash = e->count;
        if (observation_is(o, "tab-open") || observation_is(o, "tab-switch") || observation_is(o, "reopen"))
            crash = e->count;
        if (crashes(o))
            crash = i;
    }
}

const struct check check_dead_tab = {slug, "C84", "browser",
                                     "after a page crashed, the next navigation works", judge};
