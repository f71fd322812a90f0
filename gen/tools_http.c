/* Tasks for targets that are reached over HTTP: requests that go otherwise than a client's do, between plain calls that must still
 * work. "http" has only what a lawful client could send (from a foreign page, with a session that is no more, given up half-way);
 * "http-odd" has what none would; "http-ids" sends several requests at once with one id.
 *
 * What each request is meant to be stands in the step as `what`, which never reaches a target. Every one names its verb, so that
 * the task needs a target that speaks HTTP. */
#include <string.h>

#include "base/utf8.h"
#include "gen/task_internal.h"
#include "gen/tools_internal.h"

enum { SEND_MS = 4000, LONG_ID = 8192, TWINS_MAX = 15, CALM = 8, FLOOD = 24, ABORT_MS = 40, LAWFUL_AMONG_ODD = 4, SEND_MAX = 64 << 10 };

enum body { BODY_NONE, BODY_PING, BODY_CALL, BODY_NOTIFICATION, BODY_FIRST, BODY_FIRST_BARE, BODY_RESPONSE, BODY_TWO, BODY_BATCH, BODY_CUT,
            BODY_ARGUMENTS };

/* One row: a request and in what it differs. */
struct request_row {
    const char *what, *verb, *header, *value; /* value NULL: the header is left out */
    enum body body;
    double weight;
    bool lawful, after_end; /* after_end: the session is given up before it */
    unsigned repeat;        /* 0: once */
    int64_t cancel_ms;      /* 0: never */
};

static const char unknown_id[] = "00000000-0000-4000-8000-00000badc0de";
static const struct request_row rows[] = {
    {"an ordinary request", "POST", NULL, NULL, BODY_PING, 1, true, false, 0, 0},
    {"a request from a foreign page", "POST", "Origin", "http://page.example", BODY_PING, 3, true, false, 0, 0},
    {"a stream for a foreign page", "GET", "Origin", "http://page.example", BODY_NONE, 1, true, false, 0, 0},
    {"a session id that nobody has", "POST", "Mcp-Session-Id", unknown_id, BODY_PING, 3, true, false, 0, 0},
    {"a call with a session id that nobody has", "POST", "Mcp-Session-Id", unknown_id, BODY_CALL, 1, true, false, 0, 0},
    {"a stream of a session that nobody has", "GET", "Mcp-Session-Id", unknown_id, BODY_NONE, 1, true, false, 0, 0},
    {"a session that was given up", "POST", NULL, NULL, BODY_PING, 3, true, true, 0, 0},
    {"a call in a session that was given up", "POST", NULL, NULL, BODY_CALL, 1, true, true, 0, 0},
    {"a stream of a session that was given up", "GET", NULL, NULL, BODY_NONE, 1, true, true, 0, 0},
    {"the end of a session that was given up", "DELETE", NULL, NULL, BODY_NONE, 1, true, true, 0, 0},
    {"a second stream", "GET", NULL, NULL, BODY_NONE, 1, true, false, 0, 0},
    {"a notification of no kind", "POST", NULL, NULL, BODY_NOTIFICATION, 1, true, false, 0, 0},
    {"no token", "POST", "Authorization", NULL, BODY_PING, 1, true, false, 0, 0},
    {"a wrong token", "POST", "Authorization", "Bearer nobody", BODY_PING, 1, true, false, 0, 0},
    {"a call that is given up", "POST", NULL, NULL, BODY_CALL, 2, true, false, 0, ABORT_MS},
    {"many first requests", "POST", "Mcp-Session-Id", NULL, BODY_FIRST, 1, true, false, FLOOD, 0},
    {"no session id", "POST", "Mcp-Session-Id", NULL, BODY_PING, 3, false, false, 0, 0},
    {"an empty session id", "POST", "Mcp-Session-Id", "", BODY_PING, 1, false, false, 0, 0},
    {"a session id of 8 KiB", "POST", "Mcp-Session-Id", NULL, BODY_PING, 1, false, false, 0, 0}, /* LONG_ID: see long_value */
    {"a session id with a blank", "POST", "Mcp-Session-Id", "a b\tc", BODY_PING, 1, false, false, 0, 0},
    {"a protocol version that is none", "POST", "MCP-Protocol-Version", "1999-12-31", BODY_PING, 3, false, false, 0, 0},
    {"no protocol version", "POST", "MCP-Protocol-Version", NULL, BODY_PING, 1, false, false, 0, 0},
    {"no Accept", "POST", "Accept", NULL, BODY_PING, 1, false, false, 0, 0},
    {"another Accept", "POST", "Accept", "text/html", BODY_PING, 1, false, false, 0, 0},
    {"a stream without Accept", "GET", "Accept", NULL, BODY_NONE, 1, false, false, 0, 0},
    {"another content type", "POST", "Content-Type", "text/plain", BODY_PING, 1, false, false, 0, 0},
    {"no content type", "POST", "Content-Type", NULL, BODY_PING, 1, false, false, 0, 0},
    {"another verb", "PUT", NULL, NULL, BODY_PING, 1, false, false, 0, 0},
    {"two messages", "POST", NULL, NULL, BODY_TWO, 1, false, false, 0, 0},
    {"several messages in an array", "POST", NULL, NULL, BODY_BATCH, 1, false, false, 0, 0},
    {"half a message", "POST", NULL, NULL, BODY_CUT, 1, false, false, 0, 0},
    {"no message at all", "POST", NULL, NULL, BODY_NONE, 1, false, false, 0, 0},
    {"a response that nobody asked for", "POST", NULL, NULL, BODY_RESPONSE, 1, false, false, 0, 0},
    {"a first request without params", "POST", "Mcp-Session-Id", NULL, BODY_FIRST_BARE, 1, false, false, 0, 0},
    {"a call whose arguments are a text", "POST", NULL, NULL, BODY_ARGUMENTS, 1, false, false, 0, 0},
    {"a body that ends too soon", "POST", "Content-Length", "100000", BODY_PING, 1, false, false, 0, 4 * ABORT_MS},
    {"another encoding of the body", "POST", "Content-Encoding", "gzip", BODY_PING, 1, false, false, 0, 0},
};
enum { ROWS = sizeof rows / sizeof *rows };

/* --- bodies --- */

static void add_params_of(struct buf *out, struct bytes tool, const struct json *arguments)
{
    buf_add_string(out, "{\"name\":");
    json_write_string(out, tool);
    buf_add_string(out, ",\"arguments\":");
    json_write(out, arguments, JSON_COMPACT);
    buf_add_byte(out, '}');
}

static void add_request(struct buf *out, const char *id, const char *method, struct bytes params)
{
    buf_addf(out, "{\"jsonrpc\":\"2.0\",\"id\":\"%s\",\"method\":\"%s\"", id, method);
    if (params.len) {
        buf_add_string(out, ",\"params\":");
        buf_add(out, params);
    }
    buf_add_byte(out, '}');
}

/* A call of the calmest tool, or, when nothing can be drawn for it that stands by itself, a ping. */
static void add_plain_call(struct making *m, struct buf *out, const char *id)
{
    const struct tool *tool = &m->tools->items[m->tools->control];
    struct schema_value drawn;
    struct buf params;
    schema_draw(m->tools->book, tool->input, SCHEMA_VALID, &m->chooser, &m->scratch, &drawn);
    buf_init(&params, SEND_MAX);
    if (json_is(drawn.value, JSON_OBJECT))
        add_params_of(&params, tool->name, drawn.value);
    bool fits = params.len && !params.overflow && utf8_valid(buf_bytes(&params));
    add_request(out, id, fits ? "tools/call" : "ping", fits ? buf_bytes(&params) : BYTES_NONE);
    buf_release(&params);
}

static const char hello[] = "{\"protocolVersion\":\"2025-06-18\",\"capabilities\":{},\"clientInfo\":{\"name\":\"taskgen\",\"version\":\"0\"}}";

static void add_body(struct making *m, struct buf *out, enum body body, const char *id)
{
    switch (body) {
    case BODY_NONE:
        break;
    case BODY_PING:
        add_request(out, id, "ping", BYTES_NONE);
        break;
    case BODY_CALL:
        add_plain_call(m, out, id);
        break;
    case BODY_NOTIFICATION:
        buf_add_string(out, "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/nothing\"}");
        break;
    case BODY_FIRST:
        add_request(out, id, "initialize", bytes_of_string(hello));
        break;
    case BODY_FIRST_BARE:
        add_request(out, id, "initialize", BYTES_NONE);
        break;
    case BODY_RESPONSE:
        buf_addf(out, "{\"jsonrpc\":\"2.0\",\"id\":\"%s\",\"result\":{}}", id);
        break;
    case BODY_TWO:
        add_request(out, id, "ping", BYTES_NONE);
        buf_addf(out, "\n{\"jsonrpc\":\"2.0\",\"id\":\"%s-2\",\"method\":\"ping\"}\n", id);
        break;
    case BODY_BATCH:
        buf_add_byte(out, '[');
        add_request(out, id, "ping", BYTES_NONE);
        buf_addf(out, ",{\"jsonrpc\":\"2.0\",\"id\":\"%s-2\",\"method\":\"ping\"}]", id);
        break;
    case BODY_CUT:
        buf_addf(out, "{\"jsonrpc\":\"2.0\",\"id\":\"%s\",\"method\":", id);
        break;
    case BODY_ARGUMENTS:
        add_request(out, id, "tools/call", BYTES_LITERAL("{\"name\":\"none\",\"arguments\":\"x\"}"));
        break;
    }
}

/* --- steps --- */

static struct task_step *add_send(struct making *m, const char *what, const char *verb, struct bytes content)
{
    struct arena *a = &m->task->arena;
    struct json *args = json_new(a, JSON_OBJECT);
    json_set(a, args, "content", json_string(a, arena_copy(a, content)));
    json_set(a, args, "verb", json_text(a, verb));
    json_set(a, args, "what", json_text(a, what));
    struct task_step *step = task_add_step(m->task, m->send, args);
    step->timeout_ms = SEND_MS;
    return step;
}

static struct json *header_value(struct arena *a, const struct request_row *row)
{
    static const char mark[] = "8 KiB";
    if (!strstr(row->what, mark))
        return row->value ? json_text(a, row->value) : json_new(a, JSON_NULL);
    char *text = arena_alloc(a, LONG_ID + 1);
    memset(text, 'a', LONG_ID);
    text[LONG_ID] = '\0';
    return json_text(a, text);
}

static void add_row(struct making *m, const struct request_row *row, struct buf *said)
{
    struct arena *a = &m->task->arena;
    struct buf body;
    if (row->after_end)
        add_send(m, "the session is given up", "DELETE", BYTES_NONE);
    buf_init(&body, SEND_MAX);
    add_body(m, &body, row->body, arena_printf(&m->scratch, "r%zu", m->task->step_count));
    struct task_step *step = add_send(m, row->what, row->verb, buf_bytes(&body));
    buf_release(&body);
    if (row->header) {
        struct json *headers = json_new(a, JSON_OBJECT);
        json_set(a, headers, row->header, header_value(a, row));
        json_set(a, step->args, "headers", headers);
    }
    step->repeat = row->repeat ? row->repeat : 1;
    step->cancel_after_ms = row->cancel_ms ? row->cancel_ms : -1;
    buf_addf(said, "; %s", row->what);
}

void tools_http_requests(struct making *m, bool odd, uint64_t count, struct buf *said)
{
    double weights[ROWS];
    for (size_t i = 0; i < ROWS; i++)
        weights[i] = rows[i].lawful ? rows[i].weight / (odd ? LAWFUL_AMONG_ODD : 1) : odd ? rows[i].weight : 0;
    for (uint64_t i = 0; i < count; i++)
        add_row(m, &rows[chooser_weighted(&m->chooser, SITE_HTTP_ROW, weights, ROWS)], said);
}

/* --- one id for several --- */

/* A place in drawn arguments whose text may be anything. */
static struct json *free_place(const struct schema_value *drawn)
{
    for (size_t i = 0; i < drawn->place_count; i++)
        if (drawn->places[i].free_text && drawn->places[i].name.len && !schema_name_has(drawn->places[i].name, "path|file|filename|dir|directory|folder|uri|url"))
            return drawn->places[i].value;
    return NULL;
}

static const struct tool *choose_twin(struct making *m)
{
    const struct toolset *t = m->tools;
    double *weights = arena_alloc(&m->scratch, t->count * sizeof *weights);
    for (size_t i = 0; i < t->count; i++)
        weights[i] = (t->items[i].calm ? CALM : 1) * (t->items[i].required ? 2 : 1);
    return &t->items[chooser_weighted(&m->chooser, SITE_TOOL, weights, t->count)];
}

/* One call with a word of its own in it, which its answer may repeat. */
static struct task_step *add_twin(struct making *m, const char *id, uint64_t number)
{
    const struct tool *tool = choose_twin(m);
    struct schema_value drawn;
    struct buf params, body;
    schema_draw(m->tools->book, tool->input, SCHEMA_VALID, &m->chooser, &m->scratch, &drawn);
    struct json *place = free_place(&drawn);
    if (place)
        json_replace(place, json_text(&m->scratch, arena_printf(&m->scratch, "own-word-%llu-%llu", (unsigned long long)number,
                                                               (unsigned long long)(m->task->seed % 100000))));
    buf_init(&params, SEND_MAX);
    buf_init(&body, SEND_MAX);
    add_params_of(&params, tool->name, json_is(drawn.value, JSON_OBJECT) ? drawn.value : json_new(&m->scratch, JSON_OBJECT));
    bool fits = !params.overflow && utf8_valid(buf_bytes(&params));
    add_request(&body, id, fits ? "tools/call" : "ping", fits ? buf_bytes(&params) : BYTES_NONE);
    struct task_step *step = add_send(m, "a call", "POST", buf_bytes(&body));
    buf_release(&params);
    buf_release(&body);
    return step;
}

void tools_http_twins(struct making *m, struct buf *said)
{
    uint64_t count = 2 + chooser_uniform(&m->chooser, SITE_TWINS, TWINS_MAX);
    add_twin(m, "alone", 0);
    for (uint64_t i = 1; i <= count; i++) {
        struct task_step *step = add_twin(m, "twin", i);
        json_set(&m->task->arena, step->args, "what", json_text(&m->task->arena, "a call with the id of others that are on their way"));
        step->group = "twins";
    }
    buf_addf(said, "; %llu calls at once with one id", (unsigned long long)count);
}
