/* One line from the server: which message it is, and whose.
 *
 * A message is looked at in a scratch arena that is cleared for the next one; a reply is copied to whoever
 * waits for it. Lines that are too long are not read, but their edges are, for the id: a reply that we
 * cannot hold is still a reply. */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "exec/target/wire_log.h"
#include "exec/target/mcp_again.h"
#include "exec/target/mcp_client_internal.h"
#include "exec/target/mcp_json.h"

enum { ANSWER_MAX = 1 << 20, NOTES_MAX = 64 /* of one kind of notification: a flood of them is no news */ };

static struct wire_event *new_event(struct mcp_client *c, enum wire_kind kind, struct bytes text)
{
    struct event_list *list = &c->events[c->filling];
    if (list->count == EVENTS_MAX) {
        c->counts.events_dropped++;
        return NULL;
    }
    struct wire_event *event = &list->items[list->count++];
    *event = (struct wire_event){.kind = kind,
                                 .text = arena_copy(&list->arena, bytes_slice(text, 0, EVENT_TEXT)),
                                 .at_ns = clock_monotonic_ns()};
    return event;
}

void mcp_event(struct mcp_client *c, enum wire_kind kind, struct bytes text)
{
    new_event(c, kind, text);
}

void mcp_note(struct mcp_client *c, const char *what, struct bytes text)
{
    struct wire_event *event = new_event(c, WIRE_NOTE, text);
    if (event)
        event->detail = arena_string(&c->events[c->filling].arena, bytes_of_string(what));
}

void mcp_breach(struct mcp_client *c, int duty, const char *detail, struct bytes text)
{
    struct wire_event *event = new_event(c, WIRE_BREACH, text);
    if (!event)
        return;
    event->duty = duty;
    event->detail = arena_string(&c->events[c->filling].arena, bytes_of_string(detail));
}

void mcp_client_forget_events(struct mcp_client *c, const char *word)
{
    struct event_list *list = &c->events[c->filling];
    size_t kept = 0;
    for (size_t i = 0; i < list->count; i++)
        if (list->items[i].kind == WIRE_STRAY_LINE && !text_mentions(list->items[i].text, word))
            list->items[kept++] = list->items[i];
    list->count = kept;
}

static void bad_message(struct mcp_client *c, struct bytes text)
{
    c->counts.bad++;
    mcp_event(c, WIRE_BAD_MESSAGE, text);
}

/* --- raw bytes: what they ask for, and what comes back meanwhile --- */

static struct bytes id_text(struct arena *a, const struct json *id)
{
    struct buf text;
    buf_init(&text, ID_TEXT);
    json_write(&text, id, JSON_COMPACT);
    struct bytes copy = arena_copy(a, buf_bytes(&text));
    buf_release(&text);
    return copy;
}

static bool is_id(const struct json *id)
{
    return json_is(id, JSON_STRING) || json_is(id, JSON_NUMBER);
}

void mcp_message_remember_raw(struct mcp_client *c, struct mcp_exchange *x)
{
    for (size_t at = 0; at < x->raw.len;) {
        ptrdiff_t newline = bytes_find(x->raw, BYTES_LITERAL("\n"), at);
        if (newline < 0 && !c->http)
            break; /* no message yet */
        newline = newline < 0 ? (ptrdiff_t)x->raw.len : newline; /* a request over HTTP needs no end of a line */
        struct bytes line = bytes_slice(x->raw, at, (size_t)newline);
        at = (size_t)newline + 1;
        struct json *message = NULL;
        arena_clear(&c->scratch);
        bool read = mcp_json_read(&c->scratch, line, &message) == MCP_JSON_OK &&
                    json_is(message, JSON_OBJECT);
        const struct json *id = read ? json_get(message, "id") : NULL;
        if (is_id(id) && c->raw_id_count < RAW_IDS_MAX) {
            c->raw_ids[c->raw_id_count].text = id_text(&c->raw_arena, id);
            c->raw_ids[c->raw_id_count++].exchange = x;
            x->owed++;
            duty_raw_message(c->duties, message);
        } else if (!read || id) {
            c->raw_unreadable++;
            x->hoped++;
        }
    }
    x->hoped += x->owed;
}

static void note_raw_line(struct mcp_client *c, struct bytes line)
{
    if (!c->raw)
        return;
    c->raw->received += line.len + 1;
    size_t room = RAW_LINES_MAX - 1 -
                  (c->raw_lines.len < RAW_LINES_MAX ? c->raw_lines.len : RAW_LINES_MAX - 1);
    buf_add(&c->raw_lines, bytes_slice(line, 0, room));
    buf_add_byte(&c->raw_lines, '\n');
}

/* Is the reply one to raw bytes? Each of their ids is answered once. */
static bool answers_raw(struct mcp_client *c, const struct json *message, struct bytes line)
{
    const struct json *id = json_get(message, "id");
    struct mcp_exchange *x = c->raw;
    bool null = !id || json_is(id, JSON_NULL);
    if (null) {
        if (!c->raw_unreadable)
            return false;
        c->raw_unreadable--;
    } else {
        struct bytes text = id_text(&c->scratch, id);
        size_t i = 0;
        while (i < c->raw_id_count && !bytes_equal(c->raw_ids[i].text, text))
            i++;
        if (i == c->raw_id_count)
            return false;
        x = c->raw_ids[i].exchange;
        c->raw_ids[i] = c->raw_ids[--c->raw_id_count];
    }
    note_raw_line(c, line);
    if (x && x->fault)
        mcp_fault_reply(x, message, line.len, null);
    else if (x)
        x->replies++;
    return true;
}

/* --- replies --- */

/* Our record of an id; NULL when we never used it. */
static struct id_record *find_record(struct mcp_client *c, const struct json *id)
{
    int64_t number;
    if (!json_is(id, JSON_NUMBER) || !json_as_integer(id, &number) || number < 1 ||
        (uint64_t)number > c->id_count)
        return NULL;
    return &c->ids[number - 1];
}

static void finish(struct mcp_client *c, struct id_record *record, uint64_t length)
{
    struct mcp_exchange *x = record->exchange;
    x->state = MCP_ANSWERED;
    x->received += length + 1;
    x->end_ns = clock_monotonic_ns();
    x->replies++;
    record->replies = 1;
}

static bool is_waited_for(const struct id_record *record)
{
    return record && record->exchange && record->exchange->state == MCP_WAITING;
}

/* A reply to an id that nobody waits for any more. */
static void stale_reply(struct mcp_client *c, struct id_record *record, struct bytes text)
{
    if (record->replies == 0 && record->given_up) {
        c->counts.late++;
        record->replies = 1;
        return;
    }
    record->replies = 2;
    if (record->exchange)
        record->exchange->replies++;
    c->counts.doubled++;
    mcp_event(c, WIRE_DOUBLE_REPLY, text);
}

static void read_reply(struct mcp_client *c, const struct json *message, const struct mcp_line *line)
{
    const struct json *id = json_get(message, "id"), *error = json_get(message, "error");
    bool whole = !json_get(message, "result") != !error;
    bool proper = !error || (json_is(json_get(error, "message"), JSON_STRING) &&
                             json_is(json_get(error, "code"), JSON_NUMBER));
    struct id_record *record = find_record(c, id);
    if (!record && answers_raw(c, message, line->text))
        return;
    if (!record) {
        c->counts.unknown++;
        if (is_id(id)) /* one without any is a breach of its own */
            mcp_event(c, WIRE_UNKNOWN_ID, line->text);
        return;
    }
    if (!whole || !proper)
        c->counts.bad++;
    if (!is_waited_for(record)) {
        stale_reply(c, record, line->text);
        return;
    }
    if (record->exchange->fault && record->exchange->fault->planned) {
        mcp_fault_reply(record->exchange, message, line->length, false);
        record->exchange->replies++;
        record->replies = 1;
        return;
    }
    record->exchange->reply = json_copy(record->exchange->arena, message);
    if (mcp_client_is_modern(c)) {
        record->replies = 1;
        struct mcp_exchange *x = record->exchange;
        if (mcp_again_with_input(c, x, line->text)) {
            x->received += line->length + 1;
            return;
        }
    }
    finish(c, record, line->length);
}

/* --- requests and notifications --- */

static void send_answer(struct mcp_client *c, const struct buf *text)
{
    struct json *answer = NULL;
    if (mcp_json_read(&c->scratch, buf_bytes(text), &answer) == MCP_JSON_OK)
        duty_answered(c->duties, answer);
    c->wire->queue(c, buf_bytes(text), NULL);
}

/* ping has an empty result, what is offered its answer; what is not, a refusal. */
static void answer_request(struct mcp_client *c, const struct json *message, const struct mcp_line *line)
{
    bool ping = bytes_equal_string(json_as_text(json_get(message, "method")), "ping");
    const char *note = NULL;
    struct buf text;
    buf_init(&text, ANSWER_MAX);
    buf_add_string(&text, "{\"jsonrpc\":\"2.0\",\"id\":");
    json_write(&text, json_get(message, "id"), JSON_COMPACT);
    buf_add_byte(&text, ',');
    if (ping)
        buf_add_string(&text, "\"result\":{}");
    else
        mcp_offer_answer(&c->offers, message, &text, &note);
    buf_add_string(&text, "}\n");
    if (note)
        mcp_note(c, note, line->text);
    else if (!ping)
        mcp_event(c, WIRE_UNOFFERED_REQUEST, line->text);
    if (!text.overflow) /* an id that long gets no answer */
        send_answer(c, &text);
    buf_release(&text);
}

static void read_request(struct mcp_client *c, const struct json *message, const struct mcp_line *line)
{
    c->counts.requests++;
    if (mcp_client_is_modern(c)) /* that era has no such requests, and no answers to them: the watch over duties speaks of it */
        return;
    if (is_id(json_get(message, "id")))
        answer_request(c, message, line);
    else
        c->counts.bad++;
}

/* The token is "taskgen-ID" or the id itself: see mcp_request.c. */
static void note_progress(struct mcp_client *c, const struct json *params)
{
    const struct json *token = json_get(params, "progressToken");
    struct json number = {.kind = JSON_NUMBER, .text = json_as_text(token)};
    if (json_is(token, JSON_STRING) && bytes_starts(number.text, BYTES_LITERAL(MCP_TOKEN)))
        number.text = bytes_slice(number.text, sizeof MCP_TOKEN - 1, number.text.len);
    struct id_record *record = find_record(c, &number);
    c->counts.progress++;
    if (!is_waited_for(record) || !record->exchange->progress.len)
        return;
    struct mcp_exchange *x = record->exchange;
    struct bytes last = json_as_text(json_get(params, "progress"));
    x->progress_count++;
    snprintf(x->progress_last, sizeof x->progress_last, "%.*s",
             BYTES_ARG(bytes_slice(last, 0, sizeof x->progress_last - 1)));
}

static void read_notification(struct mcp_client *c, const struct json *message, const struct mcp_line *line)
{
    struct mcp_counts *n = &c->counts;
    const struct {
        const char *method;
        uint64_t *count;
        bool noted;
    } rows[] = {
        {"notifications/message", &n->logged, false},
        {"notifications/tools/list_changed", &n->tools_changed, true},
        {"notifications/resources/list_changed", &n->resources_changed, true},
        {"notifications/resources/updated", &n->resources_updated, true},
        {"notifications/prompts/list_changed", &n->prompts_changed, true},
    };
    struct bytes method = json_get(message, "method")->text;
    n->notifications++;
    if (bytes_equal_string(method, "notifications/progress")) {
        note_progress(c, json_get(message, "params"));
        return;
    }
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (!bytes_equal_string(method, rows[i].method))
            continue;
        ++*rows[i].count;
        if (rows[i].noted && *rows[i].count <= NOTES_MAX)
            mcp_note(c, rows[i].method, line->text);
    }
}

static void read_message(struct mcp_client *c, const struct json *message, const struct mcp_line *line)
{
    const struct json *method = json_get(message, "method");
    duty_received(c->duties, message, line->text); /* says what is wrong with its form */
    if (!json_is(message, JSON_OBJECT)) {
        c->counts.bad++;
        return;
    }
    if (!method && (json_get(message, "id") || json_get(message, "error") || json_get(message, "result")))
        read_reply(c, message, line);
    else if (!json_is(method, JSON_STRING))
        c->counts.bad++;
    else if (json_get(message, "id"))
        read_request(c, message, line);
    else
        read_notification(c, message, line);
}

/* --- lines --- */

/* The id in the edges of a message that is too long: servers write it first or last. 0 when it is not
 * found. */
static int64_t edge_id(const struct mcp_line *line)
{
    static const struct bytes key = {(const uint8_t *)"\"id\":", 5};
    struct bytes edges[] = {bytes_slice(line->text, 0, 64), line->tail.len > 64
                            ? bytes_slice(line->tail, line->tail.len - 64, line->tail.len) : line->tail};
    for (size_t i = 0; i < 2; i++) {
        ptrdiff_t at = -1;
        for (ptrdiff_t next = bytes_find(edges[i], key, 0); next >= 0;
             next = bytes_find(edges[i], key, (size_t)next + 1))
            at = next; /* the last one: nearest to the end that counts */
        size_t digit = at < 0 ? edges[i].len : (size_t)at + key.len;
        while (digit < edges[i].len && edges[i].data[digit] == ' ')
            digit++;
        size_t first = digit;
        int64_t id = 0;
        for (; digit < edges[i].len && isdigit(edges[i].data[digit]) && digit - first < 15; digit++)
            id = id * 10 + (edges[i].data[digit] - '0');
        bool ends = digit < edges[i].len && strchr(",} ", edges[i].data[digit]) && edges[i].data[digit];
        if (digit > first && ends)
            return id;
    }
    return 0;
}

static void too_long(struct mcp_client *c, const struct mcp_line *line)
{
    int64_t id = edge_id(line);
    id = id ? id : line->likely_id;
    c->counts.too_long++;
    struct id_record *record = id >= 1 && (uint64_t)id <= c->id_count ? &c->ids[id - 1] : NULL;
    if (!is_waited_for(record))
        return;
    record->exchange->too_long = true;
    finish(c, record, line->length);
}

static void stray(struct mcp_client *c, struct bytes text)
{
    c->counts.stray++;
    mcp_event(c, WIRE_STRAY_LINE, text);
    note_raw_line(c, text);
}

void mcp_message_line(struct mcp_client *c, const struct mcp_line *line)
{
    c->counts.lines++;
    wire_log_came(c->log);
    if (line->too_long) {
        too_long(c, line);
        return;
    }
    size_t at = 0;
    while (at < line->text.len && isspace(line->text.data[at]))
        at++;
    if (at == line->text.len || (line->text.data[at] != '{' && line->text.data[at] != '[')) {
        stray(c, line->text);
        return;
    }
    struct json *message = NULL;
    arena_clear(&c->scratch);
    enum mcp_json_status status = mcp_json_read(&c->scratch, line->text, &message);
    if (status == MCP_JSON_TOO_MANY) {
        struct mcp_line edges = {
            .text = line->text, .tail = line->text, .length = line->length, .too_long = true};
        too_long(c, &edges);
        return;
    }
    if (status == MCP_JSON_BAD) {
        bad_message(c, line->text);
        if (!c->out_ended)
            duty_unread(c->duties, line->text);
        note_raw_line(c, line->text);
        return;
    }
    if (!json_is(message, JSON_ARRAY)) {
        read_message(c, message, line);
        return;
    }
    if (!c->batches)
        c->counts.bad++;
    duty_batch(c->duties, line->text);
    for (const struct json *one = message->first; one; one = one->next)
        read_message(c, one, line);
}
