/* Of tasks that were put together: a change in one is no matter of the others, which have nothing to do with its files (mutate/join.h). */
#include <string.h>

#include "mutate/fallout.h"
#include "mutate/join.h"
#include "mutate/mutate_internal.h"

bool fallout_begins_part(const struct task *t, size_t index)
{
    for (const struct json *m = t->mutations->first; m; m = m->next)
        if (bytes_equal_string(json_as_text(json_get(m, "mutator")), MUTATE_JOIN) &&
            bytes_equal_string(json_as_text(json_get(m, "step")), t->steps[index].id))
            return true;
    return false;
}

/* A name of the part's own: neither the directory that all share nor a way out of it, and nothing that a shell would take for several names. */
static bool is_own_name(struct fallout *f, const struct json *value)
{
    struct bytes path = mutation_path(value);
    if (!value)
        return true;
    if (!json_is(value, JSON_STRING) && !task_is_wrapper(value, "$path"))
        return false;
    for (size_t i = 0; i < path.len; i++)
        if (strchr("*?[~", path.data[i])) /* a NUL too */
            return false;
    path = mutation_path_normal(&f->arena, path);
    return path.len && !bytes_equal_string(path, ".") && path.data[0] != '/' && bytes_find(path, BYTES_LITERAL(".."), 0) < 0;
}

void fallout_confine(struct fallout *f, size_t step, const struct json *old_args)
{
    const struct task *t = f->task;
    f->own_first = step;
    f->own_end = step + 1;
    while (f->own_first && !fallout_begins_part(t, f->own_first))
        f->own_first--;
    while (f->own_end < t->step_count && !fallout_begins_part(t, f->own_end))
        f->own_end++;
    const struct json *args = t->steps[step].args;
    f->confined = (f->own_first || f->own_end < t->step_count) && fallout_deed(t->steps[step].op) != DOES_ANYTHING &&
                  is_own_name(f, json_get(args, "path")) && is_own_name(f, json_get(args, "to")) && is_own_name(f, json_get(old_args, "path")) &&
                  is_own_name(f, json_get(old_args, "to"));
}

static struct bytes last_name(struct bytes path)
{
    const void *slash = path.len ? memrchr(path.data, '/', path.len) : NULL;
    return slash ? bytes_slice(path, (size_t)((const uint8_t *)slash - path.data) + 1, path.len) : path;
}

/* Whether the step's arguments speak of the name, as a path or in a program. */
static bool speaks_of(const struct task_step *step, struct bytes name)
{
    for (const struct json *v = step->args; v; v = json_next(step->args, v, true))
        if (json_is(v, JSON_STRING) && bytes_find(v->text, name, 0) >= 0)
            return true;
    return false;
}

bool fallout_is_foreign(const struct fallout *f, struct bytes path)
{
    struct bytes name = last_name(path);
    bool foreign = false;
    for (size_t i = 0; f->confined && name.len && i < f->task->step_count; i++) {
        if (!speaks_of(&f->task->steps[i], name))
            continue;
        if (i >= f->own_first && i < f->own_end)
            return false;
        foreign = true;
    }
    return foreign;
}
