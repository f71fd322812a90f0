/* Reading addresses, parameters, cookies and ranges; see query.h. */
#include "exec/site/query.h"

#include <string.h>
#include <strings.h>

enum { ROOM_MAX = 40 };

static int hex_digit(uint8_t c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    if (c >= 'a' && c <= 'f')
        return c - 'a' + 10;
    return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

struct bytes web_decode(struct arena *a, struct bytes text, bool plus)
{
    uint8_t *out = arena_alloc(a, text.len + 1);
    size_t length = 0;
    for (size_t i = 0; i < text.len; i++) {
        uint8_t c = text.data[i];
        int high = c == '%' && i + 2 < text.len ? hex_digit(text.data[i + 1]) : -1;
        int low = high >= 0 ? hex_digit(text.data[i + 2]) : -1;
        if (low >= 0) {
            out[length++] = (uint8_t)(high << 4 | low);
            i += 2;
        } else {
            out[length++] = plus && c == '+' ? ' ' : c;
        }
    }
    return bytes_of(out, length);
}

static bool of_room(uint8_t c)
{
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-';
}

/* Takes "/~room" off the front. */
static const char *take_room(struct arena *a, struct bytes *path)
{
    size_t end = 2;
    if (!bytes_starts(*path, BYTES_LITERAL("/~")))
        return "";
    while (end < path->len && of_room(path->data[end]))
        end++;
    if (end == 2 || end > 2 + ROOM_MAX || (end < path->len && path->data[end] != '/'))
        return "";
    const char *room = arena_string(a, bytes_slice(*path, 2, end));
    *path = end == path->len ? BYTES_LITERAL("/") : bytes_slice(*path, end, path->len);
    return room;
}

void web_target_read(struct arena *a, struct bytes uri, struct web_target *out)
{
    *out = (struct web_target){.cut = uri.len > WEB_TARGET_MAX};
    uri = bytes_slice(uri, 0, WEB_TARGET_MAX);
    ptrdiff_t host = bytes_find(uri, BYTES_LITERAL("://"), 0);
    if (uri.len && uri.data[0] != '/' && host > 0) {
        ptrdiff_t path = bytes_find(uri, BYTES_LITERAL("/"), (size_t)host + 3);
        uri = path < 0 ? BYTES_LITERAL("/") : bytes_slice(uri, (size_t)path, uri.len);
    }
    ptrdiff_t mark = bytes_find(uri, BYTES_LITERAL("?"), 0);
    struct bytes path = mark < 0 ? uri : bytes_slice(uri, 0, (size_t)mark);
    out->query = mark < 0 ? BYTES_NONE : arena_copy(a, bytes_slice(uri, (size_t)mark + 1, uri.len));
    path = web_decode(a, path, false);
    out->room = take_room(a, &path);
    out->path = path.len ? path : BYTES_LITERAL("/");
}

size_t web_parameters_read(struct arena *a, struct bytes query, const struct web_parameter **list)
{
    struct web_parameter *all = arena_alloc(a, WEB_PARAMETERS_MAX * sizeof *all);
    size_t count = 0;
    for (size_t from = 0; from < query.len && count < WEB_PARAMETERS_MAX;) {
        ptrdiff_t found = bytes_find(query, BYTES_LITERAL("&"), from);
        size_t to = found < 0 ? query.len : (size_t)found;
        struct bytes pair = bytes_slice(query, from, to);
        ptrdiff_t equals = bytes_find(pair, BYTES_LITERAL("="), 0);
        size_t name = equals < 0 ? pair.len : (size_t)equals, value = equals < 0 ? pair.len : name + 1;
        if (pair.len)
            all[count++] = (struct web_parameter){web_decode(a, bytes_slice(pair, 0, name), true),
                                                  web_decode(a, bytes_slice(pair, value, pair.len), true)};
        from = to + 1;
    }
    *list = all;
    return count;
}

static struct bytes trimmed(struct bytes b)
{
    while (b.len && (b.data[0] == ' ' || b.data[0] == '\t'))
        b = bytes_slice(b, 1, b.len);
    while (b.len && (b.data[b.len - 1] == ' ' || b.data[b.len - 1] == '\t'))
        b.len--;
    return b;
}

bool web_cookie_read(struct bytes header, const char *name, struct bytes *value)
{
    for (size_t from = 0; from < header.len;) {
        ptrdiff_t found = bytes_find(header, BYTES_LITERAL(";"), from);
        size_t to = found < 0 ? header.len : (size_t)found;
        struct bytes pair = trimmed(bytes_slice(header, from, to));
        ptrdiff_t equals = bytes_find(pair, BYTES_LITERAL("="), 0);
        if (equals >= 0 && bytes_equal_string(bytes_slice(pair, 0, (size_t)equals), name)) {
            *value = bytes_slice(pair, (size_t)equals + 1, pair.len);
            return true;
        }
        from = to + 1;
    }
    return false;
}

/* Digits at *at, no more than 18; false: there are none. */
static bool read_number(struct bytes b, size_t *at, uint64_t *out)
{
    size_t from = *at;
    *out = 0;
    for (; *at < b.len && b.data[*at] >= '0' && b.data[*at] <= '9' && *at - from < 18; (*at)++)
        *out = *out * 10 + (uint64_t)(b.data[*at] - '0');
    return *at > from;
}

int web_range_read(struct bytes header, uint64_t length, uint64_t *from, uint64_t *to)
{
    static const char unit[] = "bytes=";
    size_t at = sizeof unit - 1;
    if (header.len < at || strncasecmp((const char *)header.data, unit, at) != 0)
        return 0;
    bool first = read_number(header, &at, from);
    if (at >= header.len || header.data[at] != '-')
        return 0;
    at++;
    bool last = read_number(header, &at, to);
    if (at != header.len || (!first && !last) || (first && last && *to < *from))
        return 0;
    if (!first) {
        *from = *to < length ? length - *to : 0;
        *to = length - 1;
        return length && *from < length ? 1 : -1;
    }
    if (!last || *to >= length)
        *to = length - 1;
    return *from < length ? 1 : -1;
}
