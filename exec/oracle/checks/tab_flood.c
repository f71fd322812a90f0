/* Many tabs: each opens or is refused in words; one that is not answered, that has the name of another that is open, or that is not
 * there in the end though nobody closed it, is lost. A browser that lets tabs take more than what was stated for all of them has no
 * limit. Closed tabs give their memory back. */
#include "exec/oracle/browser.h"
#include "exec/oracle/checks/checks.h"
#include "exec/oracle/symptom.h"

#include <string.h>

static const char slug[] = "tab-flood";

enum { FLOOD = 10, FEW = 4, MIB = 1 << 20, KEPT_LEAST = 192 * MIB };

static bool same_session(const struct observation *a, const struct observation *b)
{
    return strcmp(a->step->session, b->step->session) == 0;
}

static bool closed(const struct execution *e, const struct json *tab, size_t from, size_t until)
{
    for (size_t i = from; i < until; i++) {
        const struct json *named = json_get(e->observations[i].args, "tab");
        if (observation_is(&e->observations[i], "tab-close") && named && json_equal(named, tab))
            return true;
    }
    return false;
}

/* Sessions have browsers, or at least lists, of their own; one that was opened again begins anew. */
static bool named_twice(const struct execution *e, size_t i)
{
    const struct json *tab = json_get(e->observations[i].outcome.result, "tab");
    for (size_t k = i; tab && k-- > 0;) {
        const struct observation *o = &e->observations[k];
        const struct json *other = json_get(o->outcome.result, "tab");
        if (!same_session(o, &e->observations[i]))
            continue;
        if (observation_is(o, "reopen") || o->outcome.gone)
            return false;
        if (observation_is(o, "tab-open") && other && json_equal(tab, other) && !closed(e, tab, k, i))
            return true;
    }
    return false;
}

/* Each opening by itself. */
static bool judge_one(const struct execution *e, struct verdicts *out, size_t i, size_t opened)
{
    const struct observation *o = &e->observations[i];
    bool twice = observation_claims(o) && named_twice(e, i);
    if (!twice && !(opened >= FLOOD && browser_hangs(e, i)))
        return false;
    judge_say(out, e, slug, i, twice ? EFFECT_NONE : EFFECT_WRONG,
              twice ? "two open tabs have one name" : "a tab is neither opened nor refused", "many tabs are not kept apart",
              arena_printf(out->arena, "%zu tabs were open; step %s tab-open %s -> %s", opened, o->step->id,
                           twice ? "gives a tab the name of one that is open" : "was not answered, and plain calls are",
                           layer_name(layer_of(twice ? EFFECT_NONE : EFFECT_WRONG))));
    return true;
}

/* The first figure of memory, which is there before most tabs are. */
static uint64_t memory_at_first(const struct execution *e)
{
    for (size_t i = 0; i < e->count; i++)
        if (e->observations[i].usage.pss)
            return e->observations[i].usage.pss;
    return 0;
}

static void judge_memory(const struct execution *e, struct verdicts *out, size_t i, size_t opened)
{
    const struct usage *u = &e->observations[i].usage;
    uint64_t first = memory_at_first(e), budget = e->tabs.budget;
    if (!budget || opened < FEW || u->pss < budget || u->pss - first < budget / 2)
        return;
    judge_say(out, e, slug, i, EFFECT_WRONG, "tabs take more than a stated budget of memory, and none is refused",
              "a flood of tabs meets no limit",
              arena_printf(out->arena,
                           "%zu tabs were opened, each of them acknowledged; the browser's processes took %llu MiB at first and "
                           "%llu MiB then (%u that show pages: %llu MiB), more than the stated %llu MiB -> sandbox",
                           opened, (unsigned long long)first / MIB, (unsigned long long)u->pss / MIB, u->renderers,
                           (unsigned long long)u->renderers_pss / MIB, (unsigned long long)budget / MIB));
}

/* Something beside tab-close may close tabs: the page itself, a crash, an end of the session, the limit of our own box. */
static bool closes_otherwise(const struct execution *e, const struct observation *o)
{
    static const char *const ends[] = {"reopen", "close", "open", NULL};
    const char *words = "window.close|self.close|chrome://|about:crash";
    return observation_is_any(o, ends) || o->outcome.fault || o->outcome.gone || symptom_words(observation_argument(o, "url"), words) ||
           symptom_words(observation_argument(o, "script"), words) || symptom_words(o->outcome.message, "crash") ||
           !same_session(o, &e->observations[0]);
}

static void judge_count(const struct execution *e, struct verdicts *out)
{
    size_t there = 0, last = 0;
    if (!e->tabs.listed || e->at_end.oom_kills)
        return;
    for (size_t i = 0; i < e->count; i++) {
        const struct observation *o = &e->observations[i];
        if (closes_otherwise(e, o))
            return;
        if (observation_is(o, "tab-open") && observation_claims(o))
            last = i;
        there += observation_is(o, "tab-open") && observation_claims(o);
        there -= observation_is(o, "tab-close") && !observation_refused(o) && there > 0;
    }
    if (e->tabs.open >= there)
        return;
    judge_say(out, e, slug, last, EFFECT_WRONG, "tabs that were acknowledged are not there", "tabs are lost without a word",
              arena_printf(out->arena, "%zu tabs were opened and not closed, each of them acknowledged; the browser lists %u -> sandbox",
                           there, e->tabs.open));
}

/* The most that the processes took while tabs were closed; none were left open beyond those of the beginning. */
static uint64_t peak_of_cycles(const struct execution *e)
{
    size_t opened = 0, closes = 0;
    uint64_t peak = 0;
    for (size_t i = 0; i < e->count; i++) {
        const struct observation *o = &e->observations[i];
        opened += observation_is(o, "tab-open") && !observation_refused(o);
        closes += observation_is(o, "tab-close") && observation_claims(o);
        peak = o->usage.pss > peak ? o->usage.pss : peak;
    }
    return closes >= opened ? peak : 0;
}

static void judge_closing(const struct execution *e, struct verdicts *out)
{
    uint64_t first = memory_at_first(e), peak = peak_of_cycles(e), end = e->tabs.settled;
    if (!first || !end || peak < first + KEPT_LEAST || end < first + (peak - first) / 5 * 4)
        return;
    judge_say_op(out, e, slug, e->count - 1, "tab-close", EFFECT_WRONG, "closed tabs keep their memory",
                 "closing tabs does not give their memory back",
                 arena_printf(out->arena,
                              "all tabs that were opened were closed; the browser's processes took %llu MiB at first, %llu MiB at most, and "
                              "%llu MiB when they had time to go -> sandbox",
                              (unsigned long long)first / MIB, (unsigned long long)peak / MIB, (unsigned long long)end / MIB));
}

static void judge(const struct execution *e, struct verdicts *out)
{
    size_t opened = 0;
    bool refused = false, said = false;
    for (size_t i = 0; i < e->count; i++) {
        const struct observation *o = &e->observations[i];
        bool opens = observation_is(o, "tab-open");
        refused = refused || (opens && observation_refused(o));
        if (opens && !said)
            said = judge_one(e, out, i, opened);
        opened += opens && observation_claims(o);
        if (!refused && o->usage.pss)
            judge_memory(e, out, i, opened);
    }
    judge_count(e, out);
    judge_closing(e, out);
}

const struct check check_tab_flood = {
    slug, "C85", "browser", "each tab opens in time or is refused clearly, has a name of its own, stays, and there is a limit", judge};
