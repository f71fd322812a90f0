/* Parts of files; see part.h. */
#include "exec/oracle/part.h"

/* 1 with *value, 0 when the argument is absent, -1 when it is no count. */
static int count_argument(const struct observation *o, const char *name, uint64_t *value)
{
    const struct json *argument = json_get(o->args, name);
    int64_t number;
    if (!argument || argument->kind == JSON_NULL)
        return 0;
    if (!json_as_integer(argument, &number) || number < 0)
        return -1;
    *value = (uint64_t)number;
    return 1;
}

bool part_of_read(const struct observation *o, struct part *p)
{
    uint64_t head = 0, tail = 0;
    *p = (struct part){.length = UINT64_MAX};
    int has_offset = count_argument(o, "offset", &p->offset),
        has_length = count_argument(o, "length", &p->length);
    int has_head = count_argument(o, "head", &head), has_tail = count_argument(o, "tail", &tail);
    if (has_offset < 0 || has_length < 0 || has_head < 0 || has_tail < 0)
        return false;
    p->range = p->offset > 0 || has_length;
    p->lines = has_head || has_tail;
    p->last = has_tail;
    p->count = has_tail ? tail : head;
    return !(p->range && p->lines) && !(has_head && has_tail);
}

static struct bytes first_lines(struct bytes whole, uint64_t count)
{
    size_t end = 0;
    while (count > 0 && end < whole.len)
        count -= whole.data[end++] == '\n';
    return bytes_slice(whole, 0, end);
}

static struct bytes last_lines(struct bytes whole, uint64_t count)
{
    if (count == 0)
        return BYTES_NONE;
    size_t from = whole.len;
    if (from > 0 && whole.data[from - 1] == '\n')
        from--; /* the end of the last line does not begin another */
    while (from > 0) {
        if (whole.data[from - 1] == '\n' && --count == 0)
            break;
        from--;
    }
    return bytes_slice(whole, from, whole.len);
}

struct bytes part_cut(const struct part *p, struct bytes whole)
{
    if (p->lines)
        return p->last ? last_lines(whole, p->count) : first_lines(whole, p->count);
    size_t from = p->offset < whole.len ? (size_t)p->offset : whole.len;
    size_t to = p->length < whole.len - from ? from + (size_t)p->length : whole.len;
    return bytes_slice(whole, from, to);
}

static struct bytes without_line_end(struct bytes b)
{
    size_t len = b.len;
    len -= len > 0 && b.data[len - 1] == '\n';
    len -= len > 0 && len < b.len && b.data[len - 1] == '\r';
    return bytes_slice(b, 0, len);
}

bool part_equal(const struct part *p, struct bytes want, struct bytes got)
{
    if (bytes_equal(want, got))
        return true;
    return p->lines && bytes_equal(without_line_end(want), without_line_end(got));
}
