/* How tasks are made of what was read. Whatever comes in, what goes out is a record that reads back as itself: import_add tries it. */
#include "gen/import/import_internal.h"

#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"
#include "gen/task_internal.h"

enum { INLINE_MAX = 2048, VALUE_DEPTH = 200, PATH_PART_MAX = 255, PATH_MAX_BYTES = 1024, TASK_TEXT_MAX = 64 << 20 };

struct task *import_task(const struct import_row *row)
{
    struct task *t = task_new();
    t->domain = "imported";
    t->workflow = row->format.name;
    t->derivation = "";
    t->grammar_hash = "";
    t->instruction = "";
    return t;
}

/* ---- paths ---- */

static bool part_fits(struct bytes part)
{
    return part.len && part.len <= PATH_PART_MAX && !bytes_equal_string(part, ".") && !bytes_equal_string(part, "..") &&
           utf8_valid(part) && !memchr(part.data, 0, part.len);
}

const char *import_clean_path(struct arena *a, struct bytes path)
{
    struct buf out;
    buf_init(&out, PATH_MAX_BYTES);
    for (size_t at = 0; at <= path.len;) {
        size_t end = at;
        while (end < path.len && path.data[end] != '/')
            end++;
        struct bytes part = bytes_slice(path, at, end);
        at = end + 1;
        if (!part_fits(part))
            continue;
        if (out.len)
            buf_add_byte(&out, '/');
        buf_add(&out, part);
    }
    const char *clean = out.len && !out.overflow ? arena_string(a, buf_bytes(&out)) : "file";
    buf_release(&out);
    return clean;
}

/* ---- steps ---- */

static const struct op *op_of(const struct import *im, const char *name)
{
    const struct op *op = ops_find(im->ops, name);
    if (!op)
        BUG("the vocabulary lacks an op");
    return op;
}

/* A text that any tool for text may be given. */
static bool is_plain_text(struct bytes data)
{
    for (size_t i = 0; i < data.len; i++)
        if (data.data[i] == 0x7f || (data.data[i] < 0x20 && data.data[i] != '\n' && data.data[i] != '\t'))
            return false;
    return utf8_valid(data);
}

static struct json *content_of(struct task *t, struct bytes data)
{
    struct json *string = json_string(&t->arena, data);
    if (data.len <= INLINE_MAX)
        return string;
    const char *name = arena_printf(&t->arena, "c%u", t->contents->count + 1);
    json_set(&t->arena, t->contents, name, string);
    struct json *reference = json_new(&t->arena, JSON_OBJECT);
    json_set(&t->arena, reference, "$content", json_text(&t->arena, name));
    return reference;
}

void import_put_file(const struct import *im, struct task *t, const char *path, struct bytes data, bool back)
{
    struct arena *a = &t->arena;
    bool text = is_plain_text(data);
    struct json *content = content_of(t, data), *args = json_new(a, JSON_OBJECT);
    json_set(a, args, "path", json_text(a, path));
    json_set(a, args, "content", content);
    task_add_step(t, op_of(im, text ? "write" : "upload"), args);
    if (!back)
        return;
    args = json_new(a, JSON_OBJECT);
    json_set(a, args, "path", json_text(a, path));
    task_add_step(t, op_of(im, text ? "read" : "download"), args);
    struct json *e = json_add(t->expect, json_new(a, JSON_OBJECT));
    json_set(a, e, "file", json_text(a, path));
    json_set(a, e, "equals", json_copy(a, content));
}

/* By the program in the first line; bash takes what sh takes. */
static const char *language_of(struct bytes script)
{
    static const char *const programs[][2] = {{"python", "python"}, {"bash", "bash"}, {"node", "node"}, {"sh", "sh"}};
    ptrdiff_t end = bytes_find(script, BYTES_LITERAL("\n"), 0);
    struct bytes first = end < 0 ? script : bytes_slice(script, 0, (size_t)end);
    for (size_t i = 0; bytes_starts(first, BYTES_LITERAL("#!")) && i < sizeof programs / sizeof *programs; i++)
        if (bytes_find(first, bytes_of_string(programs[i][0]), 0) >= 0)
            return programs[i][1];
    return "bash";
}

bool import_put_script(const struct import *im, struct task *t, struct bytes script, const struct json *env)
{
    struct arena *a = &t->arena;
    if (!script.len || !utf8_valid(script) || memchr(script.data, 0, script.len))
        return false;
    struct json *args = json_new(a, JSON_OBJECT), *map = json_new(a, JSON_OBJECT);
    for (const struct json *e = json_is(env, JSON_OBJECT) ? env->first : NULL; e; e = e->next) {
        /* A value that is to be filled in from the environment of whoever runs it is nobody's here. */
        bool plain = json_is(e, JSON_STRING) && bytes_find(e->text, BYTES_LITERAL("${"), 0) < 0 && utf8_valid(e->text) &&
                     utf8_valid(e->key) && e->key.len && !memchr(e->key.data, '=', e->key.len) && e->key.data[0] != '$';
        if (plain && !memchr(e->text.data, 0, e->text.len) && !memchr(e->key.data, 0, e->key.len))
            json_set_bytes(a, map, e->key, json_string(a, e->text));
    }
    json_set(a, args, "language", json_text(a, language_of(script)));
    json_set(a, args, "script", json_string(a, script));
    if (map->count)
        json_set(a, args, "env", map);
    task_add_step(t, op_of(im, "run"), args);
    return true;
}

/* ---- values ---- */

struct json *import_value(struct arena *a, const struct json *value)
{
    bool odd = false, reads_like_wrapper = false, bytes = false;
    size_t depth = 0;
    const struct json *at = value;
    for (const struct json *v = value; v; at = v, v = json_next(value, v, true)) {
        /* How deep: a child of the one before, or of one of its parents. */
        for (const struct json *up = at; v != value && up != v->parent; up = up->parent)
            depth--;
        depth += v != value;
        odd |= v->duplicate || v->lone_surrogate || depth > VALUE_DEPTH || (v != value && v->key.len && !utf8_valid(v->key));
        reads_like_wrapper |= task_wrapper_of(v) != WRAP_NONE;
        bytes |= json_is(v, JSON_STRING) && !utf8_valid(v->text);
    }
    if (!odd && !(reads_like_wrapper && bytes)) {
        struct json *copy = json_copy(a, value);
        if (!reads_like_wrapper)
            return copy;
        struct json *literal = json_new(a, JSON_OBJECT);
        json_set(a, literal, "$literal", copy);
        return literal;
    }
    struct buf text;
    buf_init(&text, TASK_TEXT_MAX);
    json_write(&text, value, JSON_COMPACT);
    struct json *raw = json_raw(a, buf_bytes(&text));
    buf_release(&text);
    return raw;
}

/* ---- the list ---- */

static void keep(struct import *im, struct task *t, const char *where, int64_t line, const char *format)
{
    if (im->count == im->capacity) {
        im->capacity = im->capacity ? 2 * im->capacity : 64;
        im->seeds = xrealloc(im->seeds, im->capacity * sizeof *im->seeds);
    }
    /* Lines of one file share its name. */
    const char *file = im->count ? im->seeds[im->count - 1].file : "";
    if (strcmp(file, where))
        file = arena_string(&im->arena, bytes_of_string(where));
    im->seeds[im->count++] = (struct import_seed){t, file, line, format};
}

int import_add(struct import_source *s, struct task *t, int64_t line, const char *format)
{
    if (!t->step_count) {
        task_free(t);
        return 0;
    }
    if (s->im->count >= IMPORT_SEEDS_MAX) {
        task_free(t);
        return import_fault(s, line, "more than %d seeds", IMPORT_SEEDS_MAX);
    }
    struct buf text;
    struct task *back = NULL;
    struct error *why = NULL;
    buf_init(&text, TASK_TEXT_MAX);
    task_identify(t);
    task_write(t, &text);
    int status = text.overflow ? import_fault(s, line, "a task of more than %d bytes", TASK_TEXT_MAX)
                               : task_read(s->im->ops, buf_bytes(&text), "seed", &back, &why);
    if (!text.overflow && status < 0)
        status = import_fault(s, line, "no task can be made of it: %s", why->text);
    error_free(why);
    buf_release(&text);
    task_free(t);
    if (status < 0)
        return status;
    for (size_t i = 0; s->im->words && i < back->step_count; i++)
        dictionary_add_texts(s->im->words, back->steps[i].args);
    keep(s->im, back, s->where, line, format);
    return 0;
}
