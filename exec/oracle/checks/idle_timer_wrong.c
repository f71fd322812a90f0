/* Work in the background that is killed because nobody called for a while, and a shorter one than the policy states. Nothing in the task ends it, and
 * it did not run into a limit of memory; a poll or wait after the pause tells of a signal. */
#include "exec/oracle/checks/checks.h"
#include "exec/oracle/job.h"

static const char slug[] = "idle-timer-wrong";

enum { PAUSE_MS = 1000, OF_SIGNALS = 128, SIGNALS = 64 };

/* A pause after which the session should still be there. */
static bool paused(const struct execution *e, size_t from, size_t until)
{
    int64_t longest = 0, most;
    for (size_t i = from + 1; i <= until; i++) {
        int64_t ms = 0;
        const struct observation *o = &e->observations[i];
        if (observation_is(o, "idle"))
            json_as_integer(json_get(o->args, "ms"), &ms);
        ms = ms > o->step->after_ms ? ms : o->step->after_ms;
        longest = ms > longest ? ms : longest;
    }
    bool may_be_gone = policy_limits(e->policy, POLICY_SESSION_TIMEOUT, &most) && longest >= most;
    return longest >= PAUSE_MS && !may_be_gone;
}

static void judge(const struct execution *e, struct verdicts *out)
{
    static const char *const asks[] = {"poll", "wait", NULL};
    for (size_t i = 0; i < e->count; i++) {
        const struct observation *o = &e->observations[i];
        int64_t status;
        size_t start = observation_is_any(o, asks) && observation_claims(o) ? job_of(e, i) : e->count;
        bool killed = json_as_integer(json_get(o->outcome.result, "exit"), &status) &&
                      ((status > OF_SIGNALS && status < OF_SIGNALS + SIGNALS) ||
                       (status < 0 && status > -SIGNALS));
        if (start >= e->count || !killed || !paused(e, start, i) || job_may_be_killed(e, start, i) ||
            job_lost_session(e, start, i) || step_mutated(e, o->step))
            continue;
        judge_say_op(
            out, e, slug, i, "start", EFFECT_WRONG, "work in the background is killed while nobody calls",
            "work in the background is killed while nobody calls",
            arena_printf(out->arena,
                         "the job of step %s was left alone while it worked; step %s %s says that it ended "
                         "with status %lld, and nothing "
                         "in the task ends it -> sandbox",
                         e->observations[start].step->id, o->step->id, o->step->op->name, (long long)status));
        return;
    }
}

const struct check check_idle_timer_wrong = {slug, "C80", "time", "work in progress keeps a sandbox alive",
                                             judge};
