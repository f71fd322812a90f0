/* More memory than the policy states. Programs that the kernel killed for memory, in a reply that does not tell: status 0 or none, and no word
 * about it, though what the program should have printed is not there. A script may look after a child that
 * was killed; then its output is as expected. */
#include "exec/oracle/checks/checks.h"
#include "exec/oracle/expect.h"
#include "exec/oracle/limit.h"
#include "exec/oracle/symptom.h"

static const char slug[] = "memory-limit-hidden";

static bool fact_failed(const struct execution *e, size_t i, struct arena *a)
{
    for (const struct json *x = e->task->expect ? e->task->expect->first : NULL; x; x = x->next) {
        struct fact_report r;
        if (!bytes_equal_string(json_as_text(json_get(x, "step")), e->observations[i].step->id))
            continue;
        expect_evaluate(e, x, a, &r);
        if (r.fact == FACT_FAILS && r.observation == i)
            return true;
    }
    return false;
}

static void judge(const struct execution *e, struct verdicts *out)
{
    static const char told[] = "emory|MEMORY|illed|KILL|137|OOM|oom|signal|annot allocate|ENOMEM";
    limit_report(e, out, slug, POLICY_MEMORY);
    if (!e->at_start.made || !e->at_end.made || e->at_end.oom_kills <= e->at_start.oom_kills)
        return;
    for (size_t i = 0; i < e->count; i++) {
        const struct observation *o = &e->observations[i];
        bool ended = observation_is(o, "run") && observation_claims(o) &&
                     (!o->outcome.has_exit || o->outcome.exit == 0);
        if (!ended || step_mutated(e, o->step) || symptom_words(o->outcome.raw, told) ||
            symptom_words(symptom_printed(o, out->arena), told) || !fact_failed(e, i, out->arena))
            continue;
        judge_say(out, e, slug, i, EFFECT_RIGHT, "a program that ran out of memory is reported as ended well",
                  "a program that was killed for memory is reported as ended well",
                  arena_printf(out->arena,
                               "seen from outside, the kernel killed %u processes of the session for memory; "
                               "the reply to step %s run %s and says "
                               "nothing of it -> interface",
                               e->at_end.oom_kills - e->at_start.oom_kills, o->step->id,
                               o->outcome.has_exit ? "gives status 0" : "gives no status"));
    }
}

const struct check check_memory_limit_hidden = {slug, "C68", "memory",
                                                "running out of memory is reported as that", judge};
