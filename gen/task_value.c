/* Values inside a record: the wrappers, how bytes look outside and inside, and their words in messages.
 *
 * Inside, a string holds any bytes and a JSON_RAW node holds text that no parser may touch; outside (in the
 * record) they are {"$bytes":base64} and {"$raw":text}. The other wrappers look the same on both sides. What
 * stands in a $literal is never looked at. Nothing here recurses. */
#include <string.h>

#include "base/encode.h"
#include "base/error.h"
#include "base/utf8.h"
#include "gen/task_internal.h"

const char *const task_spellings[] = {"relative", "absolute", "tilde", "dotted", "link", NULL};

/* Members a wrapper must have beside its own name, one that it may have, and no others. */
struct wrapper_row {
    const char *name;
    const char *second;
    const char *optional;
};

static const struct wrapper_row wrapper_table[] = {
    [WRAP_BYTES] = {.name = "$bytes"},
    [WRAP_RAW] = {.name = "$raw"},
    [WRAP_CONTENT] = {.name = "$content"},
    [WRAP_FROM] = {.name = "$from", .second = "at", .optional = "else"},
    [WRAP_PATH] = {.name = "$path", .second = "as"},
    [WRAP_LITERAL] = {.name = "$literal"},
    [WRAP_RECIPE] = {.name = "$recipe"},
};

const char *task_wrapper_name(enum task_wrapper wrapper)
{
    return wrapper == WRAP_NONE ? "none" : wrapper_table[wrapper].name;
}

enum task_wrapper task_wrapper_of(const struct json *value)
{
    if (!json_is(value, JSON_OBJECT))
        return WRAP_NONE;
    for (const struct json *member = value->first; member; member = member->next) {
        if (!member->key.len || member->key.data[0] != '$')
            continue;
        for (int wrapper = WRAP_BYTES; wrapper <= WRAP_RECIPE; wrapper++)
            if (bytes_equal_string(member->key, wrapper_table[wrapper].name))
                return (enum task_wrapper)wrapper;
    }
    return WRAP_NONE;
}

struct json *task_walk_values(const struct json *root, struct json *node)
{
    return json_next(root, node, task_wrapper_of(node) != WRAP_LITERAL);
}

static struct json *wrap_text(struct arena *a, const char *name, struct bytes text)
{
    struct json *object = json_new(a, JSON_OBJECT);
    json_set(a, object, name, json_string(a, text));
    return object;
}

static struct json *wrap_bytes(struct arena *a, struct bytes data)
{
    struct buf text;
    buf_init(&text, SIZE_MAX);
    base64_encode(&text, data);
    struct json *object = wrap_text(a, "$bytes", buf_bytes(&text));
    buf_release(&text);
    return object;
}

/* The decoded bytes of a well-formed {"$bytes":…}; false for everything else. */
static bool unwrap_bytes(struct arena *a, const struct json *object, struct bytes *data)
{
    if (object->count != 1 || !json_is(object->first, JSON_STRING))
        return false;
    struct buf decoded;
    buf_init(&decoded, SIZE_MAX);
    bool ok = base64_decode(&decoded, object->first->text) == 0;
    if (ok)
        *data = arena_copy(a, buf_bytes(&decoded));
    buf_release(&decoded);
    return ok;
}

/* What stands in the record for one value, or NULL when it stands for itself. */
static struct json *outward(struct arena *a, const struct json *value)
{
    struct bytes data;
    if (json_is(value, JSON_STRING) && !utf8_valid(value->text))
        return wrap_bytes(a, value->text);
    if (json_is(value, JSON_RAW)) {
        struct json *object = json_new(a, JSON_OBJECT);
        json_set(a, object, "$raw",
                 utf8_valid(value->text) ? json_string(a, value->text) : wrap_bytes(a, value->text));
        return object;
    }
    /* Made by hand, in memory: text has one form only, so that equal tasks have equal ids. */
    if (task_wrapper_of(value) == WRAP_BYTES && unwrap_bytes(a, value, &data) && utf8_valid(data))
        return json_string(a, data);
    return NULL;
}

struct json *task_value_outward(struct arena *a, const struct json *value)
{
    struct json *root = json_copy(a, value);
    for (struct json *v = root; v;) {
        struct json *other = outward(a, v);
        if (!other) {
            v = task_walk_values(root, v);
            continue;
        }
        if (v == root) {
            other->key = root->key;
            return other; /* a string, a raw text or a wrapper has nothing below it */
        }
        json_replace(v, other);
        v = json_next(root, other, false);
    }
    return root;
}

/* Characters that are not seen, or turn what stands beside them: a reader is told of them instead. */
static bool is_invisible(int32_t c)
{
    return (c >= 0x200b && c <= 0x200f) || (c >= 0x2028 && c <= 0x202e) || (c >= 0x2060 && c <= 0x2069) ||
           c == 0xfeff;
}

void task_put_escaped(struct buf *out, struct bytes text)
{
    for (size_t at = 0; at < text.len;) {
        size_t start = at;
        int32_t c = utf8_next(text, &at);
        if (c == '\n' || c == '\t')
            buf_add_string(out, c == '\n' ? "\\n" : "\\t");
        else if (c < 0x20 || (c >= 0x7f && c < 0xa0))
            buf_addf(out, "\\x%02x", (unsigned)text.data[at - 1]);
        else if (is_invisible(c))
            buf_addf(out, "\\u%04x", (unsigned)c);
        else
            buf_add(out, bytes_slice(text, start, at));
    }
}

size_t task_text_cut(struct bytes text, size_t max)
{
    if (text.len <= max)
        return text.len;
    size_t cut = max;
    while (cut && max - cut < 4 && (text.data[cut] & 0xc0) == 0x80)
        cut--;
    return (text.data[cut] & 0xc0) == 0x80 ? max : cut; /* nowhere near is a character's start: no text */
}

char *task_show(struct arena *a, struct bytes text, size_t max)
{
    struct buf out;
    size_t cut = task_text_cut(text, max);
    buf_init(&out, SIZE_MAX);
    buf_add_byte(&out, '\'');
    task_put_escaped(&out, bytes_slice(text, 0, cut));
    buf_add_string(&out, cut < text.len ? "...'" : "'");
    char *shown = arena_string(a, buf_bytes(&out));
    buf_release(&out);
    return shown;
}

char *task_describe(struct arena *a, const struct json *value)
{
    if (!value)
        return arena_printf(a, "nothing");
    if (task_wrapper_of(value) != WRAP_NONE)
        return arena_printf(a, "a %s object", task_wrapper_name(task_wrapper_of(value)));
    if (json_is(value, JSON_NUMBER) && value->text.len <= 40)
        return arena_printf(a, "%.*s", BYTES_ARG(value->text));
    if (json_is(value, JSON_STRING))
        return task_show(a, value->text, 40);
    return arena_printf(a, "%s", json_kind_name(value->kind));
}

int task_fault(struct task_reader *r, const char *member, const struct json *found, const char *expected)
{
    return error_set(r->err, ERR_INPUT, "%s: %s: found %s, expected %s", r->where, member,
                     task_describe(&r->task->arena, found), expected);
}

bool task_name_ok(struct bytes name)
{
    if (!name.len || name.len > TASK_NAME_MAX || name.data[0] == '-')
        return false;
    for (size_t i = 0; i < name.len; i++) {
        uint8_t c = name.data[i];
        bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
        if (!letter && c != '-' && c != '_' && c != '.')
            return false;
    }
    return true;
}

/* The wrapper with its own member first, as everybody looks for it, and the other one after it. */
static int order_wrapper(struct task_reader *r, struct json *value, const struct wrapper_row *row,
                         const char *member)
{
    struct json *own = json_get(value, row->name);
    struct json *second = row->second ? json_get(value, row->second) : NULL;
    struct json *third = row->optional ? json_get(value, row->optional) : NULL;
    uint32_t count = (row->second ? 2 : 1) + (third ? 1 : 0);
    if (value->count != count || (row->second && !second)) {
        const char *expected = row->second ? arena_printf(&r->task->arena,
                                                          "the members %s and %s and no other (a real "
                                                          "argument with such a key is wrapped in $literal)",
                                                          row->name, row->second)
                                           : arena_printf(&r->task->arena,
                                                          "the member %s alone (a real argument with "
                                                          "such a key is wrapped in $literal)",
                                                          row->name);
        return error_set(r->err, ERR_INPUT, "%s: %s: found %u members, expected %s", r->where, member,
                         value->count, expected);
    }
    struct json *ordered[] = {own, second, third};
    const char *names[] = {row->name, row->second, row->optional};
    for (size_t i = 0; second && i < sizeof ordered / sizeof *ordered; i++) {
        if (!ordered[i])
            continue;
        json_remove(value, ordered[i]);
        json_set_bytes(&r->task->arena, value, bytes_of_string(names[i]), ordered[i]);
    }
    return 0;
}

static bool is_spelling(struct bytes text)
{
    for (size_t i = 0; task_spellings[i]; i++)
        if (bytes_equal_string(text, task_spellings[i]))
            return true;
    return false;
}

/* Puts `value` where `old` stands; the root has no parent to put it under. */
static struct json *put(struct json **root, struct json *old, struct json *value)
{
    if (old == *root && !old->parent) {
        value->key = old->key;
        *root = value;
        return value;
    }
    if (old == *root)
        *root = value;
    json_replace(old, value);
    return value;
}

static int inward_bytes(struct task_reader *r, struct json **root, struct json **value, const char *member)
{
    struct bytes data;
    if (!unwrap_bytes(&r->task->arena, *value, &data))
        return task_fault(r, arena_printf(&r->task->arena, "%s.$bytes", member), (*value)->first,
                          "base64 with padding and without white space");
    *value = put(root, *value, json_string(&r->task->arena, data));
    return 0;
}

static int inward_raw(struct task_reader *r, struct json **root, struct json **value, const char *member)
{
    struct json *text = (*value)->first;
    struct bytes data = json_as_text(text);
    bool ok = json_is(text, JSON_STRING) ||
              (task_wrapper_of(text) == WRAP_BYTES && unwrap_bytes(&r->task->arena, text, &data));
    if (!ok || !data.len)
        return task_fault(r, arena_printf(&r->task->arena, "%s.$raw", member), text,
                          "a text that is not empty");
    *value = put(root, *value, json_raw(&r->task->arena, data));
    return 0;
}

static int check_path(struct task_reader *r, struct json *value, const char *member)
{
    struct json *path = value->first, *as = path->next;
    if (!json_is(path, JSON_STRING) && task_wrapper_of(path) != WRAP_BYTES)
        return task_fault(r, arena_printf(&r->task->arena, "%s.$path", member), path, "a path");
    if (!json_is(as, JSON_STRING) || !is_spelling(as->text))
        return task_fault(r, arena_printf(&r->task->arena, "%s.as", member), as,
                          "one of relative, absolute, tilde, dotted, link");
    return 0;
}

/* $content and $from: a name, and for the latter a pointer into a result. */
static int check_reference(struct task_reader *r, struct json *value, enum task_wrapper wrapper,
                           const char *member)
{
    struct json *name = value->first, *at = name->next;
    if (!json_is(name, JSON_STRING) || !task_name_ok(name->text))
        return task_fault(r, arena_printf(&r->task->arena, "%s.%s", member, task_wrapper_name(wrapper)), name,
                          wrapper == WRAP_FROM ? "a step's id" : "the name of a content");
    if (at && !(json_is(at, JSON_STRING) && at->text.len && at->text.data[0] == '/'))
        return task_fault(r, arena_printf(&r->task->arena, "%s.at", member), at,
                          "a JSON pointer such as \"/pid\"");
    return 0;
}

/* Checks one wrapper; *v becomes what it stands for. */
static int inward(struct task_reader *r, struct json **root, struct json **v, enum task_wrapper wrapper,
                  unsigned wraps, const char *member)
{
    if (!(wraps & 1u << wrapper))
        return task_fault(r, member, *v,
                          wrapper == WRAP_RECIPE ? "{\"$content\":NAME}; recipes stand in \"contents\" only"
                                                 : "a value that may stand here");
    if (wrapper == WRAP_RECIPE)
        return 0; /* its parameters are checked by recipe_complete */
    TRY(order_wrapper(r, *v, &wrapper_table[wrapper], member));
    switch (wrapper) {
    case WRAP_BYTES:
        return inward_bytes(r, root, v, member);
    case WRAP_RAW:
        return inward_raw(r, root, v, member);
    case WRAP_PATH:
        return check_path(r, *v, member);
    case WRAP_LITERAL:
        return 0;
    default:
        return check_reference(r, *v, wrapper, member);
    }
}

struct json *task_value_inward(struct task_reader *r, struct json *value, unsigned wraps, const char *member)
{
    struct json *root = value;
    for (struct json *v = value; v;) {
        enum task_wrapper wrapper = task_wrapper_of(v);
        if (wrapper != WRAP_NONE && inward(r, &root, &v, wrapper, wraps, member) < 0)
            return NULL;
        v = json_next(root, v, wrapper != WRAP_LITERAL);
    }
    return root;
}
