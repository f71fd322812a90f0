/* Two tasks in one session; see join.h. Names that both use inside the record (steps, contents, groups) get fresh ones for the second; names of
 * files stay, since programs speak of them. */
#include "mutate/join.h"

#include <stdio.h>
#include <string.h>

#include "base/error.h"

enum { NAME_LEAST = 3, IDS_MAX = 256, NAME_MOST = 50 /* so that a longer one is still a name */ };

/* What the second task's names have become. */
struct names {
    const struct task *from;
    struct task *to;
    unsigned suffix;
    const char *steps[IDS_MAX]; /* by index in `from` */
};

static bool is_op(const struct task_step *step, const char *name)
{
    return strcmp(step->op->name, name) == 0;
}

/* The session that the second one's steps go to is there at the end of the first. */
static bool ends_open(const struct task *t)
{
    bool open = true;
    for (size_t i = 0; i < t->step_count; i++) {
        if (is_op(&t->steps[i], "close"))
            open = false;
        else if (is_op(&t->steps[i], "open") || is_op(&t->steps[i], "reopen"))
            open = true;
    }
    return open;
}

/* Does something to files that it does not name: damages what is stored, whatever that is, or takes the whole back to what it was. */
static bool touches_all(const struct task *t)
{
    static const char *const names[] = {"stage-damage", "snapshot", "restore", "fork"};
    for (size_t i = 0; i < t->step_count; i++)
        for (size_t k = 0; k < sizeof names / sizeof *names; k++)
            if (is_op(&t->steps[i], names[k]))
                return true;
    return false;
}

static bool starts_otherwise(const struct task *t)
{
    for (const struct json *m = t->mutations->first; m; m = m->next)
        if (bytes_starts(json_as_text(json_get(m, "at")), BYTES_LITERAL("/start/")))
            return true;
    return false;
}

/* Looks through the directory that both share. */
static bool looks_around(struct bytes text)
{
    static const char *const marks[] = {"listdir(\\\".\\\")", "listdir()", "find . ", "ls -A", "ls |", "du ", "walk(\\\".\\\")", "glob(\\\"*", "tar c", "git "};
    for (size_t i = 0; i < sizeof marks / sizeof *marks; i++)
        if (bytes_find(text, bytes_of_string(marks[i]), 0) >= 0)
            return true;
    return false;
}

static struct bytes last_name(struct bytes path)
{
    size_t end = path.len, start;
    while (end && path.data[end - 1] == '/')
        end--;
    for (start = end; start && path.data[start - 1] != '/'; start--)
        ;
    return bytes_slice(path, start, end);
}

/* A name so short occurs anywhere; then nobody can say. */
static bool occurs(struct bytes path, struct bytes text)
{
    struct bytes name = last_name(path);
    return name.len && (name.len < NAME_LEAST || bytes_find(text, name, 0) >= 0);
}

/* Some file that `t` names is spoken of in the text. */
static bool shares_file(const struct task *t, struct bytes text)
{
    static const char *const arguments[] = {"path", "to"};
    for (size_t i = 0; i < t->step_count; i++) {
        for (size_t k = 0; k < sizeof arguments / sizeof *arguments; k++) {
            const struct json *value = json_get(t->steps[i].args, arguments[k]);
            if (task_is_wrapper(value, "$path"))
                value = value->first;
            if (json_is(value, JSON_STRING) && !bytes_equal_string(value->text, ".") && occurs(value->text, text))
                return true;
        }
    }
    for (const struct json *e = t->expect->first; e; e = e->next)
        if (occurs(json_as_text(json_get(e, "file")), text))
            return true;
    return false;
}

/* Both start many processes, as many as a session may have: together they would be refused some. */
static bool both_flood(struct bytes a, struct bytes b)
{
    static const char mark[] = "taskgen-spawn-"; /* of the mutator process-spawn */
    return bytes_find(a, bytes_of_string(mark), 0) >= 0 && bytes_find(b, bytes_of_string(mark), 0) >= 0;
}

static bool names_may_grow(const struct task *t)
{
    bool may = true;
    for (const struct json *c = t->contents->first; c && may; c = c->next)
        may = c->key.len <= NAME_MOST;
    for (size_t i = 0; i < t->step_count && may; i++)
        may = !t->steps[i].group || strlen(t->steps[i].group) <= NAME_MOST;
    return may;
}

static bool go_together(const struct task *first, const struct task *second, const struct settings *settings)
{
    struct buf a, b;
    size_t most = (size_t)settings_int(settings, "generate.max-bytes");
    if (first->step_count + second->step_count > 2 * (size_t)settings_int(settings, "generate.max-steps") || !second->step_count ||
        !first->step_count || second->step_count > IDS_MAX || !ends_open(first) || !names_may_grow(second) || touches_all(first) ||
        touches_all(second) || (starts_otherwise(first) && starts_otherwise(second)))
        return false;
    buf_init(&a, most);
    buf_init(&b, most);
    task_write(first, &a);
    task_write(second, &b);
    bool may = !a.overflow && !b.overflow && a.len + b.len <= most && !looks_around(buf_bytes(&a)) && !looks_around(buf_bytes(&b)) &&
               !shares_file(first, buf_bytes(&b)) && !shares_file(second, buf_bytes(&a)) &&
               !both_flood(buf_bytes(&a), buf_bytes(&b));
    buf_release(&a);
    buf_release(&b);
    return may;
}

static const char *step_now(const struct names *n, struct bytes id)
{
    for (size_t i = 0; i < n->from->step_count; i++)
        if (bytes_equal_string(id, n->from->steps[i].id))
            return n->steps[i];
    return NULL;
}

/* What the second one's names of contents and groups end in: a number that the first has nowhere at the end of such a name, so that what was
 * joined before can be joined again. */
static unsigned free_suffix(const struct task *t)
{
    unsigned most = 0, number;
    char end;
    for (const struct json *c = t->contents->first; c; c = c->next) {
        const char *dash = memrchr(c->key.data, '-', c->key.len);
        struct bytes tail = dash ? bytes_slice(c->key, (size_t)(dash - (const char *)c->key.data), c->key.len) : BYTES_NONE;
        char text[16];
        snprintf(text, sizeof text, "%.*s", BYTES_ARG(tail));
        most = sscanf(text, "-j%u%c", &number, &end) == 1 && number > most && number < UINT16_MAX ? number : most;
    }
    for (size_t i = 0; i < t->step_count; i++) {
        const char *dash = t->steps[i].group ? strrchr(t->steps[i].group, '-') : NULL;
        most = dash && sscanf(dash, "-j%u%c", &number, &end) == 1 && number > most && number < UINT16_MAX ? number : most;
    }
    return most + 1;
}

static const char *content_name(const struct names *n, struct bytes name)
{
    return arena_printf(&n->to->arena, "%.*s-j%u", BYTES_ARG(name), n->suffix);
}

static void put_text(const struct names *n, struct json *value, const char *text)
{
    value->text = bytes_of_string(arena_string(&n->to->arena, bytes_of_string(text)));
}

/* References to steps and contents anywhere in a value. */
static void follow(const struct names *n, struct json *root)
{
    for (struct json *v = root; v;) {
        bool from = task_is_wrapper(v, "$from"), content = task_is_wrapper(v, "$content");
        if (from && step_now(n, v->first->text))
            put_text(n, v->first, step_now(n, v->first->text));
        else if (content)
            put_text(n, v->first, content_name(n, v->first->text));
        v = json_next(root, v, true);
    }
}

static void add_contents(struct names *n)
{
    struct arena *a = &n->to->arena;
    for (const struct json *c = n->from->contents->first; c; c = c->next) {
        struct json *copy = json_copy(a, c);
        follow(n, copy);
        json_set(a, n->to->contents, content_name(n, c->key), copy);
    }
}

static void add_steps(struct names *n)
{
    struct arena *a = &n->to->arena;
    for (size_t i = 0; i < n->from->step_count; i++) {
        const struct task_step *old = &n->from->steps[i];
        struct task_step *step = task_add_step(n->to, old->op, json_copy(a, old->args));
        n->steps[i] = step->id;
        const char *id = step->id;
        *step = *old;
        step->id = id;
        step->args = json_copy(a, old->args);
        step->session = arena_string(a, bytes_of_string(old->session));
        step->group = old->group ? arena_printf(a, "%s-j%u", old->group, n->suffix) : NULL;
    }
    for (size_t i = 0; i < n->from->step_count; i++) /* a step may refer to any earlier one */
        follow(n, task_find_step(n->to, n->steps[i])->args);
}

static void add_expectations(struct names *n)
{
    struct arena *a = &n->to->arena;
    for (const struct json *e = n->from->expect->first; e; e = e->next) {
        struct json *copy = json_add(n->to->expect, json_copy(a, e)), *step = json_get(copy, "step");
        follow(n, copy);
        if (step && step_now(n, json_as_text(step)))
            put_text(n, step, step_now(n, json_as_text(step)));
    }
}

/* Those that do something while the task runs. What the others did stands in the steps. */
static void add_mutations(struct names *n)
{
    struct arena *a = &n->to->arena;
    for (const struct json *m = n->from->mutations->first; m; m = m->next) {
        struct bytes at = json_as_text(json_get(m, "at"));
        const char *step = step_now(n, json_as_text(json_get(m, "step")));
        bool running = bytes_equal_string(at, "/frame") || bytes_equal_string(at, "/env") || bytes_starts(at, BYTES_LITERAL("/start/"));
        if (!running || !step)
            continue;
        struct json *copy = json_add(n->to->mutations, json_copy(a, m));
        put_text(n, json_get(copy, "step"), step);
        json_replace(json_get(copy, "before"), json_new(a, JSON_NULL)); /* it speaks of the second one's steps and expectations: not to be undone here */
    }
}

/* The wider of two limits; a limit that only one states stays as it is. */
static void widen_limits(struct names *n)
{
    struct arena *a = &n->to->arena;
    for (const struct json *limit = n->from->limits->first; limit; limit = limit->next) {
        int64_t mine = 0, theirs = 0;
        struct json *old = json_get_bytes(n->to->limits, limit->key);
        if (old && json_as_integer(old, &mine) && json_as_integer(limit, &theirs) && theirs > mine)
            json_replace(old, json_copy(a, limit));
        else if (!old)
            json_set_bytes(a, n->to->limits, arena_copy(a, limit->key), json_copy(a, limit));
    }
}

struct task *mutate_join(const struct task *first, const struct task *second, const struct settings *settings)
{
    if (!go_together(first, second, settings))
        return NULL;
    struct task *t = task_copy(first);
    struct names names = {.from = second, .to = t, .suffix = free_suffix(first)};
    add_contents(&names);
    add_steps(&names);
    add_expectations(&names);
    add_mutations(&names);
    widen_limits(&names);
    t->derivation = t->grammar_hash = "";
    t->instruction = arena_printf(&t->arena, "%s\n\nThen: %s", first->instruction, second->instruction);
    task_note_mutation(t, MUTATE_JOIN, names.steps[0], "",
                       arena_printf(&t->arena, "the steps of task %.8s of %s/%s follow", second->id, second->domain, second->workflow), NULL);
    task_identify(t);
    return t;
}
