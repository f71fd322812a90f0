/* An error that does not say anything. A lowered command's silence is that command's, and not judged. */
#include "exec/oracle/checks/checks.h"

static bool blank(struct bytes text)
{
    for (size_t i = 0; i < text.len; i++)
        if (text.data[i] > ' ')
            return false;
    return true;
}

static void judge(const struct execution *e, struct verdicts *out)
{
    for (size_t i = 0; i < e->count; i++) {
        const struct observation *o = &e->observations[i];
        if (o->outcome.class != OUTCOME_TOOL_ERROR || o->outcome.lowered || o->outcome.truncated)
            continue;
        if (blank(o->outcome.message) && blank(o->outcome.raw))
            judge_say(out, e, "failure-unexplained", i, EFFECT_NONE, "an error without a word",
                      arena_printf(out->arena, "%s fails and does not say why", o->step->op->name),
                      arena_printf(out->arena,
                                   "step %s %s was answered by an error whose text is empty -> interface",
                                   o->step->id, o->step->op->name));
    }
}

const struct check check_failure_unexplained = {"failure-unexplained", "C83", "protocol",
                                                "a failure says what failed", judge};
