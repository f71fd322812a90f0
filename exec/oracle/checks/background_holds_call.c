/* A call that comes back only when what its script left in the background ends, or not at all. Judged for
 * shell scripts in which nothing in front can take time. */
#include "exec/oracle/checks/checks.h"
#include "exec/oracle/fatal.h"
#include "exec/oracle/script.h"

enum { LEAST_S = 2 };

static bool held(const struct execution *e, const struct observation *o, const struct script_traits *t)
{
    double seconds = (double)o->outcome.ns / 1e9;
    if (o->outcome.class == OUTCOME_OK)
        return t->background_s >= LEAST_S && seconds >= t->background_s - 0.2;
    bool never = o->outcome.class == OUTCOME_TIMEOUT && observation_lost(o) && !control_failed(e);
    return never && (t->background_s == 0 || t->background_s >= LEAST_S);
}

static void judge(const struct execution *e, struct verdicts *out)
{
    for (size_t i = 0; i < e->count; i++) {
        const struct observation *o = &e->observations[i];
        struct script_traits t;
        if (!observation_is(o, "run") || o->in_group || o->outcome.fault || !script_traits_of(o, &t))
            continue;
        if (t.background && !t.foreground_slow && !t.reads_input && held(e, o, &t))
            judge_say(
                out, e, "background-holds-call", i, EFFECT_NONE, "returns when the background child ends",
                "a call does not return before its background child ends",
                arena_printf(out->arena,
                             "step %s run: the script puts a command into the background and ends; the call "
                             "took %.1f s (%s) -> interface",
                             o->step->id, (double)o->outcome.ns / 1e9, outcome_class_name(o->outcome.class)));
    }
}

const struct check check_background_holds_call = {"background-holds-call", "C36", "process",
                                                  "a call returns when its shell does", judge};
