/* The check of arguments against the table of tools, and how handlers get at them. */
#include <stdio.h>
#include <string.h>

#include "base/utf8.h"
#include "leakybox/text.h"
#include "leakybox/tools.h"

static const struct tool_arg *find_arg(const struct tool *tool, struct bytes name)
{
    for (size_t i = 0; i < tool->arg_count; i++)
        if (bytes_equal_string(name, tool->args[i].name))
            return &tool->args[i];
    return NULL;
}

static void wrong_kind(struct buf *why, const struct json *value, const char *expected)
{
    buf_addf(why, "found %s, expected %s", json_kind_name(value->kind), expected);
}

/* Appends what is wrong with a string, if anything is. */
static void check_string(const struct json *value, bool nul_allowed, struct buf *why)
{
    const uint8_t *nul;

    if (!json_is(value, JSON_STRING)) {
        wrong_kind(why, value, "a string");
    } else if (!utf8_valid(value->text)) {
        buf_add_string(why, "holds half of a surrogate pair, which is no character and has no UTF-8 form");
    } else if (!nul_allowed && value->text.len && (nul = memchr(value->text.data, 0, value->text.len))) {
        buf_addf(why, "holds a NUL byte at byte %zu, which is not possible here",
                 (size_t)(nul - value->text.data));
    }
}

static void check_count(const struct tool_arg *arg, const struct json *value, struct buf *why)
{
    char expected[96];
    int64_t n;
    double real;

    snprintf(expected, sizeof(expected), "an integer from %lld to %lld", (long long)arg->low,
             (long long)arg->high);
    if (!json_is(value, JSON_NUMBER)) {
        wrong_kind(why, value, expected);
        return;
    }
    if (!json_as_integer(value, &n)) {
        /* 5.0 and 1e3 are integers too */
        if (!json_as_real(value, &real) || real < -9e15 || real > 9e15 || (double)(int64_t)real != real) {
            buf_addf(why, "expected %s", expected);
            return;
        }
        n = (int64_t)real;
    }
    if (n < arg->low || n > arg->high)
        buf_addf(why, "found %lld, expected %s", (long long)n, expected);
}

static void check_map(const struct json *value, struct buf *why)
{
    if (!json_is(value, JSON_OBJECT)) {
        wrong_kind(why, value, "an object of strings");
        return;
    }
    for (const struct json *m = value->first; m && !why->len; m = m->next) {
        if (!m->key.len || memchr(m->key.data, '=', m->key.len) || memchr(m->key.data, 0, m->key.len) ||
            !utf8_valid(m->key))
            buf_add_string(
                why,
                "has a name that no variable can have (empty, or with \"=\", NUL or half a surrogate pair)");
        else
            check_string(m, false, why);
    }
}

static void check_choice(const struct tool_arg *arg, const struct json *value, struct buf *why)
{
    for (const char *const *choice = arg->choices; json_is(value, JSON_STRING) && *choice; choice++)
        if (bytes_equal_string(value->text, *choice))
            return;
    buf_add_string(why, "expected one of");
    for (const char *const *choice = arg->choices; *choice; choice++)
        buf_addf(why, " %s", *choice);
}

static void check_value(const struct tool_arg *arg, const struct json *value, struct buf *why)
{
    switch (arg->type) {
    case ARG_TEXT:
        check_string(value, true, why);
        break;
    case ARG_PATH: /* NUL is looked for when the place is */
        check_string(value, true, why);
        break;
    case ARG_LINE:
        check_string(value, false, why);
        break;
    case ARG_COUNT:
        check_count(arg, value, why);
        break;
    case ARG_FLAG:
        if (!json_is(value, JSON_TRUE) && !json_is(value, JSON_FALSE))
            wrong_kind(why, value, "true or false");
        break;
    case ARG_MAP:
        check_map(value, why);
        break;
    case ARG_CHOICE:
        check_choice(arg, value, why);
        break;
    }
}

static bool refuse_arg(struct call *c, struct bytes name, const char *why)
{
    struct buf text;

    buf_init(&text, 1024);
    text_quote(&text, name);
    call_failed(c, "argument %s of %s %s", buf_string(&text), c->tool->name, why);
    buf_release(&text);
    return false;
}

bool call_check_args(struct call *c)
{
    struct json *value, *next;

    for (value = c->args->first; value; value = next) {
        const struct tool_arg *arg = find_arg(c->tool, value->key);
        struct buf why;
        bool good;

        next = value->next;
        if (!arg)
            return refuse_arg(c, value->key, "is not known");
        if (!arg->required && json_is(value, JSON_NULL)) {
            json_remove(c->args, value);
            continue;
        }
        buf_init(&why, 1024);
        check_value(arg, value, &why);
        good = why.len == 0 || refuse_arg(c, value->key, buf_string(&why));
        buf_release(&why);
        if (!good)
            return false;
    }
    for (size_t i = 0; i < c->tool->arg_count; i++)
        if (c->tool->args[i].required && !json_get(c->args, c->tool->args[i].name))
            return refuse_arg(c, bytes_of_string(c->tool->args[i].name), "is missing");
    return true;
}

bool call_has(const struct call *c, const char *arg)
{
    return json_get(c->args, arg) != NULL;
}

struct bytes call_bytes(const struct call *c, const char *arg)
{
    return json_as_text(json_get(c->args, arg));
}

int64_t call_integer(const struct call *c, const char *arg, int64_t fallback)
{
    const struct json *value = json_get(c->args, arg);
    double real;
    int64_t n;

    if (!value)
        return fallback;
    if (json_as_integer(value, &n))
        return n;
    return json_as_real(value, &real) ? (int64_t)real : fallback;
}
