/* The JSON writer, without recursion: a stack of open containers on the heap. For the canonical style each
 * object puts its members, sorted, on a second stack; what is there at one time is bounded by the members of
 * the objects on one path. */
#include "base/json.h"

#include <stdlib.h>

#include "base/json_internal.h"
#include "base/utf8.h"

enum { INDENT = 2 };

struct frame {
    const struct json *container;
    const struct json *next; /* child to be written; unsorted containers */
    size_t sorted;           /* where its members start in writer.members; sorted ones */
    uint32_t done;           /* children written */
};

struct writer {
    struct buf *out;
    enum json_style style;
    struct frame *frames;
    size_t depth, frames_cap;
    struct json_member *members;
    size_t members_len, members_cap;
};

/* Strings.
 * ------------------------------------------------------------------------------------------------------ */

/* How many bytes from `at` can stand in a JSON string as they are: plain ones and whole UTF-8 sequences. */
static size_t unescaped_run(struct bytes text, size_t at)
{
    size_t start = at;
    for (;;) {
        at += json_plain_run(text, at);
        size_t next = at;
        if (at == text.len || text.data[at] < 0x80 || utf8_next(text, &next) < 0)
            return at - start;
        at = next;
    }
}

/* The surrogate whose generalised UTF-8 stands at `at`, or -1. */
static int32_t surrogate_at(struct bytes text, size_t at)
{
    if (text.len - at < 3)
        return -1;
    const uint8_t *p = text.data + at;
    if (p[0] != 0xED || p[1] < 0xA0 || p[1] > 0xBF || (p[2] & 0xC0) != 0x80)
        return -1;
    return 0xD000 | (p[1] & 0x3F) << 6 | (p[2] & 0x3F);
}

/* Writes what unescaped_run() stopped at; returns how many bytes it took. */
static size_t write_escape(struct buf *out, struct bytes text, size_t at)
{
    static const char shorts[] = {['\b'] = 'b', ['\t'] = 't', ['\n'] = 'n', ['\f'] = 'f',
                                  ['\r'] = 'r', ['"'] = '"',  ['\\'] = '\\'};
    uint8_t c = text.data[at];
    if (c < sizeof shorts && shorts[c]) {
        buf_add(out, bytes_of((char[]){'\\', shorts[c]}, 2));
        return 1;
    }
    int32_t surrogate = surrogate_at(text, at);
    buf_addf(out, "\\u%04x", surrogate >= 0 ? (unsigned)surrogate : c);
    return surrogate >= 0 ? 3 : 1;
}

void json_write_string(struct buf *out, struct bytes text)
{
    buf_add_byte(out, '"');
    for (size_t at = 0; at < text.len && !out->overflow;) {
        size_t run = unescaped_run(text, at);
        buf_add(out, bytes_slice(text, at, at + run));
        at += run;
        if (at < text.len)
            at += write_escape(out, text, at);
    }
    buf_add_byte(out, '"');
}

/* Values.
 * ------------------------------------------------------------------------------------------------------- */

static bool is_container(const struct json *value)
{
    return value->kind == JSON_ARRAY || value->kind == JSON_OBJECT;
}

static void write_scalar(struct writer *w, const struct json *value)
{
    switch (value->kind) {
    case JSON_STRING:
        json_write_string(w->out, value->text);
        break;
    case JSON_NUMBER:
        if (w->style == JSON_SORTED) {
            json_number_canonical(w->out, value->text);
            break;
        }
        /* fall through */
    case JSON_RAW:
        buf_add(w->out, value->text);
        break;
    default:
        buf_add_string(w->out, json_kind_name(value->kind));
    }
}

static size_t push_sorted(struct writer *w, const struct json *object)
{
    size_t start = w->members_len;
    if (object->count == 0)
        return start;
    if (object->count > w->members_cap - start) {
        w->members_cap = 2 * (start + object->count);
        w->members = xrealloc(w->members, w->members_cap * sizeof *w->members);
    }
    uint64_t rank = 0;
    for (const struct json *child = object->first; child; child = child->next)
        w->members[w->members_len++] = (struct json_member){child, rank++};
    json_sort_members(w->members + start, object->count);
    return start;
}

static void open_container(struct writer *w, const struct json *container)
{
    if (w->depth == w->frames_cap) {
        w->frames_cap = w->frames_cap ? 2 * w->frames_cap : 16;
        w->frames = xrealloc(w->frames, w->frames_cap * sizeof *w->frames);
    }
    struct frame *frame = &w->frames[w->depth++];
    *frame = (struct frame){.container = container, .next = container->first};
    if (container->kind == JSON_OBJECT && w->style == JSON_SORTED)
        frame->sorted = push_sorted(w, container);
    buf_add_byte(w->out, container->kind == JSON_OBJECT ? '{' : '[');
}

/* The next child of the open container, or NULL. */
static const struct json *next_child(struct writer *w, struct frame *frame)
{
    if (frame->done == frame->container->count)
        return NULL;
    const struct json *child;
    if (frame->container->kind == JSON_OBJECT && w->style == JSON_SORTED) {
        child = w->members[frame->sorted + frame->done].value;
    } else {
        child = frame->next;
        frame->next = child->next;
    }
    frame->done++;
    return child;
}

static void new_line(struct writer *w)
{
    if (w->style != JSON_PRETTY)
        return;
    buf_add_byte(w->out, '\n');
    for (size_t i = 0; i < w->depth * INDENT; i++)
        buf_add_byte(w->out, ' ');
}

static void close_container(struct writer *w)
{
    const struct frame *frame = &w->frames[--w->depth];
    bool object = frame->container->kind == JSON_OBJECT;
    if (object && w->style == JSON_SORTED)
        w->members_len = frame->sorted;
    if (frame->container->count)
        new_line(w);
    buf_add_byte(w->out, object ? '}' : ']');
}

static void write_value(struct writer *w, const struct json *value)
{
    if (is_container(value))
        open_container(w, value);
    else
        write_scalar(w, value);
}

void json_write(struct buf *out, const struct json *value, enum json_style style)
{
    struct writer w = {.out = out, .style = style};
    write_value(&w, value);
    while (w.depth && !out->overflow) {
        struct frame *frame = &w.frames[w.depth - 1];
        bool object = frame->container->kind == JSON_OBJECT;
        const struct json *child = next_child(&w, frame);
        if (!child) {
            close_container(&w);
            continue;
        }
        if (frame->done > 1)
            buf_add_byte(out, ',');
        new_line(&w);
        if (object) {
            json_write_string(out, child->key);
            buf_add_string(out, style == JSON_PRETTY ? ": " : ":");
        }
        write_value(&w, child);
    }
    free(w.frames);
    free(w.members);
}
