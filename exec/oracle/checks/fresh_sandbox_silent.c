/* A handle of an earlier session that is answered as if all were well: the job it names was still asleep when
 * its session ended, and is told as one that ended with status 0. Either it is known and its end is told as
 * it was, or the handle is not known, which must be said. */
#include "exec/oracle/checks/checks.h"
#include "exec/oracle/job.h"

static const char slug[] = "fresh-sandbox-silent";

static const double SECOND = 1e9;

static void judge(const struct execution *e, struct verdicts *out)
{
    static const char *const asks[] = {"poll", "wait", NULL};
    for (size_t i = 0; i < e->count; i++) {
        const struct observation *o = &e->observations[i];
        int64_t status;
        size_t start = observation_is_any(o, asks) && observation_claims(o) ? job_of(e, i) : e->count;
        if (start >= e->count || !job_lost_session(e, start, i) || step_mutated(e, o->step) ||
            job_may_be_killed(e, start, i))
            continue;
        const struct outcome *from = &e->observations[start].outcome;
        double passed = (double)(o->outcome.start_ns + o->outcome.ns - from->start_ns) / SECOND,
               needs = job_seconds(&e->observations[start]);
        bool ended_well = json_as_integer(json_get(o->outcome.result, "exit"), &status) && status == 0 &&
                          !json_as_bool(json_get(o->outcome.result, "running"), false);
        if (!ended_well || !from->start_ns || passed + 1 >= needs)
            continue;
        judge_say_op(
            out, e, slug, i, "poll", EFFECT_NONE, "a job of an earlier session is told as ended well",
            "what an earlier session left is answered as if it were known",
            arena_printf(out->arena,
                         "the job of step %s sleeps for %.0f s, and its session ended; %.1f s after its "
                         "start step %s %s says that it ended "
                         "with status 0 -> interface",
                         e->observations[start].step->id, needs, passed, o->step->id, o->step->op->name));
    }
}

const struct check check_fresh_sandbox_silent = {
    slug, "C81", "session", "a handle leads to the same sandbox, or the reply says that it is a new one",
    judge};
