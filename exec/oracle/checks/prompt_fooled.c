/* A command that prints what looks like a prompt, or like the mark by which a tool knows the end of a command: its reply ends there, or
 * never comes. */
#include "exec/oracle/checks/checks.h"
#include "exec/oracle/fatal.h"
#include "exec/oracle/script.h"

static const char slug[] = "prompt-fooled";

/* The command ends at once, and plain calls are answered. */
static bool never_over(const struct execution *e, const struct observation *o)
{
    struct script_traits t;
    bool quick = script_traits_of(o, &t) && !t.background && !t.foreground_slow && !t.reads_input;
    return observation_is(o, "run") && o->outcome.class == OUTCOME_TIMEOUT && observation_lost(o) && quick && !o->outcome.fault &&
           !o->in_group && command_prints_prompt(o) && e->control.made && e->control.answered;
}

static void judge(const struct execution *e, struct verdicts *out)
{
    command_report(e, out, slug, COMMAND_FOOLED, "output ends at what looks like a prompt",
                   "a command's output ends at what looks like a prompt");
    for (size_t i = 0; i < e->count; i++)
        if (never_over(e, &e->observations[i]))
            judge_say(out, e, slug, i, EFFECT_NONE, "a command that prints a prompt is never over",
                      "a command that prints something like a prompt is never over",
                      arena_printf(out->arena,
                                   "step %s run prints what looks like a prompt and ends; there was no answer within %.1f s, while a plain "
                                   "call is answered -> interface",
                                   e->observations[i].step->id, (double)e->observations[i].outcome.ns / 1e9));
}

const struct check check_prompt_fooled = {slug, "C46", "process", "the end of a command is recognised whatever it prints", judge};
