/* Lines and their order; see line_index.h. */
#include "exec/oracle/line_index.h"

#include <stdlib.h>
#include <string.h>

enum { LINES_MOST = 200000 };

struct indexed_line {
    struct bytes text;
    size_t number;
};

static int compare(const void *a, const void *b)
{
    const struct indexed_line *x = a, *y = b;
    size_t least = x->text.len < y->text.len ? x->text.len : y->text.len;
    int order = least ? memcmp(x->text.data, y->text.data, least) : 0;
    return order ? order : (x->text.len > y->text.len) - (x->text.len < y->text.len);
}

bool line_next(struct bytes text, size_t *at, struct bytes *line)
{
    if (*at >= text.len)
        return false;
    ptrdiff_t newline = bytes_find(text, BYTES_LITERAL("\n"), *at);
    size_t end = newline < 0 ? text.len : (size_t)newline;
    *line = bytes_slice(text, *at, end);
    *at = end + 1;
    return true;
}

bool line_index_make(struct line_index *index, struct bytes text, size_t least, struct arena *a)
{
    struct bytes one;
    size_t count = 0, i = 0;
    for (size_t at = 0; line_next(text, &at, &one);)
        count++;
    if (!count || count < least || count > LINES_MOST)
        return false;
    struct indexed_line *lines = arena_alloc(a, count * sizeof *lines);
    for (size_t at = 0; line_next(text, &at, &one); i++)
        lines[i] = (struct indexed_line){one, i};
    qsort(lines, count, sizeof *lines, compare);
    for (i = 1; i < count; i++)
        if (compare(&lines[i - 1], &lines[i]) == 0)
            return false;
    *index = (struct line_index){lines, count};
    return true;
}

struct line_order line_index_order(const struct line_index *index, struct bytes text, bool whole)
{
    struct line_order o = {0};
    struct bytes one;
    bool first = true;
    for (size_t at = 0; line_next(text, &at, &one); first = false) {
        if (!whole && (first || at >= text.len))
            continue;
        struct indexed_line key = {.text = one.len && one.data[one.len - 1] == '\r' ? bytes_slice(one, 0, one.len - 1) : one};
        const struct indexed_line *known = bsearch(&key, index->lines, index->count, sizeof key, compare);
        if (!known) {
            o.others++;
            continue;
        }
        o.back = o.back || (o.known && known->number <= o.last);
        o.known++;
        o.last = known->number;
    }
    return o;
}
