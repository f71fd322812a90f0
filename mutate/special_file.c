/* special-file: a step that looks at a file meets something else in its place: a pipe that nobody writes to, a socket, a device,
 * a directory, a terabyte that is a hole, a link that leads nowhere or to itself.
 *
 * The thing stands in a directory of its own, made by a step that is put in front, so that nothing else of the task comes upon
 * it by chance. Where the task stages files, it is staged; where it runs programs, a program makes it; other tasks are left
 * alone, since a target that can do neither would lose them. */
#include <string.h>

#include "gen/task_internal.h"
#include "mutate/mutate_internal.h"

#define DIRECTORY "taskgen-special"

enum { SHOWN = 60 };

static const struct variant {
    const char *kind, *words;
    const char *stage, *member, *value; /* the op that stages it, and its argument beside the path, as JSON */
    const char *script;                 /* what makes $1; NULL: programs cannot, or only when privileged */
} variants[] = {
    {"fifo", "a pipe that nobody writes to", "stage-fifo", NULL, NULL, "mkfifo \"$1\""},
    {"socket", "a socket that does not answer", "stage-socket", NULL, NULL, NULL},
    {"dead-socket", "a socket that nobody listens at", "stage-socket", "dead", "true", NULL},
    {"device", "the device zero", "stage-device", "kind", "\"zero\"", NULL},
    {"device", "the device random", "stage-device", "kind", "\"random\"", NULL},
    {"device", "the device full", "stage-device", "kind", "\"full\"", NULL},
    {"directory", "a directory", "stage-dir", NULL, NULL, "mkdir \"$1\""},
    {"sparse", "a hole of 1 TiB", "stage-sparse", "bytes", "1099511627776", "truncate -s 1T \"$1\""},
    {"loop", "a link to itself", "stage-symlink", "to", "\"it\"", "ln -s it \"$1\""},
    {"dangling", "a link to nothing", "stage-symlink", "to", "\"nothing-here\"", "ln -s nothing-here \"$1\""},
};

static const char *const kinds[] = {"fifo",   "socket", "dead-socket", "device", "directory",
                                    "sparse", "loop",   "dangling",    NULL};

static bool task_has(const struct task *t, const char *group, const char *op)
{
    for (size_t i = 0; i < t->step_count; i++)
        if (group ? strcmp(t->steps[i].op->group, group) == 0 : strcmp(t->steps[i].op->name, op) == 0)
            return true;
    return false;
}

static const struct variant *variant_of(struct mutation *m, const char *kind)
{
    const struct variant *chosen = NULL;
    size_t fitting = 0;
    for (size_t i = 0; kind && i < sizeof variants / sizeof *variants; i++)
        if (strcmp(variants[i].kind, kind) == 0 && rng_below(m->rng, ++fitting) == 0)
            chosen = &variants[i];
    return chosen;
}

/* A directory that nothing in the task speaks of. */
static const char *fresh_directory(struct task *t)
{
    struct arena *a = &t->arena;
    for (size_t n = 1;; n++) {
        const char *name = arena_printf(a, DIRECTORY "-%zu", n);
        struct buf record;
        buf_init(&record, SIZE_MAX);
        task_write(t, &record);
        bool taken = bytes_find(buf_bytes(&record), bytes_of_string(name), 0) >= 0;
        buf_release(&record);
        if (!taken)
            return name;
    }
}

static struct json *stage_args(struct task *t, const struct variant *v, const char *path)
{
    struct json *args = json_new(&t->arena, JSON_OBJECT), *value;
    json_set(&t->arena, args, "path", json_text(&t->arena, path));
    if (v->member && json_read(&t->arena, bytes_of_string(v->value), NULL, v->kind, &value, NULL, NULL) == 0)
        json_set(&t->arena, args, v->member, value);
    return args;
}

static struct json *run_args(struct task *t, const struct variant *v, const char *directory, const char *path)
{
    struct arena *a = &t->arena;
    struct json *args = json_new(a, JSON_OBJECT), *argv = json_set(a, args, "argv", json_new(a, JSON_ARRAY));
    const char *const words[] = {"sh", "-c", arena_printf(a, "mkdir \"$2\" && %s", v->script), "sh", path, directory};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        json_add(argv, json_text(a, words[i]));
    return args;
}

static size_t group_first(const struct task *t, size_t index)
{
    const char *group = t->steps[index].group;
    while (group && index && t->steps[index - 1].group && strcmp(t->steps[index - 1].group, group) == 0)
        index--;
    return index;
}

/* Ops that look at what the path names. Others would wait for ever by right: writing to a pipe does. */
static bool looks(const struct op *op, const char *at)
{
    static const char *const ops[] = {"read", "download", "stat", "list", "search", "copy"};
    for (size_t i = 0; i < sizeof ops / sizeof *ops; i++)
        if (strcmp(op->name, ops[i]) == 0)
            return strcmp(at, "/args/path") == 0;
    return false;
}

static bool strike(struct mutation *m, const struct mutation_site *site)
{
    struct task *t = m->task;
    struct arena *a = &t->arena;
    const struct variant *v = variant_of(m, mutation_kind(m, kinds));
    bool stages = task_has(t, "stage", NULL), runs = v && v->script && task_has(t, NULL, "run");
    if (!v || !(stages || runs) || !looks(t->steps[site->step].op, site->at))
        return false;
    if (strcmp(v->stage, "stage-device") == 0 && !task_has(t, NULL, "stage-device"))
        return false; /* what only few targets can do */
    const char *directory = fresh_directory(t), *path = arena_printf(a, "%s/it", directory);
    const char *shown = task_show(a, mutation_path(site->value), SHOWN), *session = t->steps[site->step].session;
    const struct op *op = ops_find(m->ops, stages ? v->stage : "run");
    struct change c;
    change_begin(&c, m, "special-file", site->step, site->at);
    change_set(&c, payload_path(m, site->value, bytes_of_string(path)));
    struct json *args = stages ? stage_args(t, v, path) : run_args(t, v, directory, path);
    change_insert_step(&c, group_first(t, site->step), op, args)->session = session;
    retarget_unknown(&c);
    change_end(&c, "%s: %s in the place of %s", v->kind, v->words, shown);
    return true;
}

static bool apply(struct mutation *m)
{
    return sites_try(m, PLACE_PATH, strike);
}

const struct mutator mutator_special_file = {
    .name = "special-file",
    .group = "payload",
    .summary = "a pipe, socket, device, directory, huge hole or endless link where a file was",
    .details = "A step that reads, downloads, copies, lists, searches or asks about a file gets another one, which a step in "
               "front of it makes: fifo, socket, dead-socket, device, directory, sparse (1 TiB), loop, dangling. Only in tasks "
               "that stage files (devices: that stage devices) or run programs (then no sockets). Place: path.",
    .places = "path",
    .kinds = "fifo socket dead-socket device directory sparse loop dangling",
    .apply = apply,
};
