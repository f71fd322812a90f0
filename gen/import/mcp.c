/* Recorded MCP sessions: JSON-RPC messages as clients and proxies write them down, a line each or in one JSON value, bare, behind a
 * prefix of text, or within an object with times and directions; both directions or requests only.
 *
 * A call of a tool becomes the op `call`, other requests `request`, notifications `notify`, and what is no valid message goes as raw
 * bytes. Replies, what the server asked, and the handshake, which each session makes itself, are passed over. Each `initialize` begins
 * a task; a long session becomes several. Lines without a message are no fault: logs hold other things too. */
#include "gen/import/import_internal.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/utf8.h"

enum { STRING_DEPTH = 2 /* messages in strings in messages */, SEEN_MAX = 4096 };

struct session {
    struct import_source *source;
    struct task *task; /* NULL: none begun */
    int64_t line;      /* of its first step */
    uint64_t last;     /* hash of the message before: proxies write one twice */
    uint64_t seen[SEEN_MAX]; /* ids of its requests */
    size_t seen_count;
};

/* ---- finding messages ---- */

static bool is_message(const struct json *value)
{
    return json_is(value, JSON_OBJECT) && (json_get(value, "jsonrpc") || (json_is(json_get(value, "method"), JSON_STRING) &&
                                                                          (json_get(value, "params") || json_get(value, "id"))));
}

/* A text that may be a message itself. */
static bool holds_text(const struct json *value)
{
    return json_is(value, JSON_STRING) && value->text.len && value->text.data[0] == '{' &&
           bytes_find(value->text, BYTES_LITERAL("\"jsonrpc\""), 0) >= 0;
}

static bool has_message(const struct json *value)
{
    for (const struct json *v = value; v; v = json_next(value, v, true))
        if (is_message(v) || holds_text(v))
            return true;
    return false;
}

static bool fits(const struct import_source *s)
{
    return has_message(s->whole) || (!s->whole && has_message(s->first));
}

/* ---- who sent it ---- */

enum sender { SENDER_UNKNOWN, SENDER_CLIENT, SENDER_SERVER };

/* Methods say it best: a server's log calls "received" what a client's calls "sent". The longest that fits is meant. */
static const struct {
    const char *prefix;
    enum sender sender;
} methods[] = {
    {"notifications/roots/", SENDER_CLIENT}, {"notifications/resources/", SENDER_SERVER}, {"notifications/tools/", SENDER_SERVER},
    {"notifications/prompts/", SENDER_SERVER}, {"notifications/message", SENDER_SERVER}, {"notifications/progress", SENDER_SERVER},
    {"notifications/elicitation/", SENDER_SERVER}, {"notifications/tasks/", SENDER_SERVER}, {"sampling/", SENDER_SERVER},
    {"roots/", SENDER_SERVER}, {"elicitation/", SENDER_SERVER}, {"tools/", SENDER_CLIENT}, {"resources/", SENDER_CLIENT},
    {"prompts/", SENDER_CLIENT}, {"initialize", SENDER_CLIENT}, {"notifications/initialized", SENDER_CLIENT},
};

/* Words of wrappers and prefixes, for messages that both may send. */
static const struct {
    const char *word;
    enum sender sender;
} words[] = {
    {"server->client", SENDER_SERVER}, {"server_to_client", SENDER_SERVER}, {"server-to-client", SENDER_SERVER}, {"s2c", SENDER_SERVER},
    {"from_server", SENDER_SERVER},    {"from server", SENDER_SERVER},      {"incoming", SENDER_SERVER},         {"received", SENDER_SERVER},
    {"recv", SENDER_SERVER},           {"inbound", SENDER_SERVER},          {"<--", SENDER_SERVER},              {"<-", SENDER_SERVER},
};

static enum sender sender_of(struct bytes method, struct bytes around)
{
    for (size_t i = 0; i < sizeof methods / sizeof *methods; i++)
        if (bytes_starts(method, bytes_of_string(methods[i].prefix)))
            return methods[i].sender;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (bytes_find(around, bytes_of_string(words[i].word), 0) >= 0)
            return words[i].sender;
    return SENDER_UNKNOWN;
}

/* ---- steps ---- */

static int end_task(struct session *s)
{
    struct task *t = s->task;
    s->task = NULL;
    s->seen_count = 0;
    if (!t)
        return 0;
    t->instruction = "Do what a recorded session did, in its order.";
    return import_add(s->source, t, s->line, import_mcp.format.name);
}

static int add_step(struct session *s, const char *op, int64_t line, struct json *args)
{
    task_add_step(s->task, ops_find(s->source->im->ops, op), args);
    if (s->task->step_count == 1)
        s->line = line;
    return s->task->step_count == IMPORT_STEPS_MAX ? end_task(s) : 0;
}

static struct task *begin(struct session *s)
{
    if (!s->task)
        s->task = import_task(&import_mcp);
    return s->task;
}

static int send_raw(struct session *s, const struct json *message, int64_t line)
{
    struct arena *a = &begin(s)->arena;
    struct json *args = json_new(a, JSON_OBJECT);
    struct buf text;
    buf_init(&text, IMPORT_FILE_MAX);
    json_write(&text, message, JSON_COMPACT);
    buf_add_byte(&text, '\n');
    json_set(a, args, "content", json_string(a, buf_bytes(&text)));
    bool whole = !text.overflow;
    buf_release(&text);
    return whole ? add_step(s, "send", line, args) : 0;
}

/* The value of an id as it is compared; 0: it is no id. */
static uint64_t id_of(const struct json *id)
{
    bool good = json_is(id, JSON_STRING) || json_is(id, JSON_NUMBER);
    return good ? hash64_mix(hash64(id->text), id->kind) | 1 : 0;
}

static bool was_seen(const struct session *s, uint64_t id)
{
    for (size_t i = 0; i < s->seen_count; i++)
        if (s->seen[i] == id)
            return true;
    return false;
}

static void set_progress(struct arena *a, struct json *args, const struct json *params)
{
    const struct json *token = json_get(json_get(params, "_meta"), "progressToken");
    if (json_is(token, JSON_STRING) || json_is(token, JSON_NUMBER))
        json_set(a, args, "progress", json_text(a, json_is(token, JSON_STRING) ? "text" : "number"));
}

/* Parameters without what the client adds itself. */
static struct json *params_of(struct arena *a, const struct json *params)
{
    struct json *copy = json_copy(a, params), *meta = json_is(copy, JSON_OBJECT) ? json_get(copy, "_meta") : NULL;
    if (meta)
        json_remove(copy, meta);
    return import_value(a, copy);
}

static bool is_text(struct bytes text)
{
    return text.len && utf8_valid(text) && !memchr(text.data, 0, text.len);
}

/* A call as the op has it: a name, and arguments that are an object. */
static bool is_call(const struct json *params)
{
    const struct json *name = json_get(params, "name"), *arguments = json_get(params, "arguments");
    if (!json_is(name, JSON_STRING) || !is_text(name->text) || (arguments && !json_is(arguments, JSON_OBJECT)))
        return false;
    for (const struct json *v = params->first; v; v = v->next)
        if (v->duplicate || (!bytes_equal_string(v->key, "name") && !bytes_equal_string(v->key, "arguments") && !bytes_equal_string(v->key, "_meta")))
            return false;
    return true;
}

static int add_call(struct session *s, const struct json *params, int64_t line)
{
    struct arena *a = &begin(s)->arena;
    struct json *args = json_new(a, JSON_OBJECT);
    const struct json *arguments = json_get(params, "arguments");
    json_set(a, args, "name", json_string(a, json_get(params, "name")->text));
    if (arguments)
        json_set(a, args, "arguments", import_value(a, arguments));
    set_progress(a, args, params);
    return add_step(s, "call", line, args);
}

static int add_message(struct session *s, const struct json *message, struct bytes method, bool request, int64_t line)
{
    struct arena *a = &begin(s)->arena;
    const struct json *params = json_get(message, "params");
    struct json *args = json_new(a, JSON_OBJECT);
    json_set(a, args, "method", json_string(a, method));
    if (request)
        set_progress(a, args, params);
    struct json *copy = params ? params_of(a, params) : NULL;
    if (!request && bytes_equal_string(method, "notifications/cancelled")) {
        /* Ids are given out anew when it runs: one that is over, or one that never was. */
        json_set(a, args, "about", json_text(a, was_seen(s, id_of(json_get(params, "requestId"))) ? "finished" : "unknown"));
        struct json *id = json_is(copy, JSON_OBJECT) ? json_get(copy, "requestId") : NULL;
        if (id)
            json_remove(copy, id);
    }
    if (copy)
        json_set(a, args, "params", copy);
    return add_step(s, request ? "request" : "notify", line, args);
}

static bool is_valid(const struct json *message)
{
    const struct json *version = json_get(message, "jsonrpc"), *method = json_get(message, "method"), *id = json_get(message, "id"),
                      *params = json_get(message, "params");
    for (const struct json *v = message->first; v; v = v->next)
        if (v->duplicate)
            return false;
    return (!version || bytes_equal_string(json_as_text(version), "2.0")) && json_is(method, JSON_STRING) && is_text(method->text) &&
           (!id || id_of(id)) && (!params || json_is(params, JSON_OBJECT));
}

/* The same message as the one before, written down once more. */
static bool repeats(struct session *s, const struct json *message)
{
    struct buf text;
    buf_init(&text, IMPORT_FILE_MAX);
    json_write(&text, message, JSON_SORTED);
    uint64_t hash = json_get(message, "id") ? hash64(buf_bytes(&text)) | 1 : 0;
    buf_release(&text);
    bool same = hash && hash == s->last;
    s->last = hash;
    return same;
}

static int take(struct session *s, const struct json *message, struct bytes around, int64_t line)
{
    const struct json *id = json_get(message, "id");
    struct bytes method = json_is(json_get(message, "method"), JSON_STRING) ? json_get(message, "method")->text : BYTES_NONE;
    bool reply = !json_get(message, "method") && (json_get(message, "result") || json_get(message, "error"));
    if (reply || sender_of(method, around) == SENDER_SERVER || repeats(s, message))
        return 0;
    if (!is_valid(message))
        return send_raw(s, message, line);
    if (bytes_equal_string(method, "initialize"))
        return end_task(s);
    if (bytes_equal_string(method, "notifications/initialized"))
        return 0;
    int status = id && bytes_equal_string(method, "tools/call") && is_call(json_get(message, "params"))
                     ? add_call(s, json_get(message, "params"), line)
                     : add_message(s, message, method, id != NULL, line);
    if (id && s->seen_count < SEEN_MAX)
        s->seen[s->seen_count++] = id_of(id);
    return status;
}

/* Every message in a value; one within a text is read too. */
static int take_all(struct session *s, const struct json *root, struct bytes prefix, int64_t line, unsigned depth)
{
    struct buf around;
    int status = 0;
    bool down = true;
    buf_init(&around, 4096);
    buf_add(&around, prefix);
    for (const struct json *v = root; v && status >= 0; v = json_next(root, v, down)) {
        down = !is_message(v);
        if (is_message(v)) {
            status = take(s, v, buf_bytes(&around), line);
        } else if (holds_text(v) && depth < STRING_DEPTH) {
            struct json *inner = NULL;
            if (json_read(s->source->arena, v->text, &(struct json_options){.allow_bad_utf8 = true, .max_depth = 10000}, "", &inner, NULL, NULL) == 0)
                status = take_all(s, inner, buf_bytes(&around), line, depth + 1);
        } else if (json_is(v, JSON_STRING) && v->text.len < 64) {
            buf_add_byte(&around, ' '); /* a direction, a type, a time: it is for the next message */
            buf_add(&around, v->text);
        } else if (v->parent == root && json_is(root, JSON_ARRAY)) {
            buf_clear(&around);
        }
    }
    buf_release(&around);
    return status < 0 ? status : 0;
}

static int take_line(struct session *s, struct bytes line, int64_t number)
{
    static const struct json_options lenient = {.allow_bad_utf8 = true, .max_depth = 10000, .allow_trailing = true};
    ptrdiff_t open = bytes_find(line, BYTES_LITERAL("{"), 0);
    ptrdiff_t bracket = bytes_find(line, BYTES_LITERAL("[{"), 0);
    if (open < 0)
        return 0;
    if (bracket >= 0 && bracket < open)
        open = bracket;
    struct json *value = NULL;
    if (json_read(s->source->arena, bytes_slice(line, (size_t)open, line.len), &lenient, "", &value, NULL, NULL) < 0)
        return 0;
    return take_all(s, value, bytes_slice(line, 0, (size_t)open), number, 0);
}

static int read_log(struct session *s)
{
    struct import_lines lines = {.text = s->source->text};
    struct bytes line;
    if (s->source->whole)
        return take_all(s, s->source->whole, BYTES_NONE, 0, 0);
    while (import_next_line(&lines, &line)) {
        struct arena passing, *kept = s->source->arena;
        arena_init(&passing);
        s->source->arena = &passing; /* a long log is not kept as a whole */
        int status = take_line(s, line, lines.number);
        s->source->arena = kept;
        arena_release(&passing);
        TRY(status);
    }
    return 0;
}

static int read_mcp(struct import_source *source)
{
    struct session *s = xcalloc(1, sizeof *s);
    s->source = source;
    size_t before = source->im->count;
    int status = read_log(s);
    if (!status)
        status = end_task(s);
    else
        task_free(s->task);
    free(s);
    if (!status && source->im->count == before)
        return import_fault(source, 0, "a log of messages without one that a client sent, expected calls, requests or notifications");
    return status;
}

const struct import_row import_mcp = {
    .format = {.name = "mcp", .summary = "recorded MCP sessions: JSON-RPC messages a line each, bare, behind text, or within objects"},
    .fits = fits,
    .read = read_mcp,
};
