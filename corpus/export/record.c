/* From a task to what an agent gets and is judged by. */
#include "corpus/export/export_internal.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "gen/arm/arm.h"
#include "gen/classes.h"
#include "gen/recipe.h"

bool export_drop(struct export_record *r, const char *format, ...)
{
    char text[200];
    va_list list;
    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    if (!r->dropped)
        r->dropped = arena_string(&r->arena, bytes_of_string(text));
    return false;
}

bool export_bytes(struct export_record *r, const struct json *value, struct bytes *out)
{
    if (json_is(value, JSON_STRING)) {
        *out = value->text;
        return true;
    }
    if (task_is_wrapper(value, "$content"))
        value = json_get_bytes(r->task->contents, json_as_text(value->first));
    struct buf data;
    buf_init(&data, EXPORT_BYTES_MAX);
    bool made = value && content_make(value, EXPORT_BYTES_MAX, &data, NULL) == 0;
    if (made)
        *out = arena_copy(&r->arena, buf_bytes(&data));
    buf_release(&data);
    return made || export_drop(r, "a content is too big or known only at run time");
}

static bool stays_below(struct bytes path)
{
    for (size_t from = 0, i = 0; i <= path.len; i++)
        if (i == path.len || path.data[i] == '/') {
            if (bytes_equal_string(bytes_slice(path, from, i), ".."))
                return false;
            from = i + 1;
        }
    return path.len && path.data[0] != '/' && path.data[0] != '~' && path.data[path.len - 1] != '/' && !memchr(path.data, 0, path.len);
}

bool export_path(struct export_record *r, const struct json *value, struct bytes *out)
{
    if (task_is_wrapper(value, "$path"))
        value = json_get(value, "$path");
    *out = json_as_text(value);
    return (json_is(value, JSON_STRING) && stays_below(*out)) ||
           export_drop(r, "a path is known only at run time or leaves the directory");
}

bool export_is_refused(const struct task *t, const char *step)
{
    for (const struct json *e = t->expect->first; e; e = e->next)
        if (bytes_equal_string(json_as_text(json_get(e, "step")), step) && bytes_equal_string(json_as_text(json_get(e, "outcome")), "error"))
            return true;
    return false;
}

/* Where only the frame or the surroundings of a call differ, or a content that is attached, the words still hold. */
static bool told_by_words(const struct json *mutation)
{
    static const char *const places[] = {"/frame", "/env", "/content"};
    for (size_t i = 0; i < sizeof places / sizeof *places; i++)
        if (bytes_equal_string(json_as_text(json_get(mutation, "at")), places[i]))
            return true;
    return false;
}

static void add_primitives(struct export_record *r)
{
    struct arm_set armed;
    const struct fault_class *class;
    arm_task(r->task, &armed);
    size_t count = 0;
    while (class_at(count))
        count++;
    r->primitives = arena_alloc(&r->arena, (count + 1) * sizeof *r->primitives);
    for (size_t i = 0; (class = class_at(i)); i++) {
        size_t at = 0;
        while (at < r->primitive_count && strcmp(r->primitives[at], class->primitive))
            at++;
        if (at == r->primitive_count && arm_has(&armed, i))
            r->primitives[r->primitive_count++] = class->primitive;
    }
}

void export_record_init(struct export_record *r, const struct task *t)
{
    *r = (struct export_record){.task = t};
    arena_init(&r->arena);
    buf_init(&r->instruction, 1 << 20);
    buf_init(&r->solution, 1 << 24);
    r->name = arena_printf(&r->arena, "%s-%.12s", t->domain, t->id);
    for (const struct json *m = t->mutations->first; m; m = m->next, r->hostile++)
        if (!told_by_words(m))
            export_drop(r, "a mutation that the words do not tell");
    if (!r->dropped && export_add_checks(r) && export_add_steps(r)) {
        export_add_words(r);
        add_primitives(r);
        if (r->instruction.overflow || r->solution.overflow)
            export_drop(r, "too long");
    }
}

void export_record_release(struct export_record *r)
{
    buf_release(&r->instruction);
    buf_release(&r->solution);
    arena_release(&r->arena);
}
