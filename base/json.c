/* JSON values: building, changing, looking things up.
 *
 * Invariants: the children of a container are a singly linked list, in order, with the container as their
 * parent; count is its length; a value has at most one parent. Nothing recurses: walks go down by first, on
 * by next and up by parent, so depth costs no stack. */
#include "base/json.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/json_internal.h"

struct json *json_new(struct arena *a, enum json_kind kind)
{
    struct json *value = arena_alloc(a, sizeof *value);
    value->kind = kind;
    return value;
}

static struct json *new_with_text(struct arena *a, enum json_kind kind, struct bytes text)
{
    struct json *value = json_new(a, kind);
    value->text = arena_copy(a, text);
    return value;
}

struct json *json_string(struct arena *a, struct bytes text)
{
    return new_with_text(a, JSON_STRING, text);
}

struct json *json_text(struct arena *a, const char *text)
{
    return json_string(a, bytes_of_string(text));
}

struct json *json_integer(struct arena *a, int64_t value)
{
    return new_with_text(a, JSON_NUMBER, bytes_of_string(arena_printf(a, "%" PRId64, value)));
}

struct json *json_real(struct arena *a, double value)
{
    if (!isfinite(value))
        BUG("JSON has no number for infinity or NaN");
    struct buf text;
    buf_init(&text, 64);
    json_number_shortest(&text, value);
    struct json *number = new_with_text(a, JSON_NUMBER, buf_bytes(&text));
    buf_release(&text);
    return number;
}

struct json *json_bool(struct arena *a, bool value)
{
    return json_new(a, value ? JSON_TRUE : JSON_FALSE);
}

struct json *json_raw(struct arena *a, struct bytes text)
{
    return new_with_text(a, JSON_RAW, text);
}

void json_link(struct json *parent, struct json *value)
{
    value->parent = parent;
    if (parent->last)
        parent->last->next = value;
    else
        parent->first = value;
    parent->last = value;
    parent->count++;
}

static struct json *append(struct json *parent, enum json_kind kind, struct json *value)
{
    if (!json_is(parent, kind))
        BUG("a value is added to something that is not the right container");
    if (value->parent)
        BUG("a value is given a second parent; copy or remove it first");
    json_link(parent, value);
    return value;
}

struct json *json_add(struct json *array, struct json *value)
{
    return append(array, JSON_ARRAY, value);
}

struct json *json_set(struct arena *a, struct json *object, const char *key, struct json *value)
{
    return json_set_bytes(a, object, bytes_of_string(key), value);
}

struct json *json_set_bytes(struct arena *a, struct json *object, struct bytes key, struct json *value)
{
    append(object, JSON_OBJECT, value);
    value->key = arena_copy(a, key);
    return value;
}

/* Where the pointer to child is kept; *before is the sibling in front of it, or NULL. */
static struct json **find_link(struct json *parent, const struct json *child, struct json **before)
{
    struct json **link = &parent->first;
    *before = NULL;
    while (*link && *link != child) {
        *before = *link;
        link = &(*link)->next;
    }
    if (!*link)
        BUG("not a child of this value");
    return link;
}

void json_remove(struct json *parent, struct json *child)
{
    struct json *before;
    *find_link(parent, child, &before) = child->next;
    if (parent->last == child)
        parent->last = before;
    parent->count--;
    child->parent = child->next = NULL;
}

void json_replace(struct json *old, struct json *value)
{
    struct json *parent = old->parent;
    if (!parent)
        BUG("a value without a parent has no place to give away");
    if (value->parent)
        BUG("a value is given a second parent; copy or remove it first");
    struct json *before;
    *find_link(parent, old, &before) = value;
    if (parent->last == old)
        parent->last = value;
    value->next = old->next;
    value->parent = parent;
    value->key = old->key;
    value->duplicate = old->duplicate;
    old->parent = old->next = NULL;
}

static struct json *copy_one(struct arena *a, const struct json *from)
{
    struct json *copy = json_new(a, from->kind);
    if (from->text.data)
        copy->text = arena_copy(a, from->text);
    if (from->key.data)
        copy->key = arena_copy(a, from->key);
    copy->offset = from->offset;
    copy->bad_utf8 = from->bad_utf8;
    copy->lone_surrogate = from->lone_surrogate;
    copy->duplicate = from->duplicate;
    return copy;
}

struct json *json_copy(struct arena *a, const struct json *value)
{
    if (!value)
        return NULL;
    struct json *root = copy_one(a, value), *at = root;
    root->key = BYTES_NONE;
    root->duplicate = false;
    for (const struct json *from = value; from;) {
        if (from->first) {
            from = from->first;
        } else {
            while (from != value && !from->next) {
                from = from->parent;
                at = at->parent;
            }
            if (from == value)
                break;
            from = from->next;
            at = at->parent;
        }
        struct json *copy = copy_one(a, from);
        json_link(at, copy);
        at = copy;
    }
    return root;
}

static int compare_members(const void *left, const void *right)
{
    const struct json_member *a = left, *b = right;
    int order = bytes_compare(a->value->key, b->value->key);
    return order ? order : (a->rank > b->rank) - (a->rank < b->rank);
}

void json_sort_members(struct json_member *members, size_t count)
{
    if (count > 1)
        qsort(members, count, sizeof *members, compare_members);
}

struct json *json_next(const struct json *root, const struct json *node, bool down)
{
    if (down && node->first)
        return node->first;
    while (node != root && !node->next)
        node = node->parent;
    return node == root ? NULL : node->next;
}

struct json *json_get(const struct json *object, const char *key)
{
    return json_get_bytes(object, bytes_of_string(key));
}

struct json *json_get_bytes(const struct json *object, struct bytes key)
{
    struct json *found = NULL;
    if (json_is(object, JSON_OBJECT))
        for (struct json *child = object->first; child; child = child->next)
            if (child->key.len == key.len && (!key.len || memcmp(child->key.data, key.data, key.len) == 0))
                found = child;
    return found;
}

struct json *json_at(const struct json *array, size_t index)
{
    if (!json_is(array, JSON_ARRAY) || index >= array->count)
        return NULL;
    struct json *child = array->first;
    while (index--)
        child = child->next;
    return child;
}

bool json_is(const struct json *value, enum json_kind kind)
{
    return value && value->kind == kind;
}

bool json_as_integer(const struct json *value, int64_t *out)
{
    if (!json_is(value, JSON_NUMBER))
        return false;
    bool negative = value->text.len && value->text.data[0] == '-';
    struct bytes digits = bytes_slice(value->text, negative, value->text.len);
    uint64_t limit = (uint64_t)INT64_MAX + negative, sum = 0;
    for (size_t i = 0; i < digits.len; i++) {
        unsigned digit = digits.data[i] - (unsigned)'0';
        if (digit > 9 || sum > (limit - digit) / 10)
            return false;
        sum = sum * 10 + digit;
    }
    if (digits.len)
        *out = (int64_t)(negative ? -sum : sum);
    return digits.len > 0;
}

bool json_as_real(const struct json *value, double *out)
{
    if (!json_is(value, JSON_NUMBER) || value->text.len == 0)
        return false;
    /* The lexeme is followed by a NUL, see arena_copy(). */
    double number = strtod((const char *)value->text.data, NULL);
    if (!isfinite(number))
        return false;
    *out = number;
    return true;
}

bool json_as_bool(const struct json *value, bool fallback)
{
    return json_is(value, JSON_TRUE) || (!json_is(value, JSON_FALSE) && fallback);
}

struct bytes json_as_text(const struct json *value)
{
    return json_is(value, JSON_STRING) || json_is(value, JSON_NUMBER) ? value->text : BYTES_NONE;
}

const char *json_kind_name(enum json_kind kind)
{
    static const char *const names[] = {
        [JSON_NULL] = "null",     [JSON_FALSE] = "false", [JSON_TRUE] = "true",     [JSON_NUMBER] = "number",
        [JSON_STRING] = "string", [JSON_ARRAY] = "array", [JSON_OBJECT] = "object", [JSON_RAW] = "raw",
    };
    return (size_t)kind < sizeof names / sizeof *names ? names[kind] : "unknown";
}
