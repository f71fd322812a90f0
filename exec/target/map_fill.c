/* From a call's arguments to a tool's; see map_fill.h. Templates are walked by recursion, at most
 * TEMPLATE_DEPTH deep. */
#include "exec/target/map_fill.h"

#include <stdio.h>
#include <string.h>

#include "base/encode.h"
#include "base/utf8.h"
#include "exec/target/map_fill_internal.h"

enum { BASE64_MAX = 1 << 30, MS_PER_S = 1000 };

static const char *const specials[] = {"@line",   "@argv",     "@program", "@arguments",
                                       "@script", "@language", "@timeout",  "@limit", "@tab"};

struct json *map_cannot(const struct op_map *m, struct map_fill *f, const char *what)
{
    if (!f->missing)
        f->missing = arena_printf(f->arena, "%s:%s", m->op->name, what);
    return NULL;
}

struct bytes map_spell(struct map_fill *f, struct bytes path, const char *as)
{
    return f->spell(f->context, path, as ? as : "absolute", f->arena);
}

static bool template_names(const struct json *value, const char *name)
{
    if (bytes_equal_string(json_as_text(json_get(value, "$arg")), name))
        return true;
    bool deep = json_is(value, JSON_OBJECT) || json_is(value, JSON_ARRAY);
    for (const struct json *one = deep ? value->first : NULL; one; one = one->next)
        if (template_names(one, name))
            return true;
    return false;
}

bool map_places(const struct op_map *m, const char *name)
{
    return template_names(m->arguments, name);
}

/* The forms: each makes a tool's value of an op's; NULL with f->missing set when it cannot. */

static struct json *form_value(const struct op_map *m, struct map_fill *f, const struct json *value)
{
    if (json_is(value, JSON_STRING) && !utf8_valid(value->text))
        return map_cannot(m, f, "text that is not UTF-8");
    return json_copy(f->arena, value);
}

static struct json *form_base64(const struct op_map *m, struct map_fill *f, const struct json *value)
{
    struct buf text;
    buf_init(&text, BASE64_MAX);
    base64_encode(&text, json_as_text(value));
    struct json *result = text.overflow ? map_cannot(m, f, "content that long")
                                        : json_string(f->arena, buf_bytes(&text));
    buf_release(&text);
    return result;
}

static struct json *form_string(const struct op_map *m, struct map_fill *f, const struct json *value)
{
    struct bytes text = json_as_text(value);
    if (!utf8_valid(text))
        return map_cannot(m, f, "text that is not UTF-8");
    return json_string(f->arena, text);
}

static struct json *form_number(const struct op_map *m, struct map_fill *f, const struct json *value)
{
    int64_t number;
    if (json_as_integer(value, &number))
        return json_copy(f->arena, value);
    struct json *read = NULL;
    struct bytes text = json_as_text(value);
    bool digits = text.len && json_read(f->arena, text, NULL, "", &read, NULL, NULL) == 0;
    return digits && json_is(read, JSON_NUMBER) ? read : map_cannot(m, f, "a value that is no number");
}

static struct json *form_octal(const struct op_map *m, struct map_fill *f, const struct json *value)
{
    int64_t mode;
    if (!json_as_integer(value, &mode) || mode < 0 || mode > 07777)
        return map_cannot(m, f, "a mode that is none");
    return json_text(f->arena, arena_printf(f->arena, "%03o", (unsigned)mode));
}

static struct json *form_ms(const struct op_map *m, struct map_fill *f, const struct json *value)
{
    int64_t ms;
    return json_as_integer(value, &ms) ? json_integer(f->arena, ms) : map_cannot(m, f, "a time that is none");
}

static struct json *form_seconds(const struct op_map *m, struct map_fill *f, const struct json *value)
{
    int64_t ms;
    if (!json_as_integer(value, &ms))
        return map_cannot(m, f, "a time that is none");
    return json_integer(f->arena, ms < 1000 ? 1 : ms / 1000 + (ms % 1000 != 0));
}

static struct json *form_signal(const struct op_map *m, struct map_fill *f, const struct json *value)
{
    return json_text(f->arena, arena_printf(f->arena, "SIG%.*s", BYTES_ARG(json_as_text(value))));
}

static struct json *form_glob_deep(const struct op_map *m, struct map_fill *f, const struct json *value)
{
    struct bytes glob = json_as_text(value);
    if (bytes_find(glob, BYTES_LITERAL("/"), 0) >= 0)
        return form_string(m, f, value);
    return json_text(f->arena, arena_printf(f->arena, "**/%s", arena_string(f->arena, glob)));
}

static struct json *form_regex(const struct op_map *m, struct map_fill *f, const struct json *value)
{
    struct bytes glob = json_as_text(value);
    struct buf regex;
    buf_init(&regex, 1u << 16);
    buf_add_byte(&regex, '^');
    for (size_t i = 0; i < glob.len; i++) {
        uint8_t byte = glob.data[i];
        if (byte == '*')
            buf_add_string(&regex, ".*");
        else if (byte == '?')
            buf_add_byte(&regex, '.');
        else if (byte && byte < 128 && strchr("\\.+^$()[]{}|/", byte))
            buf_addf(&regex, "\\%c", byte);
        else
            buf_add_byte(&regex, byte);
    }
    buf_add_byte(&regex, '$');
    struct json *text = json_string(f->arena, buf_bytes(&regex));
    buf_release(&regex);
    return utf8_valid(text->text) ? text : map_cannot(m, f, "text that is not UTF-8");
}

static struct json *form_part(const struct op_map *m, struct map_fill *f, const struct json *value)
{
    struct bytes glob = json_as_text(value), best = BYTES_NONE;
    for (size_t from = 0; from < glob.len;) {
        size_t to = from;
        while (to < glob.len && !(glob.data[to] && strchr("*?[]/", glob.data[to])))
            to++;
        if (to - from > best.len)
            best = bytes_slice(glob, from, to);
        from = to + 1;
    }
    return utf8_valid(best) ? json_string(f->arena, best) : map_cannot(m, f, "text that is not UTF-8");
}

static struct json *spelled(const struct op_map *m, struct map_fill *f, const struct json *value,
                            const char *name)
{
    const char *as = strcmp(name, "to") == 0 && f->to_as ? f->to_as : f->path_as;
    if (strcmp(name, "cwd") == 0)
        as = NULL;
    struct bytes path = map_spell(f, json_as_text(value), as);
    if (!utf8_valid(path))
        return map_cannot(m, f, "a path that is not UTF-8");
    if (strcmp(name, "path") == 0)
        f->path = path;
    return json_string(f->arena, path);
}

static struct json *spelled_uri(const struct op_map *m, struct map_fill *f, const struct json *value,
                                const char *name)
{
    struct json *path = spelled(m, f, value, name);
    if (!path)
        return NULL;
    struct buf uri;
    buf_init(&uri, 1u << 16);
    buf_add_string(&uri, "file://");
    for (size_t i = 0; i < path->text.len; i++) {
        uint8_t byte = path->text.data[i];
        bool plain = byte > 0x20 && byte < 0x7f && !strchr("%?#[]\"<>\\^`{|}", byte);
        if (plain)
            buf_add_byte(&uri, byte);
        else
            buf_addf(&uri, "%%%02X", byte);
    }
    struct json *text = json_string(f->arena, buf_bytes(&uri));
    buf_release(&uri);
    return text;
}

/* A line break before the end, in case that the expression ends with a comment. */
static struct json *form_function(const struct op_map *m, struct map_fill *f, const struct json *value)
{
    struct bytes text = json_as_text(value);
    if (!utf8_valid(text))
        return map_cannot(m, f, "text that is not UTF-8");
    struct buf function;
    buf_init(&function, text.len + 64);
    buf_add_string(&function, "() => (");
    buf_add(&function, text);
    buf_add_string(&function, "\n)");
    struct json *said = json_string(f->arena, buf_bytes(&function));
    buf_release(&function);
    return said;
}

static struct json *form_tab(const struct op_map *m, struct map_fill *f, const struct json *value)
{
    struct json *said = f->tab ? f->tab(f->context, json_is(value, JSON_NULL) ? NULL : value, f->arena) : NULL;
    return said ? said : map_cannot(m, f, "a tab that is not known");
}

static const struct form {
    const char *name;
    struct json *(*make)(const struct op_map *m, struct map_fill *f, const struct json *value);
} forms[] = {
    {"value", form_value},   {"text", form_string},   {"base64", form_base64},       {"string", form_string},
    {"number", form_number}, {"octal", form_octal},   {"ms", form_ms},               {"s", form_seconds},
    {"signal", form_signal}, {"glob", form_string},   {"glob-deep", form_glob_deep}, {"regex", form_regex},
    {"part", form_part},     {"function", form_function}, {"tab", form_tab},
};

bool map_form_known(const char *form)
{
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++)
        if (strcmp(form, forms[i].name) == 0)
            return true;
    return strcmp(form, "path") == 0 || strcmp(form, "uri") == 0;
}

bool map_special_known(const char *name)
{
    for (size_t i = 0; i < sizeof specials / sizeof *specials; i++)
        if (strcmp(name, specials[i]) == 0)
            return true;
    return false;
}

static struct json *in_form(const struct op_map *m, struct map_fill *f, const char *form,
                            const struct json *value, const char *name)
{
    if (strcmp(form, "path") == 0)
        return spelled(m, f, value, name);
    if (strcmp(form, "uri") == 0)
        return spelled_uri(m, f, value, name);
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++)
        if (strcmp(form, forms[i].name) == 0)
            return forms[i].make(m, f, value);
    BUG("a template with an unknown form");
}

/* The tool's own time limit shall pass before ours, in whole seconds where there are any. */
static int64_t patience(int64_t timeout_ms)
{
    int64_t ms = timeout_ms - timeout_ms / 10;
    return ms >= 1000 ? ms - ms % 1000 : ms;
}

/* What the tool makes of the limit that it is given. */
static void note_limit(const struct op_map *m, struct map_fill *f, const struct json *said, const char *form)
{
    int64_t limit;
    if (m->limit_known && json_as_integer(said, &limit) && limit > 0 && limit < INT64_MAX / MS_PER_S)
        f->told_ms = strcmp(form, "s") == 0 ? limit * MS_PER_S : limit;
}

static bool is_more(const struct json *value, const struct json *most)
{
    double number, bound;
    return most && json_as_real(value, &number) && json_as_real(most, &bound) && number > bound;
}

/* The op's value that a placeholder speaks of; NULL when the call has none. */
static const struct json *source(const struct op_map *m, struct map_fill *f, const char *name)
{
    if (strcmp(name, "@timeout") == 0)
        return json_integer(f->arena, patience(f->timeout_ms));
    if (strcmp(name, "@limit") == 0)
        return f->own_limit_ms > 0 ? json_integer(f->arena, f->own_limit_ms) : NULL;
    if (strcmp(name, "@tab") == 0)
        return json_new(f->arena, JSON_NULL);
    if (*name == '@')
        return map_fill_run(m, f, name);
    const struct json *value = json_get(f->args, name);
    if (!value && strcmp(name, "cwd") == 0)
        return json_as_bool(json_get(f->args, "bare"), false) ? NULL : json_text(f->arena, "");
    return json_is(value, JSON_NULL) ? NULL : value;
}

/* A placeholder's value. NULL: left out, or f->missing is set. */
static struct json *fill_placeholder(const struct op_map *m, struct map_fill *f,
                                     const struct json *placeholder)
{
    const char *name = arena_string(f->arena, json_as_text(json_get(placeholder, "$arg")));
    const struct json *value = source(m, f, name);
    if (f->missing)
        return NULL;
    if (!value) {
        const struct json *otherwise = json_get(placeholder, "else");
        return otherwise ? json_copy(f->arena, otherwise) : NULL;
    }
    const struct json *map = json_get(placeholder, "map");
    if (json_is(map, JSON_OBJECT)) {
        struct bytes text = json_is(value, JSON_TRUE)    ? BYTES_LITERAL("true")
                            : json_is(value, JSON_FALSE) ? BYTES_LITERAL("false")
                                                         : json_as_text(value);
        const struct json *said = json_get_bytes(map, text);
        const char *what = arena_string(f->arena, text);
        return said ? json_copy(f->arena, said) : map_cannot(m, f, what);
    }
    const struct json *as = json_get(placeholder, "as");
    const char *form = as ? arena_string(f->arena, as->text) : "value";
    struct json *said = in_form(m, f, form, value, name);
    if (is_more(said, json_get(placeholder, "most")))
        return NULL;
    if (strcmp(name, "@timeout") == 0 || strcmp(name, "@limit") == 0)
        note_limit(m, f, said, form);
    return said;
}

static struct json *fill_value(const struct op_map *m, struct map_fill *f, const struct json *value)
{
    if (json_is(value, JSON_OBJECT) && json_get(value, "$arg"))
        return fill_placeholder(m, f, value);
    if (!json_is(value, JSON_OBJECT) && !json_is(value, JSON_ARRAY))
        return json_copy(f->arena, value);
    struct json *filled = json_new(f->arena, value->kind);
    for (const struct json *one = value->first; one; one = one->next) {
        struct json *member = fill_value(m, f, one);
        if (f->missing)
            return NULL;
        if (member && value->kind == JSON_OBJECT)
            json_set_bytes(f->arena, filled, one->key, member);
        else if (member)
            json_add(filled, member);
    }
    return filled;
}

/* Does the value say no more than its absence would? */
static bool says_nothing(const struct op_map *m, const struct json *value, const char *name)
{
    const struct op_arg *arg = op_arg_find(m->op, name);
    if (json_is(value, JSON_NULL) ||
        (json_is(value, JSON_STRING) && !value->text.len && arg && !arg->required))
        return true;
    if (!arg || !arg->fallback)
        return false;
    if (json_is(value, JSON_TRUE) || json_is(value, JSON_FALSE))
        return strcmp(arg->fallback, value->kind == JSON_TRUE ? "true" : "false") == 0;
    return bytes_equal_string(json_as_text(value), arg->fallback);
}

/* What may stay unsaid: a run's parts are put together by map_fill_run.c, a wait's time is ours to keep,
 * and a part of a file is cut by the caller. */
static bool said_otherwise(const struct op_map *m, struct map_fill *f, const struct json *value)
{
    static const char *const run_parts[] = {"argv", "language", "script", "stdin", "env", "cwd", "bare"};
    static const char *const cuts[] = {"offset", "length", "head", "tail"};
    for (size_t i = 0; m->run_way && i < sizeof run_parts / sizeof *run_parts; i++)
        if (bytes_equal_string(value->key, run_parts[i]))
            return true;
    for (size_t i = 0; strcmp(m->op->name, "read") == 0 && i < sizeof cuts / sizeof *cuts; i++)
        if (bytes_equal_string(value->key, cuts[i]))
            return f->cut_here = true;
    return strcmp(m->op->name, "wait") == 0 && bytes_equal_string(value->key, "ms");
}

static bool all_said(const struct op_map *m, struct map_fill *f)
{
    for (const struct json *one = json_is(f->args, JSON_OBJECT) ? f->args->first : NULL; one;
         one = one->next) {
        const char *name = arena_string(f->arena, one->key);
        if (map_places(m, name) || says_nothing(m, one, name) || said_otherwise(m, f, one))
            continue;
        map_cannot(m, f, name);
        return false;
    }
    return true;
}

struct json *map_fill(const struct op_map *m, struct map_fill *f)
{
    f->missing = NULL;
    f->cut_here = false;
    f->told_ms = 0;
    f->path = BYTES_NONE;
    if (!all_said(m, f))
        return NULL;
    struct json *filled = fill_value(m, f, m->arguments);
    return f->missing ? NULL : filled;
}
