/* stale-handle: something is used once more after it has ended: a file after it was removed or moved away, a job after it was
 * waited for, a tab after it was closed. It only asks, so nothing else changes; a right target says that there is no such thing. */
#include <string.h>

#include "mutate/mutate_internal.h"

/* What ends a handle, in which argument it names it, and by which ops it may be asked for. */
static const struct ending {
    const char *kind, *op, *argument;
    const char *uses[5];
} endings[] = {
    {"path", "remove", "path", {"read", "stat", "download", "list", NULL}},
    {"path", "move", "path", {"read", "stat", "download", NULL}},
    {"job", "wait", "pid", {"poll", NULL}},
    {"tab", "tab-close", "tab", {"tab-switch", NULL}},
};
enum { ENDINGS = sizeof endings / sizeof *endings };

static const char *const kinds[] = {"path", "job", "tab", NULL};

/* Only what the task uses anyway: a target that cannot do it is not to lose the task. */
static const struct op *use_of(const struct mutation *m, const struct ending *e)
{
    const struct task *t = m->task;
    const struct op *chosen = NULL;
    size_t count = 0;
    for (size_t n = 0; e->uses[n]; n++)
        for (size_t i = 0; i < t->step_count; i++)
            if (strcmp(t->steps[i].op->name, e->uses[n]) == 0) {
                if (rng_below(m->rng, ++count) == 0)
                    chosen = t->steps[i].op;
                break;
            }
    return chosen;
}

static bool strike(struct mutation *m, size_t index, const struct ending *e)
{
    struct task *t = m->task;
    const struct task_step *s = &t->steps[index];
    const struct json *handle = json_get(s->args, e->argument);
    if (strcmp(s->op->name, e->op) != 0 || !handle || s->group || s->cancel_after_ms >= 0)
        return false;
    const struct op *use = use_of(m, e);
    if (!use)
        return false;
    struct json *args = json_new(&t->arena, JSON_OBJECT);
    json_set(&t->arena, args, e->argument, json_copy(&t->arena, handle));
    const char *id = s->id, *session = s->session;
    struct change c;
    change_begin(&c, m, "stale-handle", index, "");
    struct task_step *step = change_insert_step(&c, index + 1, use, args);
    step->session = session;
    c.step = step->id;
    change_end(&c, "%s: %s of what %s has ended by %s", e->kind, use->name, id, e->op);
    return true;
}

static bool apply(struct mutation *m)
{
    const char *kind = mutation_kind(m, kinds);
    size_t count = m->task->step_count;
    size_t first = kind && count ? (size_t)rng_below(m->rng, count) : 0;
    for (size_t i = 0; kind && i < count * ENDINGS; i++)
        if (strcmp(endings[i % ENDINGS].kind, kind) == 0 && strike(m, (first + i / ENDINGS) % count, &endings[i % ENDINGS]))
            return true;
    return false;
}

const struct mutator mutator_stale_handle = {
    .name = "stale-handle",
    .group = "step",
    .summary = "something is used once more after its end",
    .details = "path: a file is read, asked for or listed after it was removed or moved away; job: polled after it was waited for; tab: "
               "switched to after it was closed.",
    .places = "",
    .kinds = "path job tab",
    .apply = apply,
};
