/* Work that was put into the background and ended before its time. A job that `start` began is kept by that op's own promise; what a
 * script left behind lives on where the sandbox says so, and a note tells where nobody has said. */
#include "exec/oracle/checks/checks.h"
#include "exec/oracle/job.h"
#include "exec/oracle/symptom.h"

#include <string.h>

static const char slug[] = "background-killed";

enum { PAUSE_NS = 1000000000 };

/* --- jobs --- */

/* A while without a call may be taken for the end of all interest, which idle-timer-wrong tells. */
static bool paused(const struct execution *e, size_t from, size_t until)
{
    int64_t last = e->observations[from].outcome.start_ns;
    for (size_t i = from + 1; i <= until; i++) {
        const struct observation *o = &e->observations[i];
        if (o->outcome.class == OUTCOME_SKIPPED || observation_is(o, "idle"))
            continue;
        if (o->outcome.start_ns - last >= PAUSE_NS)
            return true;
        last = o->outcome.start_ns;
    }
    return false;
}

/* It would work for a second at least when step `index` is sent. */
static bool has_more_to_do(const struct observation *start, const struct observation *o)
{
    return job_seconds(start) > (double)(o->outcome.start_ns - start->outcome.start_ns) / 1e9 + 1;
}

/* Its processes were seen at work when it had been started; before step `index` the session has none at all. */
static bool ended_early(const struct execution *e, size_t start, size_t index)
{
    const struct observation *job = &e->observations[start], *o = &e->observations[index];
    bool seen = job->jobs.looked && job->jobs.working && !job->outcome.lowered && !job->in_group && o->jobs.looked && !o->jobs.before;
    return seen && has_more_to_do(job, o) && !paused(e, start, index) && !job_may_be_killed(e, start, index) &&
           !job_lost_session(e, start, index);
}

static void judge_job(const struct execution *e, struct verdicts *out, size_t i)
{
    static const char *const asks[] = {"poll", "wait", NULL};
    size_t start = observation_is_any(&e->observations[i], asks) ? job_of(e, i) : e->count;
    if (start >= e->count || !ended_early(e, start, i))
        return;
    const struct observation *job = &e->observations[start];
    judge_say(out, e, slug, start, EFFECT_WRONG, "a job ends before its time", "a job that was started is ended while it works",
              arena_printf(out->arena,
                           "the job of step %s, which sleeps for %.0f s, had %u processes at work, seen from outside; before step %s, %.1f s "
                           "later, there was none, and nothing in the task ends it -> sandbox",
                           job->step->id, job_seconds(job), (unsigned)job->jobs.working, e->observations[i].step->id,
                           (double)(e->observations[i].outcome.start_ns - job->outcome.start_ns) / 1e9));
}

/* --- what scripts leave --- */

/* It may end with its call where the policy says that it does not outlive it. */
static enum policy_answer may_end(const struct policy *p)
{
    enum policy_answer lives = policy_says(p, POLICY_BACKGROUND_LIVES);
    return lives == POLICY_NO ? POLICY_YES : lives == POLICY_YES ? POLICY_NO : POLICY_UNSTATED;
}

/* The file that the probe waits for: what its script tests first. */
static struct bytes awaited(const struct observation *probe)
{
    static const char test[] = "! -s ";
    struct bytes script = observation_script(probe);
    ptrdiff_t at = bytes_find(script, bytes_of_string(test), 0);
    size_t from = at < 0 ? script.len : (size_t)at + strlen(test), end = from;
    while (end < script.len && !strchr(" ];&|\n", script.data[end]))
        end++;
    return bytes_slice(script, from, end);
}

/* An earlier call that succeeded speaks of it: one that nobody left out of the task. */
static bool was_left(const struct execution *e, size_t probe)
{
    struct bytes file = awaited(&e->observations[probe]);
    bool left = false;
    for (size_t i = 0; i < probe && file.len && !left; i++)
        left = observation_is(&e->observations[i], "run") && e->observations[i].outcome.class == OUTCOME_OK &&
               bytes_find(observation_script(&e->observations[i]), file, 0) >= 0;
    return left;
}

/* The task's own probe waits for the sign of life that the work was to give. */
static void judge_probe(const struct execution *e, struct verdicts *out, size_t i)
{
    static const char line[] = "probe background-killed: work in the background does not go on";
    const struct observation *o = &e->observations[i];
    struct bytes printed = symptom_probe(e, i, line) ? symptom_printed(o, out->arena) : BYTES_NONE;
    ptrdiff_t at = bytes_find(printed, bytes_of_string(line), 0);
    if (at < 0 || (at > 0 && printed.data[at - 1] != '\n') || job_lost_session(e, 0, i) || !was_left(e, i))
        return;
    judge_say_contract(out, e, may_end(e->policy), slug, i, EFFECT_WRONG,
                       "work in the background does not outlive its call", "what a call leaves in the background does not live on",
                       arena_printf(out->arena,
                                    "an earlier call left a program in the background that was to write a file; that of step %s waited for "
                                    "the file in vain -> sandbox",
                                    o->step->id));
}

static void judge(const struct execution *e, struct verdicts *out)
{
    for (size_t i = 0; i < e->count; i++) {
        judge_job(e, out, i);
        judge_probe(e, out, i);
    }
}

const struct check check_background_killed = {slug, "C37", "process", "work in the background lives on where that is promised", judge};
