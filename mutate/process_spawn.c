/* process-spawn: programs that outlive the call that started them.
 *
 * The children only sleep, for a time that is short for a person and long for a session, under a name that
 * says whose they are ("taskgen-spawn-" and 8 hex digits), so that what is left over can be told from
 * everything else. Their number is bounded by budget.processes; each is a shell and a sleep. What the task's
 * own steps do is not changed, so every expectation stays. */
#include <string.h>

#include "gen/task_internal.h"
#include "mutate/mutate_internal.h"

/* How children are started; %s is the marker, the number of seconds comes after "sleep ". In all of them the
 * shell stays the sleep's parent (": " after it), so that its arguments, with the marker, can be seen. */
static const struct way {
    const char *kind, *line, *detail;
} ways[] = {
    {"background", "sh -c 'sleep %d; :' %s </dev/null >/dev/null 2>&1 &", "in the background"},
    {"held", "sh -c 'sleep %d; :' %s &", "in the background, with standard output and error still open"},
    {"nohup", "nohup sh -c 'sleep %d; :' %s </dev/null >/dev/null 2>&1 &", "under nohup"},
    {"setsid", "setsid sh -c 'sleep %d; :' %s </dev/null >/dev/null 2>&1 &", "in sessions of their own"},
    {"double-fork", "( sh -c 'sleep %d; :' %s </dev/null >/dev/null 2>&1 & )", "orphaned by a second fork"},
};

static const char *const kinds[] = {"background", "held", "nohup", "setsid", "double-fork", NULL};

enum { CHILDREN_MAX = 64, SECONDS_LOW = 20, SECONDS_HIGH = 60 };

static int64_t child_budget(const struct mutation *m)
{
    int64_t budget = settings_int(m->settings, "budget.processes"), limit;
    if (json_as_integer(json_get(m->task->limits, "processes"), &limit) && limit < budget)
        budget = limit;
    budget /= 4; /* two a child, and as many for the task itself */
    return budget < CHILDREN_MAX ? budget : CHILDREN_MAX;
}

/* Few as often as many. */
static int64_t pick_children(struct mutation *m)
{
    int64_t most = INT64_C(1) << rng_below(m->rng, 7), budget = child_budget(m);
    most = most < budget ? most : budget;
    return most < 1 ? 0 : rng_range(m->rng, 1, most);
}

static const struct way *way_of(const char *kind)
{
    for (size_t i = 0; kind && i < sizeof ways / sizeof *ways; i++)
        if (strcmp(ways[i].kind, kind) == 0)
            return &ways[i];
    return NULL;
}

/* The shell lines that start the children; `seconds` and marker are drawn. */
static const char *spawn_lines(struct mutation *m, const struct way *way, int64_t children)
{
    struct arena *a = &m->task->arena;
    int seconds = (int)rng_range(m->rng, SECONDS_LOW, SECONDS_HIGH);
    const char *marker = arena_printf(a, "taskgen-spawn-%08x",
                                      (unsigned)rng_below(m->rng, UINT64_C(1) << 32));
    struct buf line;
    buf_init(&line, 512);
    for (const char *at = way->line; *at; at++) {
        if (strncmp(at, "%d", 2) == 0)
            buf_addf(&line, "%d", seconds);
        else if (strncmp(at, "%s", 2) == 0)
            buf_add_string(&line, marker);
        else
            buf_add_byte(&line, (uint8_t)*at);
        at += *at == '%';
    }
    const char *text = buf_string(&line);
    const char *lines = children == 1
                            ? arena_printf(a, "%s\n", text)
                            : arena_printf(a, "i=0\nwhile [ $i -lt %lld ]; do\n%s\ni=$((i+1))\ndone\n",
                                           (long long)children, text);
    buf_release(&line);
    return lines;
}

bool script_can_wrap(const struct task_step *step)
{
    struct bytes language = json_as_text(json_get(step->args, "language"));
    struct json *script = json_get(step->args, "script");
    static const char *const words[] = {"wait",  "jobs", "$!",  "pgrep", "ps ",
                                        "set -", "$i",   "${i", "((",    "#!"};
    if (strcmp(step->op->name, "run") != 0 || !json_is(script, JSON_STRING) ||
        !(bytes_equal_string(language, "sh") || bytes_equal_string(language, "bash")))
        return false;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (bytes_find(script->text, bytes_of_string(words[i]), 0) >= 0)
            return false;
    return true;
}

static void wrap(struct mutation *m, size_t index, const struct way *way, int64_t children)
{
    struct task *t = m->task;
    struct change c;
    change_begin(&c, m, "process-spawn", index, "/args/script");
    struct buf script;
    buf_init(&script, SIZE_MAX);
    buf_add_string(&script, spawn_lines(m, way, children));
    buf_add(&script, json_get(t->steps[index].args, "script")->text);
    change_set(&c, json_string(&t->arena, buf_bytes(&script)));
    buf_release(&script);
    change_end(&c, "%s: the script first starts %lld sleeping child%s %s", way->kind, (long long)children,
               children == 1 ? "" : "ren", way->detail);
}

static void insert(struct mutation *m, size_t index, const struct way *way, int64_t children)
{
    struct task *t = m->task;
    struct json *args = json_new(&t->arena, JSON_OBJECT);
    struct json *argv = json_set(&t->arena, args, "argv", json_new(&t->arena, JSON_ARRAY));
    json_add(argv,
             json_text(&t->arena, "sh")); /* not a script: that would need a language the task may not need */
    json_add(argv, json_text(&t->arena, "-c"));
    json_add(argv, json_text(&t->arena, spawn_lines(m, way, children)));
    struct change c;
    change_begin(&c, m, "process-spawn", index, "");
    const char *session = t->steps[index].session;
    struct task_step *step = change_insert_step(&c, mutation_group_end(t, index), ops_find(m->ops, "run"),
                                                args);
    step->session = session;
    c.step = step->id;
    change_end(&c, "%s: a step that starts %lld sleeping child%s %s", way->kind, (long long)children,
               children == 1 ? "" : "ren", way->detail);
}

/* Only where the task runs programs anyway: a target without them is not to lose the task. */
static bool apply(struct mutation *m)
{
    struct task *t = m->task;
    const struct way *way = way_of(mutation_kind(m, kinds));
    int64_t children = pick_children(m);
    size_t runs = 0;
    for (size_t i = 0; i < t->step_count; i++)
        runs += strcmp(t->steps[i].op->name, "run") == 0;
    if (!way || !children || !runs)
        return false;
    uint64_t chosen = rng_below(m->rng, runs);
    size_t index = 0;
    while (strcmp(t->steps[index].op->name, "run") != 0 || chosen-- != 0)
        index++;
    if (script_can_wrap(&t->steps[index]) && rng_below(m->rng, 2))
        wrap(m, index, way, children);
    else
        insert(m, index, way, children);
    return true;
}

const struct mutator mutator_process_spawn = {
    .name = "process-spawn",
    .group = "step",
    .summary = "children that outlive the call: background, nohup, setsid, orphans, up to 64",
    .details = "Before a shell script or as a step of its own: background, held (standard output stays "
               "open), nohup, setsid, "
               "double-fork; 1 to 64 sleeps of 20 to 60 seconds whose shells have an argument "
               "\"taskgen-spawn-\" and 8 hex "
               "digits. Only in tasks that run programs.",
    .places = "",
    .kinds = "background held nohup setsid double-fork",
    .apply = apply,
};
