/* Looking at a frame's text without making values of it: tokens, members, replacements. The text is one that
 * we wrote, but arguments may hold JSON that no parser may touch, so anything can stand in it. */
#include <string.h>

#include "mutate/wire/wire_internal.h"

static bool is_space(uint8_t c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

static size_t string_end(struct bytes frame, size_t from)
{
    size_t at = from + 1;
    while (at < frame.len && frame.data[at] != '"')
        at += frame.data[at] == '\\' ? 2 : 1;
    return at + 1;
}

bool wire_token_next(struct bytes frame, struct wire_token *t)
{
    size_t at = t->to;
    t->depth += t->kind == '{' || t->kind == '[';
    while (at < frame.len && is_space(frame.data[at]))
        at++;
    if (at >= frame.len)
        return false;
    t->from = at;
    uint8_t c = frame.data[at];
    if (strchr("{}[],:", c) && c) {
        t->kind = (char)c;
        t->to = at + 1;
        if (c == '}' || c == ']') {
            if (t->depth == 0)
                return false;
            t->depth--;
        }
        return true;
    }
    if (c == '"') {
        t->to = string_end(frame, at);
        size_t next = t->to;
        while (next < frame.len && is_space(frame.data[next]))
            next++;
        t->kind = next < frame.len && frame.data[next] == ':' ? 'k' : 's';
        return t->to <= frame.len;
    }
    while (at < frame.len && !is_space(frame.data[at]) &&
           !(strchr("{}[],:\"", frame.data[at]) && frame.data[at]))
        at++;
    t->kind = 'v';
    t->to = at;
    return true;
}

bool wire_member(struct bytes frame, const char *name, struct wire_token *key, struct wire_token *value)
{
    struct wire_token t = {0};
    size_t length = strlen(name);
    while (wire_token_next(frame, &t)) {
        bool found = t.kind == 'k' && t.depth == 1 && t.to - t.from == length + 2 &&
                     memcmp(frame.data + t.from + 1, name, length) == 0;
        if (!found)
            continue;
        *key = t;
        if (!wire_token_next(frame, &t) || !wire_token_next(frame, &t))
            return false;
        *value = t;
        while (t.depth > 1 || ((t.kind == '{' || t.kind == '[') && t.depth == 1))
            if (!wire_token_next(frame, &t))
                return false;
        value->to = t.to;
        return true;
    }
    return false;
}

bool wire_last_string(struct bytes frame, bool key, struct wire_token *found)
{
    struct wire_token at, params, t = {0};
    if (!wire_member(frame, "params", &at, &params))
        return false;
    bool any = false;
    while (wire_token_next(frame, &t))
        if (t.kind == (key ? 'k' : 's') && t.from >= params.from && t.to <= params.to && t.to - t.from > 2) {
            *found = t;
            any = true;
        }
    return any;
}

struct bytes wire_replaced(struct arena *a, struct bytes frame, size_t from, size_t to, struct bytes by)
{
    size_t length = frame.len - (to - from) + by.len;
    uint8_t *data = arena_alloc(a, length ? length : 1);
    memcpy(data, frame.data, from);
    if (by.len)
        memcpy(data + from, by.data, by.len);
    if (to < frame.len)
        memcpy(data + from + by.len, frame.data + to, frame.len - to);
    return bytes_of(data, length);
}

struct bytes wire_with_member(struct arena *a, struct bytes frame, const char *name, struct bytes value)
{
    struct wire_token key, old;
    if (!wire_member(frame, name, &key, &old))
        return BYTES_NONE;
    if (value.len)
        return wire_replaced(a, frame, old.from, old.to, value);
    /* A comma goes along: the one behind, or that in front of the last member. */
    bool last = frame.data[old.to] != ',';
    return wire_replaced(a, frame, last && key.from > 1 ? key.from - 1 : key.from, last ? old.to : old.to + 1,
                         BYTES_NONE);
}

bool wire_note_place(struct bytes frame, size_t *at, struct bytes *before, struct bytes *after)
{
    struct wire_token key, params, t = {0};
    if (!wire_member(frame, "params", &key, &params) || frame.data[params.from] != '{')
        return false;
    bool empty = frame.data[params.from + 1] == '}';
    *at = params.from + 1;
    *before = BYTES_LITERAL("\"_meta\":{\"taskgen\":\"");
    *after = empty ? BYTES_LITERAL("\"}") : BYTES_LITERAL("\"},");
    while (wire_token_next(frame, &t)) {
        bool meta = t.kind == 'k' && t.depth == 2 && t.from > params.from && t.to - t.from == 7 &&
                    memcmp(frame.data + t.from, "\"_meta\"", 7) == 0;
        if (!meta)
            continue;
        /* It has one: the note goes into that. */
        if (!wire_token_next(frame, &t) || !wire_token_next(frame, &t) || t.kind != '{')
            return false;
        *at = t.to;
        *before = BYTES_LITERAL("\"taskgen\":\"");
        *after = t.to < frame.len && frame.data[t.to] == '}' ? BYTES_LITERAL("\"") : BYTES_LITERAL("\",");
        return true;
    }
    return true;
}
