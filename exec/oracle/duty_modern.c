/* Duties of the stateless era (2026-07-28): what every answer must have, error codes, caching, what a server must not send. */
#include "exec/oracle/duty_modern.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"

#include "exec/oracle/mirror.h"

enum { NAMES_TEXT_MAX = 1 << 20 };

void duty_modern(struct duty_watch *w, const char *version, const char *capabilities)
{
    struct json *offered = NULL;
    w->modern = xcalloc(1, sizeof *w->modern);
    w->version = arena_string(&w->arena, bytes_of_string(version));
    if (json_read(&w->arena, bytes_of_string(capabilities), NULL, "capabilities", &offered, NULL, NULL) == 0)
        w->offered = offered;
}

void duty_modern_free(struct duty_modern *m)
{
    if (!m)
        return;
    for (size_t i = 0; i < m->provoked_count; i++)
        free((void *)(uintptr_t)m->provoked[i].id.data);
    duty_names_clear(&m->states);
    duty_names_clear(&m->scopes);
    free(m);
}

/* --- what we send --- */

static void cancelled(struct duty_watch *w, struct bytes params)
{
    struct duty_modern *m = w->modern;
    struct json *value = NULL;
    int64_t id;
    arena_clear(&w->scratch);
    if (m->cancelled_count == DUTY_CANCELLED_MAX ||
        json_read(&w->scratch, params, NULL, "params", &value, NULL, NULL) < 0 ||
        !json_as_integer(json_get(value, "requestId"), &id))
        return;
    m->cancelled[m->cancelled_count++] = (struct duty_cancelled){.id = id, .before = m->last_id};
}

void duty_modern_sent(struct duty_watch *w, const char *method, int64_t id, struct bytes params)
{
    if (!id && strcmp(method, "notifications/cancelled") == 0)
        cancelled(w, params);
    if (!id)
        return;
    w->modern->last_id = id;
    if (strcmp(method, "subscriptions/listen") == 0)
        duty_listen_sent(w, id, params);
}

/* --- after a cancellation --- */

static void look_at_cancelled(struct duty_watch *w, int64_t id, struct bytes line)
{
    struct duty_modern *m = w->modern;
    for (size_t i = 0; i < m->cancelled_count; i++) {
        struct duty_cancelled *c = &m->cancelled[i];
        if (c->id == id && c->read && w->transport == DUTY_STDIO)
            duty_say(w, 30, "answers a request whose cancellation it has read", line);
        else if (id > c->before)
            c->read = true;
    }
}

/* --- after its stream was closed --- */

void duty_hung_up(struct duty_watch *w, int64_t id)
{
    for (struct duty_request *r = w->modern ? w->open : NULL; r; r = r->next)
        if (r->id == id)
            r->hung_up = true;
}

/* Only the stream of another request of ours counts: raw bytes may bear any id, and ask for an answer of their own. */
static void look_at_hung_up(struct duty_watch *w, const struct duty_request *r, const char *detail, struct bytes line)
{
    const struct duty_http_exchange *now = duty_http_now(w);
    if (r && r->hung_up && now && now->id && now->id != r->id)
        duty_say(w, 54, detail, line);
}

/* --- errors --- */

static void look_at_code(struct duty_watch *w, const struct json *error, int64_t code, struct bytes line)
{
    const struct json *data = json_get(error, "data");
    if (code == -32002 || code == -32042)
        duty_say(w, 10, "an error code that is no longer sent", line);
    else if (code < -32022 && code >= -32099)
        duty_say(w, 10, "an error code that the protocol keeps for itself", line);
    if (code == -32020 && w->transport == DUTY_STDIO)
        duty_say(w, 10, "speaks of headers where there are none", line);
    if (code == -32022 && !json_is(json_get(data, "supported"), JSON_ARRAY))
        duty_say(w, 20, "refuses a version without data.supported", line);
    if (code == -32021 && !json_is(json_get(data, "requiredCapabilities"), JSON_OBJECT))
        duty_say(w, 22, "asks for a capability without data.requiredCapabilities", line);
}

/* Over HTTP some codes have a status of their own. */
static void look_at_status(struct duty_watch *w, int64_t code, struct bytes line)
{
    static const struct {
        int64_t code;
        int number, status;
        const char *detail;
    } rows[] = {{-32601, 53, 404, "-32601 with another HTTP status than 404"},
                {-32020, 50, 400, "-32020 with another HTTP status than 400"},
                {-32021, 22, 400, "-32021 with another HTTP status than 400"},
                {-32022, 20, 400, "-32022 with another HTTP status than 400"}};
    const struct duty_http_exchange *now = duty_http_now(w);
    if (code == -32020)
        duty_say(w, 50, "headers that repeat the body are refused", line);
    for (size_t i = 0; now && i < sizeof rows / sizeof *rows; i++)
        if (rows[i].code == code && now->status != rows[i].status)
            duty_say(w, rows[i].number, rows[i].detail, line);
}

/* --- results --- */

/* How a result says that it is to be taken; "": not at all, or as nobody knows. */
static const char *type_of(struct duty_watch *w, const struct json *result, struct bytes line)
{
    const struct json *type = json_get(result, "resultType");
    if (!type)
        duty_say(w, 9, "a result without resultType", line);
    else if (!json_is(type, JSON_STRING))
        duty_say(w, 9, "a resultType that is no text", line);
    else if (bytes_equal_string(type->text, "complete"))
        return "complete";
    else if (bytes_equal_string(type->text, "input_required"))
        return "input_required";
    else
        duty_say(w, 9, "an unknown resultType", line);
    return "";
}

/* The scope is 1 for public, 2 for private. */
static void look_at_scope(struct duty_watch *w, const char *method, const struct json *result, bool later, struct bytes line)
{
    struct bytes text = json_as_text(json_get(result, "cacheScope"));
    int scope = bytes_equal_string(text, "public") ? 1 : bytes_equal_string(text, "private") ? 2 : 0;
    if (!scope) {
        duty_say(w, 64, text.len ? "an unknown cacheScope" : "no cacheScope", line);
        return;
    }
    struct duty_name *seen = duty_names_add(&w->modern->scopes, bytes_of_string(method));
    if (seen && later && seen->value && seen->value != scope)
        duty_say(w, 64, "another cacheScope on a later page", line);
    if (seen)
        seen->value = scope;
}

static void look_at_caching(struct duty_watch *w, const struct duty_request *r, const struct json *result, struct bytes line)
{
    static const char *const cached[] = {"tools/list", "prompts/list", "resources/list", "resources/templates/list",
                                         "resources/read", "server/discover"};
    for (size_t i = 0; i < sizeof cached / sizeof *cached; i++) {
        if (strcmp(r->handler->method, cached[i]) != 0)
            continue;
        const struct json *ttl = json_get(result, "ttlMs");
        double ms = 0;
        if (!ttl)
            duty_say(w, 64, "no ttlMs", line);
        else if (!json_is(ttl, JSON_NUMBER) || !json_as_real(ttl, &ms) || ms < 0)
            duty_say(w, 64, "a ttlMs that is no number from 0 on", line);
        look_at_scope(w, cached[i], result, json_get(duty_params(w, r), "cursor") != NULL, line);
    }
}

/* The list is the same whatever was asked before on this connection, as long as the server tells of no change. */
static void look_at_tools(struct duty_watch *w, const struct duty_request *r, const struct json *result, struct bytes line)
{
    const struct json *tools = json_get(result, "tools");
    struct buf names;
    if (json_get(duty_params(w, r), "cursor") || json_get(result, "nextCursor") || !json_is(tools, JSON_ARRAY))
        return;
    buf_init(&names, NAMES_TEXT_MAX);
    for (const struct json *one = tools->first; one; one = one->next) {
        struct mirror_param *list;
        const char *why;
        buf_add(&names, json_as_text(json_get(one, "name")));
        buf_add_byte(&names, '\n');
        if (w->transport == DUTY_HTTP && !mirror_read(json_get(one, "inputSchema"), &w->scratch, &list, &why))
            duty_say(w, 52, arena_printf(&w->scratch, "x-mcp-header with %s", why), line);
    }
    uint64_t hash = hash64(buf_bytes(&names)) | 1;
    if (w->modern->tools && w->modern->tools != hash && !w->told_tools)
        duty_say(w, 71, "the list of tools is another one than before", line);
    w->modern->tools = names.overflow ? 0 : hash;
    w->told_tools = false;
    buf_release(&names);
}

static bool look_at_result(struct duty_watch *w, const struct duty_request *r, const struct json *result, struct bytes line)
{
    const char *type = type_of(w, result, line);
    if (strcmp(type, "input_required") == 0) {
        duty_input_required(w, r, result, line);
        return true;
    }
    duty_input_given(w, r, result, line);
    if (!r->handler) {
        duty_say(w, 53, "a method that there is not is answered", line);
        return false;
    }
    look_at_caching(w, r, result, line);
    if (strcmp(r->handler->method, "tools/list") == 0)
        look_at_tools(w, r, result, line);
    return false;
}

bool duty_modern_answer(struct duty_watch *w, const struct duty_request *r, const struct json *message, struct bytes line)
{
    const struct json *result = json_get(message, "result"), *error = json_get(message, "error");
    int64_t code = 0;
    if (r)
        look_at_cancelled(w, r->id, line);
    look_at_hung_up(w, r, "answers a request whose stream was closed, on another stream", line);
    bool provoked = !r && duty_provoked_answer(w, message, line);
    if (json_as_integer(json_get(error, "code"), &code) && (r || provoked))
        look_at_code(w, error, code, line);
    if (r && code && w->transport == DUTY_HTTP)
        look_at_status(w, code, line);
    return r && result && !error && look_at_result(w, r, result, line);
}

void duty_look_discover(struct duty_watch *w, const struct duty_request *r, const struct duty_reply *reply)
{
    const struct json *versions = json_get(reply->result, "supportedVersions"),
                      *capabilities = json_get(reply->result, "capabilities");
    (void)r;
    if (!w->modern)
        return;
    if (!reply->result) {
        if (reply->code == -32601)
            duty_say(w, 21, "server/discover is not known", reply->line);
        return;
    }
    bool texts = json_is(versions, JSON_ARRAY) && versions->first;
    for (const struct json *one = texts ? versions->first : NULL; one; one = one->next)
        texts = texts && json_is(one, JSON_STRING);
    if (!texts)
        duty_say(w, 21, "server/discover names no supportedVersions", reply->line);
    if (!json_is(capabilities, JSON_OBJECT))
        duty_say(w, 21, "server/discover names no capabilities", reply->line);
    else if (!w->capabilities)
        w->capabilities = json_copy(&w->arena, capabilities);
}

/* --- what the server sends unasked --- */

/* A log message belongs to a request that asked for some. */
static bool logs_are_wanted(const struct duty_watch *w)
{
    for (const struct duty_request *r = w->open; r; r = r->next)
        if (!r->kept || bytes_find(bytes_of(r->params, r->length), BYTES_LITERAL("io.modelcontextprotocol/logLevel"), 0) >= 0)
            return true;
    return w->forgot;
}

bool duty_modern_called(struct duty_watch *w, const char *method, const struct json *message, struct bytes line)
{
    const struct json *params = json_get(message, "params");
    if (json_get(message, "id") && strncmp(method, "notifications/", 14) != 0) {
        duty_say(w, 29, "a request of the server's", line);
        return true;
    }
    if (strcmp(method, "notifications/cancelled") == 0 && !duty_listen_is(w, json_get(params, "requestId")))
        duty_say(w, 58, "cancels what is no subscription", line);
    if (strcmp(method, "notifications/message") == 0 && !logs_are_wanted(w))
        duty_say(w, 65, "logs for a request that asked for no logs", line);
    if (strcmp(method, "notifications/progress") == 0)
        look_at_hung_up(w, duty_progress_of(w, params), "tells of the progress of a request whose stream was closed", line);
    if (strcmp(method, "notifications/tools/list_changed") == 0)
        w->told_tools = true;
    duty_listen_told(w, method, message, line);
    const struct duty_http_exchange *now = duty_http_now(w);
    bool change = strstr(method, "list_changed") || strcmp(method, "notifications/resources/updated") == 0;
    if (change && now && now->id && !duty_listen_is(w, json_integer(&w->scratch, now->id)))
        duty_say(w, 55, "tells of changes in the answer to another request", line);
    return false;
}
