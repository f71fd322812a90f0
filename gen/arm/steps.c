/* How steps hang together: what comes after what, on which path, in which session. */
#include <string.h>

#include "gen/arm/view.h"
#include "gen/task_internal.h"

const struct arm_step *arm_next(const struct arm_view *v, const struct arm_step *after, uint64_t ops)
{
    for (const struct arm_step *s = after ? after + 1 : v->steps; s < v->end; s++)
        if (s->op & ops)
            return s;
    return NULL;
}

bool arm_follows(const struct arm_view *v, const struct arm_step *after, uint64_t ops)
{
    return arm_next(v, after, ops) != NULL;
}

const struct arm_step *arm_next_on(const struct arm_view *v, const struct arm_step *after, uint64_t ops,
                                   struct bytes path)
{
    for (const struct arm_step *s = after ? after + 1 : v->steps; s < v->end; s++)
        if (s->op & ops && ((s->path.present && bytes_equal(s->path.text, path)) ||
                            (s->to.present && bytes_equal(s->to.text, path))))
            return s;
    return NULL;
}

const struct arm_step *arm_next_program(const struct arm_view *v, const struct arm_step *after,
                                        struct bytes path)
{
    struct bytes base = arm_base(path);
    for (const struct arm_step *s = after ? after + 1 : v->steps; s < v->end; s++)
        if (s->op & OPS_PROGRAM && base.len && bytes_find(s->script, base, 0) >= 0)
            return s;
    return NULL;
}

uint64_t arm_total(const struct arm_view *v, uint64_t ops)
{
    uint64_t total = 0;
    EACH (s, v)
        total += s->op & ops ? s->step->repeat : 0;
    return total;
}

bool arm_same_session(const struct arm_step *a, const struct arm_step *b)
{
    return strcmp(a->step->session, b->step->session) == 0;
}

bool arm_same_group(const struct arm_step *a, const struct arm_step *b)
{
    return a->step->group && b->step->group && strcmp(a->step->group, b->step->group) == 0;
}

bool arm_mutated(const struct arm_view *v, const char *mutator)
{
    for (const struct json *m = v->task->mutations ? v->task->mutations->first : NULL; m; m = m->next)
        if (bytes_equal_string(json_as_text(json_get(m, "mutator")), mutator))
            return true;
    return false;
}

int64_t arm_int(const struct arm_step *s, const char *argument, int64_t fallback)
{
    int64_t n;
    return json_as_integer(json_get(s->step->args, argument), &n) ? n : fallback;
}

struct bytes arm_text(const struct arm_step *s, const char *argument)
{
    const struct json *value = json_get(s->step->args, argument);
    return json_is(value, JSON_STRING) ? value->text : BYTES_NONE;
}

bool arm_file_expected(const struct arm_view *v, struct bytes path)
{
    for (const struct json *e = v->task->expect ? v->task->expect->first : NULL; e; e = e->next) {
        const struct json *file = json_get(e, "file");
        if (task_wrapper_of(file) == WRAP_PATH)
            file = json_get(file, "$path");
        if (file && bytes_equal(arm_path_plain(json_as_text(file)), path))
            return true;
    }
    return false;
}

struct bytes arm_base(struct bytes path)
{
    size_t from = path.len;
    while (from && path.data[from - 1] != '/')
        from--;
    return bytes_slice(path, from, path.len);
}

bool arm_below(struct bytes path, struct bytes directory)
{
    if (bytes_equal_string(directory, "."))
        return path.len && path.data[0] != '/' && !bytes_equal_string(path, ".");
    return path.len > directory.len && bytes_starts(path, directory) && path.data[directory.len] == '/';
}
