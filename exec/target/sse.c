/* The parser of server-sent events; see sse.h. A state machine over bytes: a line gathers in `line`, its value goes to `data`. */
#include "exec/target/sse.h"

#include <string.h>

enum { LINE_SLACK = 256 /* a field's name and its colon */ };

void sse_init(struct sse *s, size_t max)
{
    *s = (struct sse){.max = max, .retry_ms = -1};
    buf_init(&s->line, max + LINE_SLACK);
    buf_init(&s->data, max);
}

void sse_release(struct sse *s)
{
    buf_release(&s->line);
    buf_release(&s->data);
}

void sse_again(struct sse *s)
{
    buf_clear(&s->line);
    buf_clear(&s->data);
    s->after_cr = s->has_data = s->has_id = false;
    s->length = s->dropped = 0;
    s->name[0] = '\0';
}

/* As much as fits; the rest marks the buffer. */
static void add_clipped(struct buf *to, struct bytes data)
{
    size_t room = to->max - to->len;
    buf_add(to, bytes_slice(data, 0, data.len < room ? data.len : room));
    to->overflow |= data.len > room;
}

static void take_data(struct sse *s, struct bytes value)
{
    if (!s->has_data) { /* what was handed out is used by now */
        buf_clear(&s->data);
        s->data.overflow = false;
    } else {
        add_clipped(&s->data, BYTES_LITERAL("\n"));
        s->length++;
    }
    s->has_data = true;
    s->length += value.len + s->dropped;
    add_clipped(&s->data, value);
    s->data.overflow |= s->line.overflow;
}

static void take_id(struct sse *s, struct bytes value)
{
    if (value.len >= sizeof s->id || (value.len && memchr(value.data, '\0', value.len)))
        return;
    if (value.len)
        memcpy(s->id, value.data, value.len);
    s->id[value.len] = '\0';
    s->has_id = true;
}

static void take_name(struct sse *s, struct bytes value)
{
    size_t length = value.len < sizeof s->name ? value.len : 0;
    if (length)
        memcpy(s->name, value.data, length);
    s->name[length] = '\0';
}

static void take_retry(struct sse *s, struct bytes value)
{
    int64_t ms = 0;
    if (!value.len || value.len > 9)
        return;
    for (size_t i = 0; i < value.len; i++) {
        if (value.data[i] < '0' || value.data[i] > '9')
            return;
        ms = ms * 10 + (value.data[i] - '0');
    }
    s->retry_ms = ms;
}

static const struct {
    const char *name;
    void (*take)(struct sse *s, struct bytes value);
} fields[] = {{"data", take_data}, {"id", take_id}, {"event", take_name}, {"retry", take_retry}};

static void take_line(struct sse *s, struct bytes line)
{
    ptrdiff_t colon = bytes_find(line, BYTES_LITERAL(":"), 0);
    struct bytes name = colon < 0 ? line : bytes_slice(line, 0, (size_t)colon);
    struct bytes value = colon < 0 ? BYTES_NONE : bytes_slice(line, (size_t)colon + 1, line.len);
    if (value.len && value.data[0] == ' ')
        value = bytes_slice(value, 1, value.len);
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++)
        if (bytes_equal_string(name, fields[i].name))
            fields[i].take(s, value);
}

/* The event that ends with an empty line, if it has data. */
static bool dispatch(struct sse *s, struct sse_event *event)
{
    bool there = s->has_data;
    if (s->has_id) /* what broke off before its end is asked for again */
        memcpy(s->last_id, s->id, sizeof s->id);
    *event = (struct sse_event){
        .data = buf_bytes(&s->data), .length = s->length, .too_long = s->data.overflow,
        .has_id = s->has_id, .is_endpoint = strcmp(s->name, "endpoint") == 0};
    s->has_data = s->has_id = false;
    s->name[0] = '\0';
    s->length = 0;
    return there;
}

/* One line is complete; true: it was the empty one behind an event with data. */
static bool end_line(struct sse *s, struct sse_event *event)
{
    if (!s->line.len && !s->line.overflow)
        return dispatch(s, event);
    take_line(s, buf_bytes(&s->line));
    buf_clear(&s->line);
    s->line.overflow = false;
    s->dropped = 0;
    return false;
}

bool sse_next(struct sse *s, struct bytes *chunk, struct sse_event *event)
{
    for (size_t at = 0; at < chunk->len;) {
        size_t end = at;
        while (end < chunk->len && chunk->data[end] != '\n' && chunk->data[end] != '\r')
            end++;
        if (end > at) {
            s->after_cr = false;
            size_t room = s->line.max - s->line.len;
            s->dropped += end - at > room ? end - at - room : 0;
            add_clipped(&s->line, bytes_slice(*chunk, at, end));
        }
        if (end == chunk->len)
            break;
        bool second = s->after_cr && end == at && chunk->data[end] == '\n'; /* of a CR LF */
        s->after_cr = chunk->data[end] == '\r';
        at = end + 1;
        if (!second && end_line(s, event)) {
            *chunk = bytes_slice(*chunk, at, chunk->len);
            return true;
        }
    }
    *chunk = BYTES_NONE;
    return false;
}
