/* Exit statuses that a script's own text decides, and that the reply gives otherwise or not at all. A status
 * that is not 0 where 0 was expected is a failure, openly reported, and no matter of this check; nor are the
 * statuses by which shells and interpreters report failures of their own. */
#include "exec/oracle/checks/checks.h"
#include "exec/oracle/expect.h"
#include "exec/oracle/script.h"
#include "exec/oracle/symptom.h"

static const char slug[] = "exit-status-lost";

/* A file is as it must be, and this program alone could make it so: no other step names it, but to look at it. */
static bool made_a_file(const struct execution *e, size_t i, struct arena *a)
{
    static const char *const looks[] = {"read", "stat", "list", "download", "search", NULL};
    const struct observation *o = &e->observations[i];
    for (const struct json *x = e->task->expect ? e->task->expect->first : NULL; x; x = x->next) {
        struct fact_report r;
        expect_evaluate(e, x, a, &r);
        bool named = r.file.len && (bytes_find(observation_script(o), r.file, 0) >= 0 ||
                                    bytes_find(observation_argument(o, "stdin"), r.file, 0) >= 0);
        bool exists = !json_is(json_get(x, "exists"), JSON_FALSE);
        for (size_t k = 0; k < e->count && named; k++)
            named = k == i || observation_is_any(&e->observations[k], looks) || !observation_touches(&e->observations[k], r.file);
        if (named && exists && r.fact == FACT_HOLDS)
            return true;
    }
    return false;
}

/* A name that stands in the program turned up in the root while it ran. */
static bool named_appeared(const struct observation *o)
{
    for (size_t i = 0; i < o->appeared_count && !o->in_group; i++)
        if (bytes_find(observation_script(o), o->appeared[i], 0) >= 0)
            return true;
    return false;
}

/* A program that failed by its own text, and whose own words about that came through: it ran. */
static bool spoke_of_it(const struct observation *o)
{
    static const char *const words[] = {"Traceback (most recent call last)", "FAILED", "Error: ",          "error: ",
                                        "Error 1",                           ": not found", "command not found", "ermission denied"};
    bool has_error;
    struct bytes error = observation_result(o, "stderr", &has_error), text = has_error ? error : o->outcome.raw;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (bytes_find(text, bytes_of_string(words[i]), 0) >= 0 && bytes_find(observation_script(o), bytes_of_string(words[i]), 0) < 0)
            return true;
    return false;
}

/* A command that printed something ran, and no shell's reading of a script stands between it and its end. */
static bool command_printed(const struct observation *o)
{
    bool present;
    return json_is(json_get(o->args, "argv"), JSON_ARRAY) && observation_result(o, "stdout", &present).len > 0;
}

/* A Python program that an exception ended by its own last words, so its status is 1. Those of a child would look the same. */
static bool died(const struct observation *o)
{
    return bytes_equal_string(observation_argument(o, "language"), "python") && symptom_exception(o) &&
           !symptom_program(o, "fork|subprocess|Process|Popen|system(|raceback|stderr");
}

/* What its output tells of the program: as expected, so it ran to its end; otherwise, so the status is the least that went wrong, and
 * those who look at output have the word; or nothing is known. A program that makes no file had nothing to do but to end, and one that
 * tells of its failure has ended; one whose file is there has done it. */
static bool may_judge(const struct execution *e, size_t i, struct arena *a, enum effect *effect)
{
    const struct observation *o = &e->observations[i];
    bool ended = script_makes_nothing(o) || spoke_of_it(o) || command_printed(o);
    bool made = named_appeared(o) || made_a_file(e, i, a);
    *effect = ended ? EFFECT_NONE : made ? EFFECT_RIGHT : EFFECT_UNSEEN;
    for (const struct json *x = e->task->expect ? e->task->expect->first : NULL; x; x = x->next) {
        struct fact_report r;
        if (!json_get(x, "at") ||
            !bytes_equal_string(json_as_text(json_get(x, "step")), o->step->id))
            continue;
        expect_evaluate(e, x, a, &r);
        if (r.fact == FACT_FAILS && !died(o))
            return false;
        if (r.fact == FACT_HOLDS)
            *effect = EFFECT_NONE;
    }
    return true;
}

static const char *wrong_status(const struct observation *by, int64_t want)
{
    static const int of_shells[] = {1, 2, 126, 127};
    const struct outcome *o = &by->outcome;
    if (want == 0)
        return o->has_exit && o->exit == 0 && died(by) ? "success is given for a program that failed" : NULL;
    if (!o->has_exit)
        return "no exit status is given";
    if (o->exit == 0)
        return "success is given for a program that failed";
    for (size_t i = 0; i < sizeof of_shells / sizeof *of_shells; i++)
        if (o->exit == of_shells[i])
            return NULL;
    return o->exit == want ? NULL : "another exit status is given";
}

static void judge_one(const struct execution *e, struct verdicts *out, size_t i, int64_t want)
{
    const struct observation *o = &e->observations[i];
    const char *words = observation_claims(o) ? wrong_status(o, want) : NULL;
    if (!words || !calm_before(e, i) || step_mutated(e, o->step))
        return;
    enum effect effect;
    if (!may_judge(e, i, out->arena, &effect))
        return;
    const char *evidence = arena_printf(
        out->arena, "step %s %s ends with status %lld by its own %s; the reply %s%s -> %s", o->step->id,
        o->step->op->name, (long long)(want ? want : 1), want ? "text" : "last words, an exception", o->outcome.has_exit ? "says " : "says nothing",
        o->outcome.has_exit ? arena_printf(out->arena, "%d", o->outcome.exit) : "",
        layer_name(layer_of(effect)));
    judge_say(out, e, slug, i, effect, words, arena_printf(out->arena, "%s: %s", o->step->op->name, words),
              evidence);
}

static void judge(const struct execution *e, struct verdicts *out)
{
    for (const struct json *x = e->task->expect ? e->task->expect->first : NULL; x; x = x->next) {
        int64_t want;
        if (!json_as_integer(json_get(x, "exit"), &want))
            continue;
        for (size_t i = 0; i < e->count; i++)
            if (bytes_equal_string(json_as_text(json_get(x, "step")), e->observations[i].step->id))
                judge_one(e, out, i, want);
    }
}

const struct check check_exit_status_lost = {slug, "C31", "process",
                                             "the exit status in a reply is the program's", judge};
