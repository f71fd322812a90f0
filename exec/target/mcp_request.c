/* The ops `request` and `notify`, and progress tokens; see mcp_request.h. */
#include "exec/target/mcp_request.h"

#include <string.h>

#include "exec/target/mcp_end.h"

#define NEVER_USED INT64_C(4503599627370496) /* 2^52: an id that no session comes to */

enum { MESSAGE_MAX = 64 << 10 };

/* --- progress --- */

struct bytes mcp_progress_token(const struct call *call, int64_t id)
{
    struct bytes kind = json_as_text(json_get(call->args, "progress"));
    if (bytes_equal_string(kind, "number"))
        return bytes_of_string(arena_printf(call->arena, "%lld", (long long)id));
    if (bytes_equal_string(kind, "text"))
        return bytes_of_string(arena_printf(call->arena, "\"" MCP_TOKEN "%lld\"", (long long)id));
    return BYTES_NONE;
}

void mcp_progress_result(struct outcome *o, const struct mcp_exchange *x, struct arena *a)
{
    if (!x->progress.len)
        return;
    if (!o->result)
        o->result = json_new(a, JSON_OBJECT);
    struct json *progress = json_set(a, o->result, "progress", json_new(a, JSON_OBJECT));
    json_set(a, progress, "count", json_integer(a, x->progress_count));
    if (*x->progress_last)
        json_set(a, progress, "last", json_text(a, x->progress_last));
}

/* --- sending --- */

bool mcp_request_is(const struct op *op)
{
    return strcmp(op->name, "request") == 0 || strcmp(op->name, "notify") == 0;
}

/* params with the token in _meta; as they stand where there is none, where they are no object to put it in, or bring one. */
static struct json *with_token(struct json *params, struct bytes *token, struct arena *a)
{
    if (!token->len)
        return params;
    if (!params)
        params = json_new(a, JSON_OBJECT);
    struct json *meta = json_get(params, "_meta");
    if (!json_is(params, JSON_OBJECT) || (meta && !json_is(meta, JSON_OBJECT)) || json_get(meta, "progressToken")) {
        *token = BYTES_NONE;
        return params;
    }
    if (!meta)
        meta = json_set(a, params, "_meta", json_new(a, JSON_OBJECT));
    json_set(a, meta, "progressToken", json_raw(a, *token));
    return params;
}

/* The id that `about` speaks of; 0: there is none. The first request of a session, initialize, is never spoken of: it must not
 * be cancelled. */
static int64_t id_about(struct bytes about, const struct mcp_ids *ids)
{
    if (bytes_equal_string(about, "unknown"))
        return NEVER_USED;
    if (bytes_equal_string(about, "finished"))
        return ids->first > 2 ? ids->first - 1 : 0;
    return ids->next > ids->first ? ids->next - 1 : 0;
}

static bool prepare_notify(struct call *call, const struct mcp_ids *ids, struct json **params)
{
    const struct json *about = json_get(call->args, "about");
    if (!about || (*params && !json_is(*params, JSON_OBJECT)))
        return true;
    int64_t id = id_about(json_as_text(about), ids);
    if (!id) {
        mcp_skip(call, "notify: there is no such request");
        return false;
    }
    if (!*params)
        *params = json_new(call->arena, JSON_OBJECT);
    if (json_get(*params, "requestId"))
        json_remove(*params, json_get(*params, "requestId"));
    json_set(call->arena, *params, "requestId", json_integer(call->arena, id));
    return true;
}

bool mcp_request_prepare(struct mcp_driver *state, struct call *call, const struct mcp_ids *ids, struct buf *text,
                         struct mcp_exchange *x)
{
    const struct json *method = json_get(call->args, "method");
    struct json *params = json_get(call->args, "params");
    if (!json_is(method, JSON_STRING)) {
        mcp_skip(call, "request:method");
        return false;
    }
    x->notification = strcmp(call->op->name, "notify") == 0;
    if (x->notification) {
        if (!prepare_notify(call, ids, &params))
            return false;
    } else {
        x->progress = mcp_progress_token(call, ids->next);
        params = with_token(params, &x->progress, call->arena);
    }
    if (params)
        json_write(text, params, JSON_COMPACT);
    const char *refused = mcp_gate_request(&state->gate, method->text, buf_bytes(text));
    if (refused) {
        mcp_skip(call, refused);
        return false;
    }
    x->method = arena_string(call->arena, method->text);
    x->method_text = method->text;
    return true;
}

/* --- what came back --- */

static void take_result(struct outcome *o, struct json *reply, const struct mcp_exchange *x, size_t max_reply, struct arena *a)
{
    struct json *result = json_get(reply, "result");
    struct buf text;
    o->result = json_new(a, JSON_OBJECT);
    buf_init(&text, SIZE_MAX); /* no longer than the line it came in, but for escapes */
    json_write(&text, result, JSON_COMPACT);
    o->raw = arena_copy(a, bytes_slice(buf_bytes(&text), 0, max_reply));
    buf_release(&text);
    o->truncated = x->received > max_reply;
    if (o->truncated)
        return;
    json_remove(reply, result);
    json_set(a, o->result, "result", result);
}

void mcp_request_result(struct outcome *o, const struct mcp_exchange *x, size_t max_reply, struct arena *a)
{
    if (x->notification)
        return;
    const struct json *error = json_get(x->reply, "error"), *message = json_get(error, "message");
    if (error) {
        o->class = OUTCOME_PROTOCOL_ERROR;
        json_as_integer(json_get(error, "code"), &o->code);
        o->message = json_is(message, JSON_STRING) ? bytes_slice(message->text, 0, MESSAGE_MAX) : BYTES_NONE;
        o->raw = o->message;
    } else if (json_get(x->reply, "result")) {
        take_result(o, x->reply, x, max_reply, a);
    } else {
        o->class = OUTCOME_TRANSPORT_ERROR;
        o->message = BYTES_LITERAL("the reply has neither result nor error");
    }
}
