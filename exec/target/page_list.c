/* Reading lists of tabs; see page_list.h. */
#include "exec/target/page_list.h"

#include <string.h>

enum { NUMBER_DIGITS = 9 };

static const char *const marks[] = {"(current)", "[selected]", "[current]", "(selected)", "(active)", "[active]"};

static bool is_blank(uint8_t byte)
{
    return byte == ' ' || byte == '\t' || byte == '\r';
}

static struct bytes trim(struct bytes text)
{
    while (text.len && is_blank(text.data[0]))
        text = bytes_slice(text, 1, text.len);
    while (text.len && is_blank(text.data[text.len - 1]))
        text.len--;
    return text;
}

/* "12: ", "12. ", "12) " or "[12] " behind bullets; *rest is what follows. */
static bool take_number(struct bytes line, int64_t *number, struct bytes *rest)
{
    size_t at = 0, from;
    while (at < line.len && (is_blank(line.data[at]) || (line.data[at] && strchr("-*[", line.data[at]))))
        at++;
    for (from = at, *number = 0; at < line.len && line.data[at] >= '0' && line.data[at] <= '9'; at++) {
        if (at - from == NUMBER_DIGITS)
            return false;
        *number = *number * 10 + (line.data[at] - '0');
    }
    if (at == from || at == line.len || !line.data[at] || !strchr(":.)]", line.data[at]))
        return false;
    *rest = bytes_slice(line, at + 1, line.len);
    return rest->len && is_blank(rest->data[0]);
}

/* Takes a mark away from the beginning or the end. */
static bool take_mark(struct bytes *rest)
{
    for (size_t i = 0; i < sizeof marks / sizeof *marks; i++) {
        struct bytes mark = bytes_of_string(marks[i]);
        if (bytes_starts(*rest, mark)) {
            *rest = trim(bytes_slice(*rest, mark.len, rest->len));
            return true;
        }
        if (bytes_ends(*rest, mark)) {
            *rest = trim(bytes_slice(*rest, 0, rest->len - mark.len));
            return true;
        }
    }
    return false;
}

/* The last place of `mark` in the text, or -1. */
static ptrdiff_t find_last(struct bytes text, struct bytes mark)
{
    ptrdiff_t last = -1;
    for (ptrdiff_t at = 0; (at = bytes_find(text, mark, (size_t)at)) >= 0; at++)
        last = at;
    return last;
}

/* "[title](address)", "title (address)" or the address alone. */
static struct bytes address_of(struct bytes rest)
{
    if (!rest.len || rest.data[rest.len - 1] != ')')
        return rest;
    struct bytes inside = bytes_slice(rest, 0, rest.len - 1);
    ptrdiff_t at = find_last(inside, BYTES_LITERAL("]("));
    if (at < 0)
        at = find_last(inside, BYTES_LITERAL(" ("));
    return at < 0 ? rest : bytes_slice(inside, (size_t)at + 2, inside.len);
}

static bool read_line(struct bytes line, struct page_line *read)
{
    struct bytes rest;
    *read = (struct page_line){0};
    if (!take_number(line, &read->number, &rest))
        return false;
    rest = trim(rest);
    read->current = take_mark(&rest);
    read->url = address_of(rest);
    return true;
}

static bool listed(const struct page_line *list, size_t count, int64_t number)
{
    for (size_t i = 0; i < count; i++)
        if (list[i].number == number)
            return true;
    return false;
}

size_t page_list_read(struct bytes text, struct arena *a, struct page_line **list)
{
    size_t count = 0, room = 64;
    struct page_line read;
    *list = arena_alloc(a, room * sizeof **list);
    for (size_t at = 0; at < text.len && count < PAGE_LINES_MAX;) {
        ptrdiff_t newline = bytes_find(text, BYTES_LITERAL("\n"), at);
        size_t end = newline < 0 ? text.len : (size_t)newline;
        bool is_line = read_line(bytes_slice(text, at, end), &read);
        at = end + 1;
        if (!is_line)
            continue;
        if (listed(*list, count, read.number))
            break;
        if (count == room) {
            struct page_line *more = arena_alloc(a, 2 * room * sizeof *more);
            memcpy(more, *list, count * sizeof *more);
            *list = more;
            room *= 2;
        }
        (*list)[count++] = read;
    }
    return count;
}

const struct page_line *page_list_current(const struct page_line *list, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (list[i].current)
            return &list[i];
    return NULL;
}
