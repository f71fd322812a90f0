/* What one call leaves for the next. A directory that was given to one call is that call's, and what a program sets in one session is no
 * matter of another. Whether a variable that a program set is there in the next call of its own session is the sandbox's contract. */
#include "exec/oracle/checks/checks.h"
#include "exec/oracle/symptom.h"

#include <string.h>

static const char slug[] = "state-between-calls";

enum { VALUE_LEAST = 6 };

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

static bool next_line(struct bytes text, size_t *at, struct bytes *line)
{
    if (*at >= text.len)
        return false;
    size_t from = *at, end = from;
    while (end < text.len && text.data[end] != '\n')
        end++;
    *at = end + 1;
    *line = bytes_slice(text, from, end);
    return true;
}

static bool has_line(struct bytes text, struct bytes wanted)
{
    struct bytes line;
    for (size_t at = 0; next_line(text, &at, &line);)
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

/* Both programs print the directory they run in. The first was given one and printed it; so does the second, which was given none and
 * does not name it. */
static bool sticks(const struct execution *e, size_t given, size_t later)
{
    const struct observation *a = &e->observations[given], *b = &e->observations[later];
    struct bytes name = path_name(observation_argument(a, "cwd")), line;
    bool both = ended_well(e, given) && ended_well(e, later) && tells_directory(a) && tells_directory(b);
    if (!both || name.len == 0 || bytes_equal_string(name, "..") || json_get(b->args, "cwd") ||
        bytes_find(observation_script(b), name, 0) >= 0)
        return false;
    for (size_t at = 0; next_line(printed(b), &at, &line);)
        if (ends_in(line, name) && has_line(printed(a), line))
            return true;
    return false;
}

static void judge_directory(const struct execution *e, struct verdicts *out, size_t later)
{
    for (size_t i = later; i-- > 0;) {
        const struct observation *a = &e->observations[i], *b = &e->observations[later];
        bool same = strcmp(a->step->session, b->step->session) == 0;
        if (!sticks(e, i, later))
            continue;
        judge_say(out, e, slug, later, EFFECT_WRONG,
                  same ? "a directory given to one call stays for the next" : "a directory given to a call of another session is used",
                  "a call runs in the directory that was given to another",
                  arena_printf(out->arena,
                               "step %s run was given a directory and printed its path; step %s run was given none and printed the same "
                               "path -> sandbox",
                               a->step->id, b->step->id));
        return;
    }
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
    next_line(script, &at, &line);
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

static void judge_variable(const struct execution *e, struct verdicts *out, size_t set, size_t later)
{
    const struct observation *a = &e->observations[set], *b = &e->observations[later];
    struct bytes name, value;
    if (!ended_well(e, set) || !ended_well(e, later) || !exported(observation_script(a), &name, &value) ||
        bytes_find(observation_script(b), name, 0) < 0 || bytes_find(printed(b), value, 0) < 0 ||
        told_otherwise(e, set, later, value))
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
static void judge_forgotten(const struct execution *e, struct verdicts *out, size_t set, size_t later)
{
    const struct observation *a = &e->observations[set], *b = &e->observations[later];
    struct bytes name, value;
    if (policy_says(e->policy, POLICY_CALLS_KEEP) != POLICY_YES || strcmp(a->step->session, b->step->session) != 0)
        return;
    if (!ended_well(e, set) || !ended_well(e, later) || !is_plain(a) || !is_plain(b) ||
        !exported(observation_script(a), &name, &value) || !prints_variable(b, name) || changed_between(e, set, later, name) ||
        bytes_find(printed(b), value, 0) >= 0)
        return;
    judge_say(out, e, slug, later, EFFECT_WRONG, "a variable set in one call is gone in the next",
              "what a program sets does not stay for the next call, as is promised",
              arena_printf(out->arena, "the program of step %s set a variable and ended well; that of step %s, in the same session, prints it "
                           "and its value is not there -> sandbox", a->step->id, b->step->id));
}

static void judge(const struct execution *e, struct verdicts *out)
{
    for (size_t i = 1; i < e->count; i++) {
        judge_directory(e, out, i);
        for (size_t k = 0; k < i; k++) {
            judge_variable(e, out, k, i);
            judge_forgotten(e, out, k, i);
        }
    }
}

const struct check check_state_between_calls = {slug, "C49", "session", "what one call leaves for the next is as documented", judge};
