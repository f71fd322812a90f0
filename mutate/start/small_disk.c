/* small-disk: what a step puts into a file is put once more, into a small file system of its own, where it fits barely or not quite.
 * A disk that is full must be told of, and leave what was there before. */
#include <string.h>

#include "gen/recipe.h"
#include "mutate/mutate_internal.h"

#define DIRECTORY "small-disk"

enum { PAGE = 4096 };

static const char *const kinds[] = {"full", "fits", NULL};

/* Of the content that the step puts; 0: none that a disk could be too small for. */
static int64_t size_of(const struct mutation *m, size_t index)
{
    const struct task_step *s = &m->task->steps[index];
    const struct json *value = json_get(s->args, "content"), *content = value ? body_content(m->task, value) : NULL;
    bool alone = !s->group && s->repeat == 1 && s->cancel_after_ms < 0;
    int64_t size = alone && mutation_puts_file(s->op) && content ? content_size(content) : 0;
    return size > PAGE && size <= body_room(m, index) / 2 &&
                   size + 2 * (int64_t)PAGE <= settings_int(m->settings, "budget.disk")
               ? size
               : 0;
}

/* Somebody else has a small disk, or means this very directory. */
static bool is_taken(const struct task *t)
{
    for (size_t i = 0; i < t->step_count; i++) {
        if (strcmp(t->steps[i].op->name, "stage-small-disk") == 0)
            return true;
        for (const struct json *v = t->steps[i].args->first; v; v = v->next)
            if (bytes_find(mutation_path(v), BYTES_LITERAL(DIRECTORY), 0) >= 0)
                return true;
    }
    return false;
}

static struct json *disk(struct task *t, int64_t bytes)
{
    struct json *args = json_new(&t->arena, JSON_OBJECT);
    json_set(&t->arena, args, "path", json_text(&t->arena, DIRECTORY));
    json_set(&t->arena, args, "bytes", json_integer(&t->arena, bytes));
    return args;
}

static struct json *file(struct task *t, const struct json *content)
{
    struct json *args = json_new(&t->arena, JSON_OBJECT);
    json_set(&t->arena, args, "path", json_text(&t->arena, DIRECTORY "/copy"));
    json_set(&t->arena, args, "content", json_copy(&t->arena, content));
    return args;
}

static void strike(struct mutation *m, size_t index, int64_t size, const char *kind)
{
    struct task *t = m->task;
    bool full = strcmp(kind, "full") == 0;
    int64_t pages = full ? (size - 1) / PAGE : (size + PAGE - 1) / PAGE;
    const struct op *put = t->steps[index].op;
    const struct json *content = json_get(t->steps[index].args, "content");
    const char *session = t->steps[index].session;
    struct change c;
    change_begin(&c, m, "small-disk", index, "");
    struct task_step *step = change_insert_step(&c, index + 1, ops_find(m->ops, "stage-small-disk"), disk(t, pages * PAGE));
    step->session = session;
    c.step = step->id;
    change_insert_step(&c, index + 2, put, file(t, content))->session = session;
    retarget_unknown(&c);
    change_end(&c, "%s: %lld bytes are put once more, on a disk of %lld", kind, (long long)size, (long long)pages * PAGE);
}

static bool apply(struct mutation *m)
{
    const char *kind = mutation_kind(m, kinds);
    size_t count = m->task->step_count;
    if (!kind || !count || is_taken(m->task) || !ops_find(m->ops, "stage-small-disk"))
        return false;
    size_t first = (size_t)rng_below(m->rng, count);
    for (size_t i = 0; i < count; i++) {
        int64_t size = size_of(m, (first + i) % count);
        if (!size)
            continue;
        strike(m, (first + i) % count, size, kind);
        return true;
    }
    return false;
}

const struct mutator mutator_small_disk = {
    .name = "small-disk",
    .group = "env",
    .summary = "a file is put once more, on a disk that is just too small for it",
    .details = "full: the disk has fewer pages than the content; fits: just as many. A file system in memory, mounted in the root from "
               "outside; where that cannot be done the task is left as it is.",
    .places = "",
    .kinds = "full fits",
    .at_start = true,
    .apply = apply,
};
