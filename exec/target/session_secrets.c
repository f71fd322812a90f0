/* The border at which what a target says enters our records: outcomes, events of the wire, standard error, processes, tools, files.
 * Whatever passes has the target's secrets replaced, so nothing behind it (oracles, features, the store, reports) ever holds one.
 *
 * One exception, so that no fault is seen where there is none: what a task itself has sent in this session is no news when it comes
 * back. A secret that stands in the arguments of a call is left in what follows, where it will be compared; the second border,
 * where text leaves (the store, standard output), has no exceptions. */
#include <stdlib.h>
#include <string.h>

#include "exec/site/site.h"
#include "exec/target/session_internal.h"

enum { MESSAGE_MAX = 65536, RAW_LINES_MAX = 1 << 20, TAIL_MAX = 4096 };

static const struct redactor *secrets_of(const struct session *s)
{
    return s->target->options.secrets;
}

/* The session whose root it is: all on it share what was sent. */
static struct session *owner_of(struct session *s)
{
    return s->first ? s->first : s;
}

static struct redact_set sent_so_far(struct session *s)
{
    target_lock(s->target);
    struct redact_set set = owner_of(s)->sent;
    target_unlock(s->target);
    return set;
}

void session_secrets_sent(struct session *s, struct call *const *calls, size_t count)
{
    const struct redactor *r = secrets_of(s);
    struct redact_set found = {0};
    if (redactor_empty(r))
        return;
    for (size_t i = 0; i < count; i++) {
        for (struct json *v = calls[i]->args; v; v = json_next(calls[i]->args, v, true)) {
            redactor_mark(r, v->text, &found);
            redactor_mark(r, v->key, &found);
        }
    }
    target_lock(s->target);
    for (size_t i = 0; i < sizeof found.bits / sizeof *found.bits; i++)
        owner_of(s)->sent.bits[i] |= found.bits[i];
    target_unlock(s->target);
}

static void clean_result(const struct redactor *r, struct json *result, const struct redact_set *except, struct arena *a)
{
    for (struct json *v = result; v; v = json_next(result, v, true)) {
        struct bytes text = redact(r, v->text, except, REDACT_WHOLE, a);
        if (text.data != v->text.data && v->kind == JSON_NUMBER)
            v->kind = JSON_STRING;
        v->text = text;
        v->key = redact(r, v->key, except, REDACT_WHOLE, a);
    }
}

/* A text of at least `most` bytes was cut there. */
static unsigned edge(struct bytes text, size_t most)
{
    return text.len >= most ? REDACT_CUT_BACK : REDACT_WHOLE;
}

void session_secrets_came(struct session *s, struct call *const *calls, size_t count)
{
    const struct redactor *r = secrets_of(s);
    if (redactor_empty(r))
        return;
    struct redact_set except = sent_so_far(s);
    for (size_t i = 0; i < count; i++) {
        struct outcome *o = &calls[i]->outcome;
        struct arena *a = calls[i]->arena;
        size_t raw_max = o->truncated ? 0 : RAW_LINES_MAX;
        o->message = redact(r, o->message, &except, edge(o->message, MESSAGE_MAX), a);
        o->raw = redact(r, o->raw, &except, edge(o->raw, raw_max), a);
        clean_result(r, o->result, &except, a);
        if (o->skip_reason)
            o->skip_reason = arena_string(a, redact(r, bytes_of_string(o->skip_reason), &except, REDACT_WHOLE, a));
    }
}

struct bytes session_secrets_tail(struct session *s, struct bytes text)
{
    if (redactor_empty(secrets_of(s)))
        return text;
    struct redact_set except = sent_so_far(s);
    arena_clear(&s->tail_arena);
    return redact(secrets_of(s), text, &except, text.len >= TAIL_MAX ? REDACT_CUT_FRONT : REDACT_WHOLE, &s->tail_arena);
}

const struct wire_event *session_secrets_events(struct session *s, const struct wire_event *events, size_t count)
{
    const struct redactor *r = secrets_of(s);
    if (redactor_empty(r) || !count)
        return events;
    struct redact_set except = sent_so_far(s);
    arena_clear(&s->event_arena);
    struct wire_event *clean = arena_alloc(&s->event_arena, count * sizeof *clean);
    for (size_t i = 0; i < count; i++) {
        clean[i] = events[i];
        clean[i].text = redact(r, events[i].text, &except, edge(events[i].text, TAIL_MAX), &s->event_arena);
        if (events[i].detail)
            clean[i].detail = arena_string(&s->event_arena, redact(r, bytes_of_string(events[i].detail), &except, REDACT_WHOLE,
                                                                   &s->event_arena));
    }
    return clean;
}

static void clean_field(const struct redactor *r, const struct redact_set *except, char *field, size_t size)
{
    struct arena a;
    arena_init(&a);
    struct bytes text = bytes_of_string(field), clean = redact(r, text, except, edge(text, size - 1), &a);
    if (clean.data != text.data) {
        size_t length = clean.len < size ? clean.len : size - 1;
        memcpy(field, clean.data, length);
        field[length] = '\0';
    }
    arena_release(&a);
}

void session_secrets_processes(struct session *s, struct process_info *list, size_t count)
{
    const struct redactor *r = secrets_of(s);
    if (redactor_empty(r))
        return;
    struct redact_set except = sent_so_far(s);
    for (size_t i = 0; i < count; i++) {
        clean_field(r, &except, list[i].name, sizeof list[i].name);
        clean_field(r, &except, list[i].command, sizeof list[i].command);
    }
}

static void clean_visit(const struct redactor *r, const struct redact_set *except, struct web_visit *v, struct arena *a)
{
    struct web_header *headers = (struct web_header *)v->headers;
    struct web_field *fields = (struct web_field *)v->fields;
    v->path = redact(r, v->path, except, REDACT_WHOLE, a);
    v->query = redact(r, v->query, except, REDACT_WHOLE, a);
    for (size_t i = 0; i < v->header_count; i++)
        headers[i].value = redact(r, headers[i].value, except, REDACT_WHOLE, a);
    for (size_t i = 0; i < v->field_count; i++) {
        fields[i].name = redact(r, fields[i].name, except, REDACT_WHOLE, a);
        fields[i].value = redact(r, fields[i].value, except, REDACT_WHOLE, a);
        fields[i].text = redact(r, fields[i].text, except, REDACT_WHOLE, a);
        fields[i].filename = redact(r, fields[i].filename, except, REDACT_WHOLE, a);
        fields[i].type = redact(r, fields[i].type, except, REDACT_WHOLE, a);
    }
}

void session_secrets_visits(struct session *s, struct arena *a, struct web_visits *all)
{
    const struct redactor *r = secrets_of(s);
    if (redactor_empty(r))
        return;
    struct redact_set except = sent_so_far(s);
    for (size_t i = 0; i < all->count; i++)
        clean_visit(r, &except, (struct web_visit *)&all->items[i], a);
}

void session_secrets_text(struct session *s, struct buf *out, size_t from)
{
    struct arena a;
    if (redactor_empty(secrets_of(s)))
        return;
    arena_init(&a);
    struct bytes text = bytes_slice(buf_bytes(out), from, out->len);
    struct bytes clean = redact(secrets_of(s), text, NULL, REDACT_WHOLE, &a);
    if (clean.data != text.data) {
        buf_cut(out, from);
        buf_add(out, clean);
    }
    arena_release(&a);
}

bool session_shows_secret(struct session *s, struct bytes data)
{
    if (redactor_empty(secrets_of(s)))
        return false;
    struct redact_set except = sent_so_far(s);
    return redact_finds(secrets_of(s), data, &except);
}

void target_secrets_error(const struct target *t, struct error **err)
{
    struct arena a;
    if (!err || !*err || redactor_empty(t->options.secrets))
        return;
    arena_init(&a);
    struct bytes text = bytes_of_string((*err)->text), clean = redact(t->options.secrets, text, NULL, REDACT_CUT_BACK, &a);
    if (clean.data != text.data) {
        free((*err)->text);
        (*err)->text = xstrdup((const char *)clean.data);
    }
    arena_release(&a);
}
