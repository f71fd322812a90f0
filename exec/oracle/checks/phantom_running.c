/* A job that is told as running when all its processes have long ended. They were seen from outside when it had been started, so they
 * could be seen; and none of the session's was left for a while before the question, so that the target had time to notice. */
#include "exec/oracle/checks/checks.h"
#include "exec/oracle/job.h"

static const char slug[] = "phantom-running";

enum { NOTICED_MS = 400 };

/* The `start` of the job that a poll tells as running though nothing runs; e->count when it is not so. */
static size_t phantom_of(const struct execution *e, size_t i)
{
    const struct observation *o = &e->observations[i];
    bool told = observation_is(o, "poll") && observation_claims(o) && !o->outcome.lowered &&
                json_as_bool(json_get(o->outcome.result, "running"), false);
    if (!told || !o->jobs.looked || o->jobs.before || o->jobs.after || o->jobs.none_ms < NOTICED_MS)
        return e->count;
    size_t start = job_of(e, i);
    bool seen = start < e->count && e->observations[start].jobs.looked && e->observations[start].jobs.after > 0;
    return seen && !job_lost_session(e, start, i) ? start : e->count;
}

static void judge(const struct execution *e, struct verdicts *out)
{
    for (size_t i = 0; i < e->count; i++) {
        size_t start = phantom_of(e, i);
        if (start < e->count)
            judge_say(out, e, slug, i, EFFECT_RIGHT, "a job that has ended is told as running",
                      "a job that has ended is told as running",
                      arena_printf(out->arena,
                                   "the job of step %s had %u processes, seen from outside, when it had been started; for %.1f s before "
                                   "step %s poll the session had none, and the reply says that it is running -> interface",
                                   e->observations[start].step->id, (unsigned)e->observations[start].jobs.after,
                                   (double)e->observations[i].jobs.none_ms / 1e3, e->observations[i].step->id));
    }
}

const struct check check_phantom_running = {slug, "C42", "process", "a job is told as running exactly while it runs", judge};
