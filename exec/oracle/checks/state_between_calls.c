/* What one call leaves for the next. A directory that was given to one call is that call's, and what a program sets in one session is no
 * matter of another. Whether a variable that a program set is there in the next call of its own session is the sandbox's contract. */
#include "exec/oracle/checks/checks.h"
#include "exec/oracle/line_index.h"
#include "exec/oracle/symptom.h"

#include <string.h>

static const char slug[] = "state-between-calls";

enum { VALUE_LEAST = 6 };

/* What a step that ended well leaves. Of a step that is repeated only the last time counts: steps are few and their repetitions many. */
struct source {
    size_t index;             /* of its observation */
    bool directory;           /* it was given one and tells it */
    struct bytes name, value; /* the variable that it sets; empty: none */
};

static bool ended_well(const struct execution *e, size_t i)
{
    const struct observation *o = &e->observations[i];
    return observation_is(o, "run") && observation_claims(o) && o->outcome.has_exit && o->outcome.exit == 0 && !o->in_group &&
           !step_mutated(e, o->step);
}

static struct bytes printed(const struct observation *o)
{
    bool present;
    struct bytes output = observation_result(o, "stdout", &present);
    return present ? output : o->outcome.raw;
}

static bool has_line(struct bytes text, struct bytes wanted)
{
    struct bytes line;
    for (size_t at = 0; line_next(text, &at, &line);)
        if (bytes_equal(line, wanted))
            return true;
    return false;
}

/* --- directories --- */

static bool ends_in(struct bytes line, struct bytes name)
{
    size_t start = line.len > name.len ? line.len - name.len : 0;
    return start > 0 && line.data[start - 1] == '/' && line.data[0] == '/' &&
           bytes_equal(bytes_slice(line, start, line.len), name);
}

static bool tells_directory(const struct observation *o)
{
    return symptom_program(o, "pwd|PWD|getcwd") && !symptom_program(o, "cd |chdir");
}

/* The later program prints the directory it runs in, was given none and does not name it; it is the one that `source` was given and
 * printed. */
static bool sticks(const struct observation *source, const struct observation *later)
{
    struct bytes name = path_name(observation_argument(source, "cwd")), line;
    if (!tells_directory(later) || json_get(later->args, "cwd") || bytes_find(observation_script(later), name, 0) >= 0)
        return false;
    for (size_t at = 0; line_next(printed(later), &at, &line);)
        if (ends_in(line, name) && has_line(printed(source), line))
            return true;
    return false;
}

static bool gives_directory(const struct observation *o)
{
    struct bytes name = path_name(observation_argument(o, "cwd"));
    return name.len > 0 && !bytes_equal_string(name, "..") && tells_directory(o);
}

static bool judge_directory(const struct execution *e, struct verdicts *out, size_t given, size_t later)
{
    const struct observation *a = &e->observations[given], *b = &e->observations[later];
    if (!sticks(a, b))
        return false;
    bool same = strcmp(a->step->session, b->step->session) == 0;
    judge_say(out, e, slug, later, EFFECT_WRONG,
              same ? "a directory given to one call stays for the next" : "a directory given to a call of another session is used",
              "a call runs in the directory that was given to another",
              arena_printf(out->arena,
                           "step %s run was given a directory and printed its path; step %s run was given none and printed the same "
                           "path -> sandbox",
                           a->step->id, b->step->id));
    return true;
}

/* --- variables --- */

/* "export NAME=VALUE" with a value that is a plain word. */
static bool exported(struct bytes script, struct bytes *name, struct bytes *value)
{
    static const struct bytes word = {(const uint8_t *)"export ", 7};
    ptrdiff_t found = bytes_find(script, word, 0);
    if (found < 0)
        return false;
    struct bytes line;
    size_t at = (size_t)found + word.len;
    line_next(script, &at, &line);
    ptrdiff_t sign = bytes_find(line, BYTES_LITERAL("="), 0);
    if (sign <= 0)
        return false;
    *name = bytes_slice(line, 0, (size_t)sign);
    *value = bytes_slice(line, (size_t)sign + 1, line.len);
    for (size_t i = 0; i < value->len; i++)
        if (!(value->data[i] >= 'a' && value->data[i] <= 'z') && value->data[i] != '-' &&
            !(value->data[i] >= '0' && value->data[i] <= '9'))
            return false;
    return value->len >= VALUE_LEAST;
}

static bool holds_text(const struct json *value, struct bytes text)
{
    if (bytes_find(json_as_text(value), text, 0) >= 0)
        return true;
    for (const struct json *below = value && value->kind != JSON_STRING ? value->first : NULL; below; below = below->next)
        if (bytes_find(json_as_text(below), text, 0) >= 0)
            return true;
    return false;
}

/* A program could read the value from somewhere else: a file, an argument, a variable that it was given. */
static bool told_otherwise(const struct execution *e, size_t from, size_t later, struct bytes value)
{
    for (size_t i = 0; i <= later; i++) {
        const struct observation *o = &e->observations[i];
        for (const struct json *v = i != from && o->args ? o->args->first : NULL; v; v = v->next)
            if (holds_text(v, value))
                return true;
        if (i != from && observation_is(o, "call"))
            return true;
    }
    return symptom_program(&e->observations[from], ">|profile|rc");
}

static void judge_variable(const struct execution *e, struct verdicts *out, const struct source *from, size_t later)
{
    const struct observation *a = &e->observations[from->index], *b = &e->observations[later];
    if (bytes_find(observation_script(b), from->name, 0) < 0 || bytes_find(printed(b), from->value, 0) < 0 ||
        told_otherwise(e, from->index, later, from->value))
        return;
    bool same = strcmp(a->step->session, b->step->session) == 0;
    const char *evidence = arena_printf(out->arena,
                                        "the program of step %s, session %s, set a variable and ended; that of step %s, session %s, sees "
                                        "it -> sandbox",
                                        a->step->id, a->step->session, b->step->id, b->step->session);
    if (same)
        judge_say_contract(out, e, policy_says(e->policy, POLICY_CALLS_KEEP), slug, later, EFFECT_WRONG,
                           "a variable set in one call is there in the next", "what a program sets stays for the next call", evidence);
    else
        judge_say(out, e, slug, later, EFFECT_WRONG, "a variable set in one session is there in another",
                  "what a program sets in one session is seen in another", evidence);
}

/* A script that the target's own shell is given as it stands: nothing of the call has to be put around it. */
static bool is_plain(const struct observation *o)
{
    static const char *const around[] = {"cwd", "stdin", "env"};
    bool plain = bytes_equal_string(observation_argument(o, "language"), "sh");
    for (size_t i = 0; i < sizeof around / sizeof *around; i++)
        plain = plain && !json_get(o->args, around[i]);
    return plain;
}

/* Another step between the two, or the later one itself, may have changed the variable, or began anew. */
static bool changed_between(const struct execution *e, size_t set, size_t later, struct bytes name)
{
    static const char *const anew[] = {"open", "close", "reopen", "restore", "resume", "fork", "call", "send", NULL};
    for (size_t i = set + 1; i < later; i++)
        if (observation_is_any(&e->observations[i], anew) || observation_lost(&e->observations[i]) ||
            bytes_find(observation_script(&e->observations[i]), name, 0) >= 0)
            return true;
    return symptom_program(&e->observations[later], "unset |export |read |=$");
}

/* "echo … $NAME" or "${NAME": it prints the variable. */
static bool prints_variable(const struct observation *o, struct bytes name)
{
    struct bytes script = observation_script(o);
    for (ptrdiff_t at = 0; (at = bytes_find(script, name, (size_t)at)) >= 0; at++) {
        uint8_t before = at > 0 ? script.data[at - 1] : 0;
        if (before == '$' || (before == '{' && at > 1 && script.data[at - 2] == '$'))
            return symptom_program(o, "echo|printf");
    }
    return false;
}

/* What was promised: it is there in the next call. */
static void judge_forgotten(const struct execution *e, struct verdicts *out, const struct source *from, size_t later)
{
    const struct observation *a = &e->observations[from->index], *b = &e->observations[later];
    if (policy_says(e->policy, POLICY_CALLS_KEEP) != POLICY_YES || strcmp(a->step->session, b->step->session) != 0)
        return;
    if (!is_plain(a) || !is_plain(b) || !prints_variable(b, from->name) || changed_between(e, from->index, later, from->name) ||
        bytes_find(printed(b), from->value, 0) >= 0)
        return;
    judge_say(out, e, slug, later, EFFECT_WRONG, "a variable set in one call is gone in the next",
              "what a program sets does not stay for the next call, as is promised",
              arena_printf(out->arena, "the program of step %s set a variable and ended well; that of step %s, in the same session, prints it "
                           "and its value is not there -> sandbox", a->step->id, b->step->id));
}

/* --- pairs of steps --- */

static void judge_pairs(const struct execution *e, struct verdicts *out, const struct source *sources, size_t count, size_t later)
{
    bool stuck = false;
    for (size_t k = count; k-- > 0;) {
        stuck = stuck || (sources[k].directory && judge_directory(e, out, sources[k].index, later));
        if (sources[k].name.len == 0)
            continue;
        judge_variable(e, out, &sources[k], later);
        judge_forgotten(e, out, &sources[k], later);
    }
}

/* What step `index` leaves takes the place of what the same step left the last time. */
static size_t keep_source(const struct execution *e, struct source *sources, size_t count, size_t index)
{
    const struct observation *o = &e->observations[index];
    struct source s = {.index = index, .directory = gives_directory(o)};
    if (!exported(observation_script(o), &s.name, &s.value))
        s.name = s.value = BYTES_NONE;
    if (!s.directory && s.name.len == 0)
        return count;
    size_t k = 0;
    while (k < count && e->observations[sources[k].index].step != o->step)
        k++;
    sources[k] = s;
    return k < count ? count : count + 1;
}

static void judge(const struct execution *e, struct verdicts *out)
{
    struct source *sources = arena_alloc(out->arena, e->count * sizeof *sources);
    size_t count = 0;
    for (size_t i = 0; i < e->count; i++) {
        if (!ended_well(e, i))
            continue;
        judge_pairs(e, out, sources, count, i);
        count = keep_source(e, sources, count, i);
    }
}

const struct check check_state_between_calls = {slug, "C49", "session", "what one call leaves for the next is as documented", judge};
