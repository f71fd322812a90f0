/* Messages in, answers out; see rpc.h. A message is parsed into an arena of its own, checked from the outside
 * in (JSON, JSON-RPC, MCP), and handled. */
#include "leakybox/rpc.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "leakybox/faults.h"
#include "leakybox/guards.h"
#include "leakybox/job.h"
#include "leakybox/text.h"

enum { LONG_LINE = 1024 * 1024, ERROR_TEXT_MAX = 4096 };

static const char *const versions[] = {"2025-11-25", "2025-06-18"};

/* Answers. */

static size_t begin(struct server *s, struct bytes id)
{
    size_t start = s->out.len;

    buf_add_string(&s->out, "{\"jsonrpc\":\"2.0\",\"id\":");
    buf_add(&s->out, id);
    return start;
}

/* An answer that does not fit is replaced by an error that says so. */
static void finish(struct server *s, struct bytes id, size_t start)
{
    struct fault_reply event = {.out = &s->out, .start = start};

    buf_add_string(&s->out, "}\n");
    if (s->out.overflow) {
        buf_cut(&s->out, start);
        s->out.overflow = false;
        begin(s, id);
        buf_addf(&s->out, ",\"error\":{\"code\":%d,\"message\":\"the answer is too large\"}}\n",
                 RPC_INTERNAL);
    }
    faults_reply(&event);
}

void rpc_error(struct server *s, struct bytes id, int code, const char *format, ...)
{
    char text[ERROR_TEXT_MAX];
    size_t start;
    va_list args;

    va_start(args, format);
    vsnprintf(text, sizeof(text), format, args);
    va_end(args);
    start = begin(s, id);
    buf_addf(&s->out, ",\"error\":{\"code\":%d,\"message\":", code);
    json_write_string(&s->out, bytes_of_string(text));
    buf_add_string(&s->out, "}");
    finish(s, id, start);
}

void rpc_result(struct server *s, struct bytes id, const struct json *result)
{
    size_t start = begin(s, id);

    buf_add_string(&s->out, ",\"result\":");
    json_write(&s->out, result, JSON_COMPACT);
    finish(s, id, start);
}

static void add_text_part(struct server *s, struct bytes text)
{
    buf_add_string(&s->out, "{\"type\":\"text\",\"text\":");
    json_write_string(&s->out, text);
    buf_add_string(&s->out, "}");
}

void rpc_text(struct server *s, struct bytes id, struct bytes text, bool failed)
{
    size_t start = begin(s, id);

    buf_add_string(&s->out, ",\"result\":{\"content\":[");
    add_text_part(s, text);
    buf_addf(&s->out, "],\"isError\":%s}", failed ? "true" : "false");
    finish(s, id, start);
}

void rpc_structured(struct server *s, struct bytes id, const struct json *value, bool failed,
                    const char *notice)
{
    struct buf text;
    size_t start;

    buf_init(&text, 8 * (size_t)CONTENT_MAX_BYTES);
    json_write(&text, value, JSON_COMPACT);
    start = begin(s, id);
    buf_add_string(&s->out, ",\"result\":{\"content\":[");
    if (notice) {
        add_text_part(s, bytes_of_string(notice));
        buf_add_string(&s->out, ",");
    }
    add_text_part(s, buf_bytes(&text));
    buf_add_string(&s->out, "],\"structuredContent\":");
    buf_add(&s->out, buf_bytes(&text));
    buf_addf(&s->out, ",\"isError\":%s}", failed ? "true" : "false");
    s->out.overflow = s->out.overflow || text.overflow;
    buf_release(&text);
    finish(s, id, start);
}

/* Messages in. */

struct message {
    struct server *server;
    struct arena arena;
    struct json *value;
    struct bytes id; /* JSON text, "null" when there is none to give back */
    bool has_id;
    struct bytes method;
    struct json *params; /* object, or NULL */
};

/* An id is given back as it was written: MCP has strings and integers, and whoever sends another number wants
 * to know which of its messages was wrong. */
static struct bytes id_text(struct arena *a, const struct json *id)
{
    struct buf text;
    struct bytes copy;

    if (!json_is(id, JSON_STRING) && !json_is(id, JSON_NUMBER))
        return BYTES_LITERAL("null");
    buf_init(&text, 8 * (size_t)LINE_MAX_BYTES);
    json_write(&text, id, JSON_COMPACT);
    copy = arena_copy(a, buf_bytes(&text));
    buf_release(&text);
    return copy;
}

static bool is_integer(const struct json *id)
{
    struct bytes text = json_as_text(id);

    for (size_t i = 0; i < text.len; i++)
        if (text.data[i] != '-' && (text.data[i] < '0' || text.data[i] > '9'))
            return false;
    return true;
}

static void initialize(struct message *m)
{
    struct json *version = json_get(m->params, "protocolVersion");
    struct json *result, *info, *capabilities;
    struct arena *a = &m->arena;
    const char *chosen = versions[0];

    if (m->server->initialized) {
        rpc_error(m->server, m->id, RPC_INVALID, "initialize came twice");
        return;
    }
    if (!json_is(version, JSON_STRING)) {
        rpc_error(m->server, m->id, RPC_BAD_PARAMS,
                  "initialize needs params with the string protocolVersion");
        return;
    }
    for (size_t i = 0; i < sizeof(versions) / sizeof(*versions); i++)
        if (bytes_equal_string(version->text, versions[i]))
            chosen = versions[i];
    m->server->initialized = true;
    result = json_new(a, JSON_OBJECT);
    json_set(a, result, "protocolVersion", json_text(a, chosen));
    capabilities = json_set(a, result, "capabilities", json_new(a, JSON_OBJECT));
    json_set(a, capabilities, "tools", json_new(a, JSON_OBJECT));
    info = json_set(a, result, "serverInfo", json_new(a, JSON_OBJECT));
    json_set(a, info, "name", json_text(a, "leakybox"));
    json_set(a, info, "version", json_text(a, LEAKYBOX_VERSION));
    json_set(
        a, result, "instructions",
        json_text(
            a,
            "Files and commands below one root directory. Paths are relative to it, or absolute inside it."));
    rpc_result(m->server, m->id, result);
}

static void ping(struct message *m)
{
    rpc_result(m->server, m->id, json_new(&m->arena, JSON_OBJECT));
}

static void tools_list(struct message *m)
{
    struct json *cursor = json_get(m->params, "cursor");
    struct json *result;

    if (cursor && !json_is(cursor, JSON_NULL)) {
        rpc_error(m->server, m->id, RPC_BAD_PARAMS, "unknown cursor: all tools are on the first page");
        return;
    }
    result = json_new(&m->arena, JSON_OBJECT);
    json_set(&m->arena, result, "tools", tools_describe(&m->arena));
    rpc_result(m->server, m->id, result);
}

static void tools_call(struct message *m)
{
    struct json *name = json_get(m->params, "name"), *args = json_get(m->params, "arguments");
    struct call call = {.server = m->server, .arena = &m->arena, .id = m->id, .args = args};

    if (!json_is(name, JSON_STRING)) {
        rpc_error(m->server, m->id, RPC_BAD_PARAMS, "tools/call needs params with the string name");
        return;
    }
    call.tool = tool_find(name->text);
    if (!call.tool) {
        struct buf text;

        buf_init(&text, ERROR_TEXT_MAX);
        text_quote(&text, name->text);
        rpc_error(m->server, m->id, RPC_BAD_PARAMS, "unknown tool %s", buf_string(&text));
        buf_release(&text);
        return;
    }
    if (!args || json_is(args, JSON_NULL)) {
        call.args = json_new(&m->arena, JSON_OBJECT);
    } else if (!json_is(args, JSON_OBJECT)) {
        struct fault_malformed event = {
            .in_arguments = true, .is_string = json_is(args, JSON_STRING), .id = m->id};

        faults_malformed(&event);
        rpc_error(m->server, event.id, RPC_BAD_PARAMS,
                  "arguments of tools/call: found %s, expected an object", json_kind_name(args->kind));
        return;
    }
    tool_call(&call);
}

static const struct {
    const char *name;
    bool before_initialize;
    void (*handle)(struct message *m);
} methods[] = {
    {"initialize", true, initialize},
    {"ping", true, ping},
    {"tools/list", false, tools_list},
    {"tools/call", false, tools_call},
};

static void request(struct message *m)
{
    struct buf text;

    for (size_t i = 0; i < sizeof(methods) / sizeof(*methods); i++) {
        if (!bytes_equal_string(m->method, methods[i].name))
            continue;
        if (!m->server->initialized && !methods[i].before_initialize)
            rpc_error(m->server, m->id, RPC_INVALID, "%s came before initialize", methods[i].name);
        else
            methods[i].handle(m);
        return;
    }
    buf_init(&text, ERROR_TEXT_MAX);
    text_quote(&text, m->method);
    rpc_error(m->server, m->id, RPC_NO_METHOD, "unknown method %s", buf_string(&text));
    buf_release(&text);
}

/* Notifications are never answered, whatever is wrong with them. */
static void notification(struct message *m)
{
    if (bytes_equal_string(m->method, "notifications/cancelled"))
        job_cancel(m->server, id_text(&m->arena, json_get(m->params, "requestId")));
}

/* What is wrong with the message as JSON-RPC, or NULL. Fills the message as far as it can be read. */
static const char *check_shape(struct message *m)
{
    struct json *id = json_get(m->value, "id"), *method = json_get(m->value, "method");
    struct json *version = json_get(m->value, "jsonrpc");

    if (json_is(m->value, JSON_ARRAY))
        return "batches are not part of this protocol version: send one message a line";
    if (!json_is(m->value, JSON_OBJECT))
        return "a message must be an object";
    m->has_id = id != NULL;
    m->id = id_text(&m->arena, id);
    if (!json_is(version, JSON_STRING) || !bytes_equal_string(version->text, "2.0"))
        return "jsonrpc must be \"2.0\"";
    if (id && !json_is(id, JSON_STRING) && !(json_is(id, JSON_NUMBER) && is_integer(id)))
        return "id must be a string or an integer";
    if (!json_is(method, JSON_STRING))
        return method ? "method must be a string" : "method is missing";
    m->method = method->text;
    return NULL;
}

static void handle(struct message *m)
{
    const char *wrong = check_shape(m);
    struct json *params = json_get(m->value, "params");

    if (wrong && json_is(m->value, JSON_OBJECT) && !json_get(m->value, "method") &&
        (json_get(m->value, "result") || json_get(m->value, "error")))
        return; /* an answer: we ask nothing, so it answers nothing */
    if (wrong) {
        rpc_error(m->server, m->id, RPC_INVALID, "invalid request: %s", wrong);
        return;
    }
    m->params = json_is(params, JSON_OBJECT) ? params : NULL;
    if (!m->has_id) {
        notification(m);
        return;
    }
    if (params && !m->params && !json_is(params, JSON_NULL)) {
        struct fault_malformed event = {.is_string = json_is(params, JSON_STRING), .id = m->id};

        faults_malformed(&event);
        rpc_error(m->server, event.id, RPC_BAD_PARAMS, "params: found %s, expected an object",
                  json_kind_name(params->kind));
        return;
    }
    if (job_find_call(m->server, m->id)) {
        struct fault_twin event = {.server = m->server, .id = m->id};

        faults_twin(&event);
        if (!event.accepted) {
            rpc_error(m->server, m->id, RPC_INVALID, "invalid request: this id belongs to a call in flight");
            return;
        }
    }
    request(m);
}

/* The scan's id as we would write it: parsed, since the message around it was not. */
static struct bytes scanned_id(struct arena *a, struct idscan *scan)
{
    struct json *id;

    if (json_read(a, idscan_id(scan), NULL, "id", &id, NULL, NULL))
        return BYTES_LITERAL("null");
    return id_text(a, id);
}

void rpc_too_long(struct server *s, struct idscan *scan)
{
    struct arena arena;

    arena_init(&arena);
    rpc_error(s, scanned_id(&arena, scan), RPC_INVALID, "invalid request: the message has more than %d bytes",
              LINE_MAX_BYTES);
    arena_release(&arena);
}

/* A value of one byte costs about a hundred in memory, so a long message is counted before it is read. */
static bool too_many_values(struct server *s, struct bytes line)
{
    struct idscan scan;
    struct arena arena;

    if (line.len <= LONG_LINE)
        return false;
    idscan_init(&scan);
    idscan_feed(&scan, line);
    if (scan.values <= VALUES_MAX)
        return false;
    arena_init(&arena);
    rpc_error(s, scanned_id(&arena, &scan), RPC_INVALID,
              "invalid request: the message has more than %d values", VALUES_MAX);
    arena_release(&arena);
    return true;
}

/* Only planted faults do. */
static bool gives_up(struct server *s, struct fault_line *event)
{
    faults_line(event);
    s->broken = s->broken || event->ends;
    return event->ends;
}

void rpc_line(struct server *s, struct bytes line)
{
    const struct json_options options = {.max_depth = VALUES_MAX};
    struct message m = {.server = s, .id = BYTES_LITERAL("null")};
    struct fault_line event = {.line = line};
    struct error *err = NULL;
    size_t blank = 0;

    guards_message();
    while (blank < line.len && strchr(" \t\r", line.data[blank]) && line.data[blank])
        blank++;
    if (blank == line.len || too_many_values(s, line))
        return;
    if (gives_up(s, &event))
        return;
    arena_init(&m.arena);
    if (json_read(&m.arena, line, &options, "message", &m.value, NULL, &err)) {
        event.malformed = true;
        if (!gives_up(s, &event))
            rpc_error(s, m.id, RPC_PARSE, "parse error: %s", err->text);
        error_free(err);
    } else {
        handle(&m);
    }
    arena_release(&m.arena);
}
