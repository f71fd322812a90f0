/* A time limit that is not kept. Late: a loop that leaves a line behind ten times a second, say, has left so many that it ran long after its
 * limit, whether the call was answered then or never; that is counted in sleeps, so a slow machine makes it less. Early: the reply says
 * that time ran out long before it did. A target may take its time to end a program that does not want to end; these do. */
#include "exec/oracle/checks/checks.h"
#include "exec/oracle/deadline.h"
#include "exec/oracle/fatal.h"

static const char slug[] = "deadline-wrong";

enum {
    LATE_MS = 1500,      /* more than the limit */
    EARLIEST_MS = 500,   /* limits that are shorter are not judged for coming early */
    EARLY_OF_LONG = 3000 /* so early may no lower limit of the target's own come, where the task asked for a long one */
};

/* The target was not stuck: something else was answered after it. */
static bool answers_others(const struct execution *e, size_t index)
{
    bool control = e->control.made && e->control.answered && e->control.after_step >= index;
    for (size_t i = index + 1; i < e->count && !control; i++)
        control = e->observations[i].outcome.class == OUTCOME_OK;
    return control && !control_failed(e);
}

static void judge_late(const struct execution *e, struct verdicts *out, size_t i)
{
    const struct observation *o = &e->observations[i];
    double every_s, ran_s = heartbeat_of(o, &every_s) ? heartbeat_seen(e, i, every_s) : 0;
    enum outcome_class c = o->outcome.class;
    bool ended = c == OUTCOME_OK || c == OUTCOME_TIMEOUT || observation_refused(o);
    if (!ended || ran_s * 1000 < (double)(o->outcome.told_ms + LATE_MS) || reply_says_goes_on(o) || !answers_others(e, i))
        return;
    judge_say(out, e, slug, i, EFFECT_WRONG, "a program runs on after its time limit", "a time limit is not kept",
              arena_printf(out->arena,
                           "step %s run: the tool was told a limit of %lld ms; the file shows that the program had run %.1f s at the least "
                           "when the call was over after %.1f s (%s) -> sandbox",
                           o->step->id, (long long)o->outcome.told_ms, ran_s, (double)o->outcome.ns / 1e9, outcome_class_name(c)));
}

static void judge_early(const struct execution *e, struct verdicts *out, size_t i)
{
    const struct observation *o = &e->observations[i];
    struct sleeper s;
    double every_s;
    int64_t ms = o->outcome.ns / 1000000, told = o->outcome.told_ms;
    bool known = sleeper_of(o, &s) || heartbeat_of(o, &every_s);
    bool answered = o->outcome.class == OUTCOME_OK || observation_refused(o);
    bool early = told >= EARLIEST_MS && ms < told - told / 3 && ms < EARLY_OF_LONG;
    if (!known || !answered || !early || !reply_says_time(o) || reply_says_goes_on(o))
        return;
    judge_say(out, e, slug, i, EFFECT_UNSEEN, "time is said to be over before it is", "a time limit comes early",
              arena_printf(out->arena, "step %s run: the tool was told a limit of %lld ms, and said after %lld ms that time had run out",
                           o->step->id, (long long)told, (long long)ms));
}

static void judge(const struct execution *e, struct verdicts *out)
{
    for (size_t i = 0; i < e->count; i++) {
        if (!limited_run(e, i))
            continue;
        judge_late(e, out, i);
        judge_early(e, out, i);
    }
}

const struct check check_deadline_wrong = {slug, "C39", "time", "a deadline comes when it was asked for", judge};
