/* Contents as mutators change them: recipes over the content that was there, so that a change of a gigabyte
 * stays a few words; short strings are changed in place, so that a person sees what is sent. */
#include <string.h>

#include "base/utf8.h"
#include "gen/recipe.h"
#include "mutate/mutate_internal.h"

/* How deep recipes are nested in a content. */
static unsigned nesting_of(const struct json *content)
{
    unsigned deepest = 0;
    for (const struct json *member = json_is(content, JSON_OBJECT) ? content->first : NULL; member;
         member = member->next) {
        unsigned depth = json_is(member, JSON_OBJECT) ? nesting_of(member)
                                                      : 0; /* bounded: recipes are checked */
        deepest = depth > deepest ? depth : deepest;
    }
    return json_is(content, JSON_OBJECT) ? deepest + 1 : 0;
}

const struct json *body_content(const struct task *t, const struct json *value)
{
    if (task_is_wrapper(value, "$content"))
        value = json_get_bytes(t->contents, value->first->text);
    if (json_is(value, JSON_STRING))
        return value;
    return task_is_wrapper(value, "$recipe") && nesting_of(value) <= BODY_NESTING_MAX ? value : NULL;
}

uint64_t body_boundary(const struct json *content, uint64_t at)
{
    struct buf made;
    buf_init(&made, BODY_MAKE_MAX);
    if (content_make(content, BODY_MAKE_MAX, &made, NULL) < 0)
        made.len = 0;
    at = at < made.len ? at : made.len;
    while (at && at < made.len && (made.data[at] & 0xc0) == 0x80)
        at--;
    buf_release(&made);
    return at;
}

bool body_text(const struct json *content, struct buf *out)
{
    buf_init(out, BODY_MAKE_MAX);
    return content_make(content, BODY_MAKE_MAX, out, NULL) == 0 && utf8_valid(buf_bytes(out));
}

uint64_t body_any_boundary(struct mutation *m, const struct json *content)
{
    int64_t size = content_size(content);
    return size > 0 ? body_boundary(content, rng_below(m->rng, (uint64_t)size + 1)) : 0;
}

struct json *body_recipe(struct task *t, const char *recipe)
{
    struct json *object = json_new(&t->arena, JSON_OBJECT);
    json_set(&t->arena, object, "$recipe", json_text(&t->arena, recipe));
    return object;
}

/* Few bytes are spliced here and now. */
static struct json *splice_string(struct task *t, struct bytes base, uint64_t at, uint64_t remove,
                                  struct bytes insert)
{
    struct buf out;
    buf_init(&out, SIZE_MAX);
    size_t start = at < base.len ? (size_t)at : base.len;
    buf_add(&out, bytes_slice(base, 0, start));
    buf_add(&out, insert);
    buf_add(&out, bytes_slice(base, start + (size_t)remove, base.len));
    struct json *string = json_string(&t->arena, buf_bytes(&out));
    buf_release(&out);
    return string;
}

struct json *body_splice(struct task *t, const struct json *base, uint64_t at, uint64_t remove,
                         struct json *insert)
{
    struct arena *a = &t->arena;
    if (json_is(base, JSON_STRING) && json_is(insert, JSON_STRING) &&
        base->text.len + insert->text.len <= BODY_INLINE_MAX)
        return splice_string(t, base->text, at, remove, insert->text);
    struct json *splice = body_recipe(t, "splice");
    json_set(a, splice, "base", json_copy(a, base));
    json_set(a, splice, "at", json_integer(a, (int64_t)at));
    if (remove)
        json_set(a, splice, "remove", json_integer(a, (int64_t)remove));
    json_set(a, splice, "insert", insert);
    return splice;
}

struct json *body_insert(struct mutation *m, const struct json *content, uint64_t at, struct bytes bytes)
{
    return body_splice(m->task, content, at, 0, json_string(&m->task->arena, bytes));
}

struct json *body_pattern(struct mutation *m, int64_t size, struct bytes unit)
{
    struct json *pattern = body_recipe(m->task, "pattern");
    json_set(&m->task->arena, pattern, "size", json_integer(&m->task->arena, size));
    if (unit.len)
        json_set(&m->task->arena, pattern, "unit", json_string(&m->task->arena, unit));
    return pattern;
}

struct json *body_recode(struct task *t, const struct json *base, const char *encoding, const char *newline)
{
    struct arena *a = &t->arena;
    struct json *recode = body_recipe(t, "recode");
    json_set(a, recode, "base", json_copy(a, base));
    if (strcmp(encoding, "utf-8") != 0)
        json_set(a, recode, "encoding", json_text(a, encoding));
    if (strcmp(newline, "keep") != 0)
        json_set(a, recode, "newline", json_text(a, newline));
    return recode;
}

struct json *body_value(struct change *c, struct json *content)
{
    if (json_is(content, JSON_STRING) && content->text.len <= BODY_INLINE_MAX)
        return content;
    struct buf made;
    buf_init(&made, BODY_INLINE_MAX);
    struct json *value = NULL;
    if (content_make(content, BODY_INLINE_MAX, &made, NULL) == 0)
        value = json_string(&c->m->task->arena, buf_bytes(&made));
    buf_release(&made);
    return value ? value : change_add_content(c, content);
}

/* Bytes that a step sends, each time it is run. */
static int64_t bytes_of_step(const struct task *t, const struct task_step *step)
{
    int64_t sum = 0;
    for (const struct json *value = step->args->first; value; value = value->next) {
        bool content = task_is_wrapper(value, "$content");
        int64_t size = 0;
        if (json_is(value, JSON_STRING))
            size = (int64_t)value->text.len;
        else if (content)
            size = content_size(json_get_bytes(t->contents, value->first->text));
        sum += size > 0 ? size : 0;
    }
    return sum * step->repeat;
}

int64_t body_room(const struct mutation *m, size_t step)
{
    int64_t budget = settings_int(m->settings, "budget.bytes"), limit;
    if (json_as_integer(json_get(m->task->limits, "bytes"), &limit) && limit < budget)
        budget = limit;
    for (size_t i = 0; i < m->task->step_count; i++)
        if (i != step)
            budget -= bytes_of_step(m->task, &m->task->steps[i]);
    budget /= m->task->steps[step].repeat;
    return budget > 0 ? budget : 0;
}
