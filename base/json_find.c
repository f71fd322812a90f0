/* JSON pointers (RFC 6901) and deep comparison. */
#include "base/json.h"

#include <stdlib.h>

#include "base/json_internal.h"

/* Undoes one character of an escaped token; -1 for an escape that is none. */
static int token_byte(struct bytes token, size_t *at)
{
    uint8_t c = token.data[(*at)++];
    if (c != '~')
        return c;
    uint8_t code = *at < token.len ? token.data[(*at)++] : 0;
    return code == '0' ? '~' : code == '1' ? '/' : -1;
}

static bool token_is(struct bytes token, struct bytes key)
{
    size_t at = 0, k = 0;
    while (at < token.len) {
        int c = token_byte(token, &at);
        if (k == key.len || c != key.data[k++])
            return false;
    }
    return k == key.len;
}

/* Decimal without leading zeros, as the RFC has it; SIZE_MAX for anything else. */
static size_t token_index(struct bytes token)
{
    size_t index = 0;
    if (token.len == 0 || token.len > 18 || (token.len > 1 && token.data[0] == '0'))
        return SIZE_MAX;
    for (size_t i = 0; i < token.len; i++) {
        if (token.data[i] < '0' || token.data[i] > '9')
            return SIZE_MAX;
        index = index * 10 + (size_t)(token.data[i] - '0');
    }
    return index;
}

static struct json *step_down(const struct json *value, struct bytes token)
{
    if (json_is(value, JSON_ARRAY))
        return json_at(value, token_index(token));
    struct json *found = NULL;
    if (json_is(value, JSON_OBJECT))
        for (struct json *child = value->first; child; child = child->next)
            if (token_is(token, child->key))
                found = child;
    return found;
}

struct json *json_pointer(const struct json *value, struct bytes pointer)
{
    size_t at = 0;
    while (value && at < pointer.len) {
        if (pointer.data[at] != '/')
            return NULL;
        ptrdiff_t slash = bytes_find(pointer, BYTES_LITERAL("/"), at + 1);
        size_t end = slash < 0 ? pointer.len : (size_t)slash;
        value = step_down(value, bytes_slice(pointer, at + 1, end));
        at = end;
    }
    return (struct json *)value; /* const for the caller who has a const value, as strchr() has it */
}

/* Deep comparison: a heap of pairs that are still to be compared. */
struct pairs {
    struct {
        const struct json *a, *b;
    } *items;
    size_t len, cap;
};

static void push_pair(struct pairs *pairs, const struct json *a, const struct json *b)
{
    if (pairs->len == pairs->cap) {
        pairs->cap = pairs->cap ? 2 * pairs->cap : 64;
        pairs->items = xrealloc(pairs->items, pairs->cap * sizeof *pairs->items);
    }
    pairs->items[pairs->len].a = a;
    pairs->items[pairs->len++].b = b;
}

static struct json_member *sorted_members(const struct json *object)
{
    struct json_member *members = xcalloc(object->count, sizeof *members);
    uint64_t rank = 0;
    for (const struct json *child = object->first; child; child = child->next)
        members[rank] = (struct json_member){child, rank}, rank++;
    json_sort_members(members, object->count);
    return members;
}

/* False when the keys differ. Doubled keys are paired in the order they stand in. */
static bool push_members(struct pairs *pairs, const struct json *a, const struct json *b)
{
    struct json_member *left = sorted_members(a), *right = sorted_members(b);
    bool same = true;
    for (uint32_t i = 0; i < a->count && same; i++) {
        same = bytes_equal(left[i].value->key, right[i].value->key);
        push_pair(pairs, left[i].value, right[i].value);
    }
    free(left);
    free(right);
    return same;
}

static bool same_here(struct pairs *pairs, const struct json *a, const struct json *b)
{
    if (a->kind != b->kind || a->count != b->count || !bytes_equal(a->text, b->text))
        return false;
    if (a->kind == JSON_OBJECT)
        return push_members(pairs, a, b);
    for (const struct json *x = a->first, *y = b->first; x; x = x->next, y = y->next)
        push_pair(pairs, x, y);
    return true;
}

bool json_equal(const struct json *a, const struct json *b)
{
    if (!a || !b)
        return a == b;
    struct pairs pairs = {0};
    bool same = true;
    push_pair(&pairs, a, b);
    while (same && pairs.len) {
        pairs.len--;
        same = same_here(&pairs, pairs.items[pairs.len].a, pairs.items[pairs.len].b);
    }
    free(pairs.items);
    return same;
}
