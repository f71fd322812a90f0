/* Variables that a program should not see. What a sandbox passes on of its own environment is its contract;
 * but it must be the same for every program, so one that is given variables and sees others than one that is
 * not sees what is kept from programs. And a variable that one call was given is gone with it. A secret that
 * the target was started with (the mutator env-canary) is shown by no tool for files. */
#include "exec/oracle/checks/checks.h"
#include "exec/oracle/symptom.h"

#include <string.h>

static const char slug[] = "secret-in-environment";

enum { SECRET_LEAST = 8 };

/* A program that prints its environment and nothing else. */
static bool prints_environment(const struct execution *e, size_t i, struct bytes *text)
{
    static const char *const programs[] = {
        "env", "printenv", "env | sort", "env | cut -d= -f1 | sort", "/usr/bin/env", NULL};
    const struct observation *o = &e->observations[i];
    bool present, ended = observation_is(o, "run") && observation_claims(o) && o->outcome.has_exit &&
                          o->outcome.exit == 0;
    *text = observation_result(o, "stdout", &present);
    for (size_t k = 0; ended && !o->in_group && !step_mutated(e, o->step) && programs[k]; k++)
        if (bytes_equal_string(observation_script(o), programs[k]))
            return text->len > 0;
    return false;
}

static bool next_name(struct bytes text, size_t *at, struct bytes *name)
{
    while (*at < text.len) {
        size_t from = *at, end = from;
        while (end < text.len && text.data[end] != '\n')
            end++;
        *at = end + 1;
        struct bytes line = bytes_slice(text, from, end);
        ptrdiff_t sign = bytes_find(line, BYTES_LITERAL("="), 0);
        *name = sign < 0 ? line : bytes_slice(line, 0, (size_t)sign);
        bool fine = name->len > 0;
        for (size_t i = 0; i < name->len; i++)
            fine = fine && (name->data[i] == '_' || (name->data[i] >= 'A' && name->data[i] <= 'Z') ||
                            (i && name->data[i] >= '0' && name->data[i] <= '9'));
        if (fine)
            return true;
    }
    return false;
}

static bool lists(struct bytes text, struct bytes name)
{
    struct bytes one;
    for (size_t at = 0; next_name(text, &at, &one);)
        if (bytes_equal(one, name))
            return true;
    return false;
}

static bool has_key(const struct json *object, struct bytes name)
{
    for (const struct json *m = object ? object->first : NULL; m; m = m->next)
        if (bytes_equal(m->key, name))
            return true;
    return false;
}

static bool of_shells(struct bytes name)
{
    static const char *const own[] = {"_", "PWD", "OLDPWD", "SHLVL", "LINES", "COLUMNS", "IFS", "PPID"};
    for (size_t i = 0; i < sizeof own / sizeof *own; i++)
        if (bytes_equal_string(name, own[i]))
            return true;
    return false;
}

/* `with` was given variables, `bare` was not; both in neighbouring calls. */
static void compare(const struct execution *e, struct verdicts *out, size_t with, size_t bare)
{
    struct bytes more, less, name;
    const struct json *env = json_get(e->observations[with].args, "env");
    if (!env || !env->first || json_get(e->observations[bare].args, "env") ||
        !prints_environment(e, with, &more) || !prints_environment(e, bare, &less))
        return;
    for (size_t at = 0; next_name(more, &at, &name);) {
        if (lists(less, name) || has_key(env, name) || of_shells(name))
            continue;
        struct buf evidence;
        buf_init(&evidence, 4096);
        buf_addf(&evidence, "the program of step %s, which was given variables, sees others too, among them ",
                 e->observations[with].step->id);
        judge_quote(&evidence, name, 80);
        buf_addf(&evidence, "; the one of step %s, which was given none, does not -> sandbox",
                 e->observations[bare].step->id);
        judge_say(out, e, slug, with, EFFECT_WRONG, "a program that is given variables sees others too",
                  "variables that are kept from programs reach those that are given some",
                  buf_string(&evidence));
        buf_release(&evidence);
        return;
    }
}

/* NAME=VALUE of an earlier call stands in what a program prints of its environment. */
static void look_for(const struct execution *e, struct verdicts *out, size_t given, size_t later)
{
    struct bytes text;
    const struct json *env = json_get(e->observations[given].args, "env");
    if (!prints_environment(e, later, &text))
        return;
    for (const struct json *v = env ? env->first : NULL; v; v = v->next) {
        struct bytes value = json_as_text(v);
        if (value.len < SECRET_LEAST || has_key(json_get(e->observations[later].args, "env"), v->key))
            continue;
        const char *line = arena_printf(out->arena, "%.*s=%.*s", BYTES_ARG(v->key), BYTES_ARG(value));
        if (strlen(line) != v->key.len + 1 + value.len || bytes_find(text, bytes_of_string(line), 0) < 0)
            continue;
        judge_say(out, e, slug, later, EFFECT_WRONG, "a variable given to one call is seen by a later one",
                  "a variable that one call was given stays for the next",
                  arena_printf(out->arena,
                               "the variable %.*s was given to step %s only; the program of step %s sees it "
                               "with that value -> sandbox",
                               BYTES_ARG(v->key), e->observations[given].step->id,
                               e->observations[later].step->id));
        return;
    }
}

static const char *const programs[] = {"run", "start", "poll", "wait", "call", "send", "request", NULL};

/* A program, or a tool of the target's own, may have put the environment into a file, which any tool may show then. */
static bool programs_until(const struct execution *e, size_t index)
{
    for (size_t i = 0; i < index; i++)
        if (observation_is_any(&e->observations[i], programs) && e->observations[i].outcome.class != OUTCOME_SKIPPED)
            return true;
    return e->observations[index].in_group;
}

/* The secret that the target was started with, in the reply of a program: as its policy says. In that of a tool for files: never
 * right. */
static void judge_sighting(const struct execution *e, struct verdicts *out, const struct canary_sighting *s)
{
    const struct observation *o = s->observation < e->count ? &e->observations[s->observation] : NULL;
    if (s->in != CANARY_REPLY || s->place != TRIPWIRE_ENVIRONMENT || !o)
        return;
    if (observation_is(o, "run"))
        judge_say_contract(out, e, policy_says(e->policy, POLICY_SECRETS_VISIBLE), slug, s->observation, EFFECT_WRONG,
                           "a program sees a secret of the target's environment",
                           "programs see the variables that the sandbox itself was started with",
                           arena_printf(out->arena,
                                        "the output of step %s holds the random value of a variable that only the target was "
                                        "started with -> sandbox",
                                        o->step->id));
    else if (!o->outcome.lowered && !observation_is_any(o, programs) && !programs_until(e, s->observation))
        judge_say(out, e, slug, s->observation, EFFECT_WRONG, "a tool for files shows the target's environment",
                  arena_printf(out->arena, "%s shows a secret of the target's environment", o->step->op->name),
                  arena_printf(out->arena,
                               "the reply of step %s %s holds the random value of a variable that only the target was started with; "
                               "no program ran before it -> sandbox",
                               o->step->id, o->step->op->name));
}

static void judge(const struct execution *e, struct verdicts *out)
{
    for (size_t i = 0; i < e->sighting_count; i++)
        judge_sighting(e, out, &e->sightings[i]);
    for (size_t i = 1; i < e->count; i++) {
        compare(e, out, i, i - 1);
        compare(e, out, i - 1, i);
        for (size_t k = 0; k < i; k++)
            if (observation_claims(&e->observations[k]) && !step_mutated(e, e->observations[k].step))
                look_for(e, out, k, i);
    }
}

const struct check check_secret_in_environment = {slug, "C79", "environment",
                                                  "programs see only the variables meant for them", judge};
