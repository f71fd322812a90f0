/* Reads what programs say about the sandbox they run in; see symptom.h. */
#include "exec/oracle/symptom.h"

#include <stdio.h>
#include <string.h>

#include "exec/oracle/expect.h"

bool symptom_words(struct bytes text, const char *words)
{
    for (const char *at = words; at; at = *at ? at + 1 : NULL) {
        size_t len = strcspn(at, "|");
        if (len && bytes_find(text, bytes_of(at, len), 0) >= 0)
            return true;
        at += len;
        if (!*at)
            return false;
    }
    return false;
}

bool symptom_program(const struct observation *o, const char *words)
{
    const struct json *argv = json_get(o->args, "argv");
    for (const struct json *word = json_is(argv, JSON_ARRAY) ? argv->first : NULL; word; word = word->next)
        if (symptom_words(json_as_text(word), words))
            return true;
    return symptom_words(observation_argument(o, "script"), words);
}

/* Did the task expect this status, or, with `any`, any other than 0? */
static bool status_expected(const struct execution *e, const struct observation *o, bool any)
{
    for (const struct json *x = e->task->expect ? e->task->expect->first : NULL; x; x = x->next) {
        int64_t status;
        if (bytes_equal_string(json_as_text(json_get(x, "step")), o->step->id) &&
            json_as_integer(json_get(x, "exit"), &status) && (any ? status != 0 : status == o->outcome.exit))
            return true;
    }
    return error_expected(e, o->step);
}

bool symptom_ended(const struct execution *e, size_t index)
{
    const struct observation *o = &e->observations[index];
    return observation_is(o, "run") && observation_claims(o) && o->outcome.has_exit && !step_mutated(e, o->step);
}

bool symptom_failed(const struct execution *e, size_t index)
{
    const struct observation *o = &e->observations[index];
    return symptom_ended(e, index) && o->outcome.exit != 0 && !status_expected(e, o, false);
}

/* What a step gave is not what the task expects of it. */
static bool expectation_fails(const struct execution *e, const struct observation *o, struct arena *a)
{
    for (const struct json *x = e->task->expect ? e->task->expect->first : NULL; x; x = x->next) {
        struct fact_report r;
        if (!bytes_equal_string(json_as_text(json_get(x, "step")), o->step->id))
            continue;
        expect_evaluate(e, x, a, &r);
        if (r.fact == FACT_FAILS)
            return true;
    }
    return false;
}

bool symptom_exception(const struct observation *o)
{
    bool present;
    struct bytes error = observation_result(o, "stderr", &present);
    return present && bytes_starts(error, BYTES_LITERAL("Traceback (most recent call last):\n"));
}

/* A reply that says 0 of a program that an exception ended, or that did not give what it should, has lost the status. */
static bool failed_whatever_the_status(const struct execution *e, size_t index, struct arena *a)
{
    const struct observation *o = &e->observations[index];
    bool present;
    if (!symptom_ended(e, index) || o->outcome.exit != 0 || status_expected(e, o, true))
        return false;
    return symptom_exception(o) || (observation_result(o, "stderr", &present).len && expectation_fails(e, o, a));
}

struct bytes symptom_printed(const struct observation *o, struct arena *a)
{
    bool has_error, has_output;
    struct bytes error = observation_result(o, "stderr", &has_error),
                 output = observation_result(o, "stdout", &has_output);
    if (!has_error && !has_output)
        return o->outcome.raw;
    if (!error.len || !output.len)
        return error.len ? error : output;
    struct buf both;
    buf_init(&both, error.len + output.len + 1);
    buf_add(&both, error);
    buf_add_byte(&both, '\n');
    buf_add(&both, output);
    struct bytes kept = arena_copy(a, buf_bytes(&both));
    buf_release(&both);
    return kept;
}

/* A text of the task has the number, be it in a file that the program runs: then it may have asked for it. */
static bool task_has_number(const struct task *t, int number)
{
    char digits[16];
    snprintf(digits, sizeof digits, "%d", number);
    for (size_t i = 0; i < t->step_count; i++)
        for (const struct json *v = t->steps[i].args; v; v = json_next(t->steps[i].args, v, true))
            if (json_is(v, JSON_STRING) && bytes_find(v->text, bytes_of_string(digits), 0) >= 0)
                return true;
    return false;
}

static bool shows(const struct execution *e, const struct observation *o, struct bytes printed, const struct symptom *s)
{
    if ((s->program && !symptom_program(o, s->program)) || (s->unless && symptom_program(o, s->unless)))
        return false;
    if (s->exit && (o->outcome.exit != s->exit || task_has_number(e->task, s->exit)))
        return false;
    if (s->said && (!symptom_words(printed, s->said) || symptom_program(o, s->also ? s->also : s->said)))
        return false;
    return !s->also || symptom_words(printed, s->also);
}

/* A line "probe SLUG: WORDS" with one of the words listed. */
static const char *probed(struct bytes printed, const struct symptoms *s)
{
    char begins[128];
    snprintf(begins, sizeof begins, "probe %s: ", s->slug);
    struct bytes words = bytes_of_string(begins);
    for (ptrdiff_t at = bytes_find(printed, words, 0); at >= 0;
         at = bytes_find(printed, words, (size_t)at + 1)) {
        struct bytes rest = bytes_slice(printed, (size_t)at + words.len, printed.len);
        if (at > 0 && printed.data[at - 1] != '\n')
            continue;
        for (size_t i = 0; s->probes[i]; i++)
            if (bytes_starts(rest, bytes_of_string(s->probes[i])))
                return s->probes[i];
    }
    return NULL;
}

/* The step is one that a mutation put in. */
static bool was_inserted(const struct execution *e, struct bytes step)
{
    for (const struct json *m = e->task->mutations->first; m; m = m->next)
        if (json_as_text(json_get(m, "at")).len == 0 && mutation_changes(m, step))
            return true;
    return false;
}

/* An earlier program was changed by a mutation: what it was to prepare for the probe may not be there. */
static bool prepared_otherwise(const struct execution *e, size_t index)
{
    for (const struct json *m = e->task->mutations ? e->task->mutations->first : NULL; m; m = m->next) {
        struct bytes at = json_as_text(json_get(m, "at")), step = json_as_text(json_get(m, "step"));
        bool program = bytes_starts(at, BYTES_LITERAL("/args/script")) || bytes_starts(at, BYTES_LITERAL("/args/argv"));
        for (size_t i = 0; program && !was_inserted(e, step) && i < index; i++)
            if (bytes_equal_string(step, e->observations[i].step->id))
                return true;
    }
    return false;
}

bool symptom_probe(const struct execution *e, size_t index, const char *line)
{
    const struct observation *o = &e->observations[index];
    if (prepared_otherwise(e, index))
        return false;
    return symptom_failed(e, index) ||
           (symptom_ended(e, index) && !status_expected(e, o, true) && bytes_find(observation_script(o), bytes_of_string(line), 0) >= 0);
}

static const char *detail_of(const struct execution *e, size_t index, struct bytes printed, const struct symptoms *s, struct arena *a)
{
    const struct observation *o = &e->observations[index];
    const char *detail = s->probes ? probed(printed, s) : NULL;
    if (detail && symptom_probe(e, index, detail))
        return detail;
    bool failed = symptom_failed(e, index) || failed_whatever_the_status(e, index, a);
    detail = NULL;
    for (const struct symptom *one = failed ? s->items : NULL; !detail && one && one->detail; one++)
        if (shows(e, o, printed, one))
            detail = one->detail;
    return detail;
}

void symptoms_report(const struct execution *e, struct verdicts *out, const struct symptoms *s)
{
    for (size_t i = 0; i < e->count; i++) {
        const struct observation *o = &e->observations[i];
        if (!symptom_ended(e, i))
            continue;
        struct bytes printed = symptom_printed(o, out->arena);
        const char *detail = detail_of(e, i, printed, s, out->arena);
        if (!detail)
            continue;
        size_t from = printed.len > 300 ? printed.len - 300 : 0;
        struct buf evidence;
        buf_init(&evidence, 4096);
        buf_addf(&evidence, "step %s run: inside the sandbox the program ended with status %d and printed ",
                 o->step->id, o->outcome.exit);
        judge_quote(&evidence, bytes_slice(printed, from, printed.len), 300);
        buf_add_string(&evidence, " -> sandbox");
        judge_say(out, e, s->slug, i, EFFECT_WRONG, detail, s->title, buf_string(&evidence));
        buf_release(&evidence);
    }
}
