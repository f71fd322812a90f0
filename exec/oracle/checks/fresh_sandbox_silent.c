/* A handle of an earlier session that is answered as if all were well: the job it names was still asleep when
 * its session ended, or had been told to have failed, and is told as one that ended with status 0. Either it is
 * known and its end is told as it was, or the handle is not known, which must be said. */
#include "exec/oracle/checks/checks.h"
#include "exec/oracle/job.h"

static const char slug[] = "fresh-sandbox-silent";

static const double SECOND = 1e9;

static bool ended_with(const struct observation *o, int64_t *status)
{
    return json_as_integer(json_get(o->outcome.result, "exit"), status) && !json_as_bool(json_get(o->outcome.result, "running"), false);
}

static bool asks_for(const struct execution *e, size_t i, size_t *start)
{
    static const char *const asks[] = {"poll", "wait", NULL};
    const struct observation *o = &e->observations[i];
    *start = observation_is_any(o, asks) && observation_claims(o) ? job_of(e, i) : e->count;
    return *start < e->count;
}

/* How the job was told to have ended before step `until`; 0 when nobody had said, or well. */
static int64_t told_before(const struct execution *e, size_t start, size_t until)
{
    for (size_t i = start + 1; i < until; i++) {
        size_t of;
        int64_t status;
        if (asks_for(e, i, &of) && of == start && ended_with(&e->observations[i], &status))
            return status;
    }
    return 0;
}

/* Why the job of step `start` cannot have ended well; NULL: it can. */
static const char *cannot_be(const struct execution *e, size_t start, size_t i, struct arena *a)
{
    const struct outcome *now = &e->observations[i].outcome, *from = &e->observations[start].outcome;
    int64_t told = told_before(e, start, i);
    if (told)
        return arena_printf(a, "had been told to have ended with status %lld", (long long)told);
    double passed = (double)(now->start_ns + now->ns - from->start_ns) / SECOND, needs = job_seconds(&e->observations[start]);
    if (!from->start_ns || passed + 1 >= needs || job_may_be_killed(e, start, i))
        return NULL;
    return arena_printf(a, "sleeps for %.0f s, of which %.1f had passed", needs, passed);
}

static void judge(const struct execution *e, struct verdicts *out)
{
    for (size_t i = 0; i < e->count; i++) {
        const struct observation *o = &e->observations[i];
        int64_t status;
        size_t start;
        if (!asks_for(e, i, &start) || !job_lost_session(e, start, i) || step_mutated(e, o->step) || !ended_with(o, &status) || status != 0)
            continue;
        const char *why = cannot_be(e, start, i, out->arena);
        if (why)
            judge_say_op(out, e, slug, i, "poll", EFFECT_NONE, "a job of an earlier session is told as ended well",
                         "what an earlier session left is answered as if it were known",
                         arena_printf(out->arena,
                                      "the job of step %s %s, and its session ended; step %s %s says that it ended with status 0 -> interface",
                                      e->observations[start].step->id, why, o->step->id, o->step->op->name));
    }
}

const struct check check_fresh_sandbox_silent = {
    slug, "C81", "session", "a handle leads to the same sandbox, or the reply says that it is a new one",
    judge};
