/* Heads of requests, as far as pages under /raw/ need them. Foreign bytes. */
#include <string.h>
#include <strings.h>

#include "exec/site/raw.h"

enum { LINE_LONG = 2048, ROOM_LONG = 48 };

static bool is_letter(uint8_t c)
{
    return c >= 'A' && c <= 'Z';
}

int web_raw_asked(struct bytes head)
{
    static const char raw[] = "/raw/";
    size_t at = 0, matched = 0;
    while (at < head.len && is_letter(head.data[at]) && at < 16)
        at++;
    if (at == head.len)
        return at ? -1 : at < LINE_LONG ? -1 : 0;
    if (!at || head.data[at++] != ' ')
        return 0;
    if (at + 1 < head.len && head.data[at] == '/' && head.data[at + 1] == '~') {
        size_t end = at + 2;
        while (end < head.len && head.data[end] != '/' && head.data[end] != ' ' && end < at + ROOM_LONG)
            end++;
        if (end == head.len)
            return -1;
        at = end;
    } else if (at + 1 >= head.len) {
        return at == head.len || head.data[at] == '/' ? -1 : 0;
    }
    while (matched < sizeof raw - 1 && at + matched < head.len && head.data[at + matched] == (uint8_t)raw[matched])
        matched++;
    return matched == sizeof raw - 1 ? 1 : at + matched == head.len ? -1 : 0;
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
