/* Heads of requests, as far as pages under /raw/ need them. Foreign bytes. */
#include <string.h>
#include <strings.h>

#include "exec/site/raw.h"

enum { METHOD_LONG = 16, ROOM_LONG = 48 };

static bool is_letter(uint8_t c)
{
    return c >= 'A' && c <= 'Z';
}

/* Behind the method and the blank; 0: it has none; -1: that is not known yet. */
static ptrdiff_t target_of(struct bytes head)
{
    size_t at = 0;
    while (at < head.len && is_letter(head.data[at]) && at < METHOD_LONG)
        at++;
    if (at == head.len)
        return -1;
    return at && head.data[at] == ' ' ? (ptrdiff_t)at + 1 : 0;
}

/* Behind the room, where the target begins with one; -1: it is not known yet where that ends. */
static ptrdiff_t behind_room(struct bytes head, size_t at)
{
    if (!bytes_starts(bytes_slice(head, at, head.len), BYTES_LITERAL("/~")))
        return (ptrdiff_t)at;
    size_t end = at + 2;
    while (end < head.len && head.data[end] != '/' && head.data[end] != ' ' && end < at + ROOM_LONG)
        end++;
    return end == head.len ? -1 : (ptrdiff_t)end;
}

/* So far as there is any of it. */
static bool begins_alike(struct bytes text, struct bytes wanted)
{
    size_t length = text.len < wanted.len ? text.len : wanted.len;
    return bytes_equal(bytes_slice(text, 0, length), bytes_slice(wanted, 0, length));
}

int web_raw_asked(struct bytes head)
{
    static const struct bytes raw = BYTES_LITERAL("/raw/");
    ptrdiff_t target = target_of(head), at = target > 0 ? behind_room(head, (size_t)target) : target;
    if (at <= 0)
        return (int)at;
    struct bytes rest = bytes_slice(head, (size_t)at, head.len);
    return !begins_alike(rest, raw) ? 0 : rest.len >= raw.len ? 1 : -1;
}

/* The line at `from`, without its end; `from` is moved behind it. */
static bool next_line(struct bytes head, size_t *from, struct bytes *line)
{
    ptrdiff_t end = *from < head.len ? bytes_find(head, BYTES_LITERAL("\n"), *from) : -1;
    if (end < 0)
        return false;
    *line = bytes_slice(head, *from, (size_t)end);
    if (bytes_ends(*line, BYTES_LITERAL("\r")))
        line->len--;
    *from = (size_t)end + 1;
    return line->len > 0;
}

bool web_raw_line(struct arena *a, struct bytes head, const char **method, struct bytes *target)
{
    size_t from = 0;
    struct bytes line;
    if (!next_line(head, &from, &line))
        return false;
    ptrdiff_t first = bytes_find(line, BYTES_LITERAL(" "), 0), second = first < 0 ? -1 : bytes_find(line, BYTES_LITERAL(" "), (size_t)first + 1);
    if (first <= 0 || second < 0)
        return false;
    *method = arena_string(a, bytes_slice(line, 0, (size_t)first < 32 ? (size_t)first : 32));
    *target = bytes_slice(line, (size_t)first + 1, (size_t)second);
    return target->len > 0;
}

struct bytes web_raw_header(struct bytes head, const char *name)
{
    size_t from = 0, length = strlen(name);
    struct bytes line;
    for (bool more = next_line(head, &from, &line); more && next_line(head, &from, &line);) {
        if (line.len <= length || line.data[length] != ':' || strncasecmp((const char *)line.data, name, length) != 0)
            continue;
        struct bytes value = bytes_slice(line, length + 1, line.len);
        while (value.len && value.data[0] == ' ')
            value = bytes_slice(value, 1, value.len);
        return value;
    }
    return BYTES_NONE;
}
