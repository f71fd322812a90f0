/* Work that goes on after a signal that was to end it. Judged where the job's own text says that it sleeps for longer than has passed and
 * does nothing about signals, where no other step can have left a process, and by what did the work: processes that had no child of
 * their own before the signal. A shell of the target's that waits for the next command may well live on. */
#include "exec/oracle/checks/checks.h"
#include "exec/oracle/job.h"
#include "exec/oracle/symptom.h"

static const char slug[] = "interrupt-ineffective";

/* Signals whose default is the end, with the words of the detail. */
static const struct {
    const char *signal, *detail;
} endings[] = {
    {"INT", "work goes on after it was interrupted"},
    {"TERM", "work goes on after it was asked to end"},
    {"HUP", "work goes on after it was asked to end"},
    {"KILL", "work goes on after it was killed"},
};

static const char *detail_of(const struct observation *o)
{
    struct bytes name = observation_argument(o, "signal");
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++)
        if (bytes_equal_string(name.len ? name : BYTES_LITERAL("TERM"), endings[i].signal))
            return endings[i].detail;
    return NULL;
}

/* Some other step up to `index` may have left a process behind. */
static bool others_may_live(const struct execution *e, size_t start, size_t index)
{
    static const char *const harmless[] = {"poll", "wait",   "signal", "idle",   "read",     "write",    "append", "list", "stat",
                                           "mkdir", "move", "copy",   "remove", "download", "upload", "edit",     "chmod", NULL};
    for (size_t i = 0; i <= index; i++) {
        const struct observation *o = &e->observations[i];
        bool gone = o->outcome.class == OUTCOME_SKIPPED || i == start;
        bool quiet = observation_is_any(o, harmless) ||
                     (observation_is(o, "run") && observation_claims(o) && !script_in_background(observation_script(o)));
        if ((!gone && !quiet) || o->outcome.fault || o->step->cancel_after_ms >= 0 || o->outcome.class == OUTCOME_TIMEOUT)
            return true;
    }
    return false;
}

/* It would sleep on for a second at least, if nothing had ended it. */
static bool has_more_to_do(const struct observation *start, const struct observation *signal)
{
    double passed = (double)(signal->outcome.start_ns + signal->outcome.ns - start->outcome.start_ns) / 1e9;
    return job_seconds(start) > passed + 3;
}

static bool ineffective(const struct execution *e, size_t i, size_t start)
{
    const struct observation *o = &e->observations[i], *job = &e->observations[start];
    return !job->outcome.lowered && !job->in_group && !o->in_group && o->jobs.before > 0 && has_more_to_do(job, o) &&
           !symptom_program(job, "nohup|setsid|SIG|signal") && !step_mutated(e, job->step) && !step_mutated(e, o->step) &&
           !others_may_live(e, start, i);
}

static void judge(const struct execution *e, struct verdicts *out)
{
    for (size_t i = 0; i < e->count; i++) {
        const struct observation *o = &e->observations[i];
        bool sent = observation_is(o, "signal") && observation_claims(o) && !o->outcome.lowered && o->jobs.looked;
        const char *detail = sent && o->jobs.spared ? detail_of(o) : NULL;
        size_t start = detail ? job_of(e, i) : e->count;
        if (start >= e->count || !ineffective(e, i, start))
            continue;
        judge_say(out, e, slug, i, EFFECT_WRONG, detail, detail,
                  arena_printf(out->arena,
                               "step %s signal claims success; %u of the %u processes of the job of step %s, which would sleep for "
                               "%.0f s, still lived, seen from outside, when the time they were given was over -> sandbox",
                               o->step->id, (unsigned)o->jobs.spared, (unsigned)o->jobs.before, e->observations[start].step->id,
                               job_seconds(&e->observations[start])));
        return;
    }
}

const struct check check_interrupt_ineffective = {slug, "C48", "process", "what is interrupted stops soon", judge};
