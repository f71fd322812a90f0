/* What mutators of payloads do alike once they know what shall stand at a site: put it there, let the expectations follow,
 * say it. Whatever is done here can be undone from the record. */
#include <string.h>

#include "gen/recipe.h"
#include "gen/task_internal.h"
#include "mutate/mutate_internal.h"

bool payload_body(struct mutation *m, const struct mutation_site *site, const char *mutator, struct json *content,
                  const char *detail)
{
    int64_t size = content_size(content);
    if (size < 0 || size > body_room(m, site->step))
        return false;
    struct change c;
    change_begin(&c, m, mutator, site->step, site->at);
    struct json *value = body_value(&c, content);
    change_set(&c, value);
    if (mutation_puts_file(m->task->steps[site->step].op))
        retarget_content(&c, value);
    else
        retarget_unknown(&c);
    change_end(&c, "%s", detail);
    return true;
}

bool payload_body_variant(struct mutation *m, const struct mutation_site *site, const char *mutator, const char *const *kinds,
                          const struct payload_variant *variants)
{
    const char *kind = mutation_kind(m, kinds), *detail = NULL;
    const struct json *content = body_content(m->task, site->value);
    struct json *made = NULL;
    for (const struct payload_variant *v = variants; kind && v->kind && !made; v++)
        if (strcmp(v->kind, kind) == 0)
            made = v->make(m, v, content, &detail);
    return made && payload_body(m, site, mutator, made, arena_printf(&m->task->arena, "%s: %s", kind, detail));
}

void payload_value(struct mutation *m, const struct mutation_site *site, const char *mutator, struct json *value,
                   const char *detail)
{
    struct change c;
    change_begin(&c, m, mutator, site->step, site->at);
    change_set(&c, value);
    retarget_unknown(&c);
    change_end(&c, "%s", detail);
}

struct json *payload_path(struct mutation *m, const struct json *old, struct bytes path)
{
    struct json *string = json_string(&m->task->arena, path);
    if (!task_is_wrapper(old, "$path"))
        return string;
    struct json *copy = json_copy(&m->task->arena, old);
    json_replace(copy->first, string);
    return copy;
}

struct bytes payload_joined(struct mutation *m, struct bytes x, struct bytes y, struct bytes z)
{
    struct buf out;
    buf_init(&out, SIZE_MAX);
    buf_add(&out, x);
    buf_add(&out, y);
    buf_add(&out, z);
    struct bytes copy = arena_copy(&m->task->arena, buf_bytes(&out));
    buf_release(&out);
    return copy;
}

struct bytes payload_decorated(struct mutation *m, struct bytes path, struct bytes text)
{
    size_t dot = path.len;
    while (dot && path.data[dot - 1] != '.' && path.data[dot - 1] != '/')
        dot--;
    bool extension = dot > 1 && path.data[dot - 1] == '.' && path.data[dot - 2] != '/';
    size_t at = extension ? dot - 1 : path.len;
    return payload_joined(m, bytes_slice(path, 0, at), text, bytes_slice(path, at, path.len));
}

struct bytes payload_directory(struct bytes path)
{
    size_t end = path.len;
    while (end && path.data[end - 1] != '/')
        end--;
    return bytes_slice(path, 0, end);
}

/* Whether a path argument of the step names the file; *at is where. */
static bool names_file(struct mutation *m, size_t step, struct bytes from, const char **at)
{
    const struct task_step *s = &m->task->steps[step];
    for (const struct json *value = s->args->first; value; value = value->next) {
        const struct op_arg *arg = op_arg_find(s->op, arena_string(&m->task->arena, value->key));
        struct bytes path = arg && arg->type == OP_PATH ? mutation_path(value) : BYTES_NONE;
        if (!path.len || !mutation_path_within(path, from))
            continue;
        *at = arena_printf(&m->task->arena, "/args/%s", arg->name);
        return true;
    }
    return false;
}

/* What may fail under the new name, whichever step it is in. */
static void doubt_file(struct change *c, struct bytes from)
{
    struct task *t = c->m->task;
    struct change step = *c;
    const char *at;
    for (size_t i = 0; i < t->step_count; i++) {
        if (!names_file(c->m, i, from, &at))
            continue;
        step.step = t->steps[i].id;
        step.old_args = json_copy(&t->arena, t->steps[i].args);
        retarget_unknown(&step);
    }
    struct json *e = t->expect->first;
    for (size_t i = 0; e; i++) { /* what speaks of the file but follows from no step */
        struct json *next = e->next;
        struct bytes file = mutation_path(json_get(e, "file"));
        if (file.len && mutation_path_within(file, from))
            change_drop_expectation(c, i--);
        e = next;
    }
}

bool payload_rename(struct mutation *m, const struct mutation_site *site, const char *mutator, struct bytes to, bool doubt,
                    const char *detail)
{
    struct bytes from = arena_copy(&m->task->arena, mutation_path(site->value));
    struct change c;
    change_begin(&c, m, mutator, site->step, site->at);
    if (!rename_fits(m->task, from, to))
        return false;
    if (doubt)
        doubt_file(&c, from);
    if (!rename_everywhere(&c, from, to))
        BUG("a name that fits does not fit");
    change_end(&c, "%s", detail);
    return true;
}
