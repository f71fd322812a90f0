/* The class of an outcome and the reader for its op; see mcp_result.h. */
#include "exec/target/mcp_result.h"

#include <string.h>

#include "exec/target/mcp_result_internal.h"

enum { MESSAGE_MAX = 64 << 10 };

static const struct {
    const char *op;
    void (*read)(struct mcp_reader *r);
    bool of_errors; /* a result that says isError may hold them too */
} readers[] = {
    {"read", mcp_read_content, false}, {"download", mcp_read_content, false},
    {"list", mcp_read_entries, false}, {"search", mcp_read_entries, false},
    {"stat", mcp_read_stat, false},    {"write", mcp_read_write, false},
    {"run", mcp_read_run, true},       {"wait", mcp_read_run, true},
    {"start", mcp_read_start, false},  {"poll", mcp_read_poll, false},
    {"fetch", mcp_read_fetch, false},  {"call", mcp_read_call, true},
    {"evaluate", mcp_read_evaluate, false}, {"navigate", mcp_read_navigate, false},
    {"tab-open", mcp_read_tab, false}, {"tab-list", mcp_read_tabs, false},
    {"screenshot", mcp_read_picture, false}, {"pictured", mcp_read_picture, false},
};

void mcp_put(struct mcp_reader *r, const char *name, struct json *value)
{
    if (value && !json_get(r->outcome->result, name))
        json_set(r->context->arena, r->outcome->result, name, value);
}

void mcp_put_bytes(struct mcp_reader *r, const char *name, struct bytes value)
{
    if (value.len > r->context->max_reply) {
        value = bytes_slice(value, 0, r->context->max_reply);
        r->outcome->truncated = true;
    }
    mcp_put(r, name, json_string(r->context->arena, value));
}

static void read_result(struct outcome *o, const struct json *result, const struct mcp_result_context *c)
{
    struct mcp_material material;
    mcp_material_read(&material, result, c->arena);
    bool is_error = json_is(json_get(result, "isError"), JSON_TRUE);
    o->class = is_error ? OUTCOME_TOOL_ERROR : OUTCOME_OK;
    o->raw = material.text;
    if (o->raw.len > c->max_reply) {
        o->raw = bytes_slice(o->raw, 0, c->max_reply);
        o->truncated = true;
    }
    if (is_error)
        o->message = bytes_slice(material.text, 0, MESSAGE_MAX);
    o->result = json_new(c->arena, JSON_OBJECT);
    struct mcp_reader reader = {c, &material, o};
    mcp_read_stated(&reader);
    for (size_t i = 0; i < sizeof readers / sizeof *readers; i++)
        if (strcmp(c->op->name, readers[i].op) == 0 && (!is_error || readers[i].of_errors))
            readers[i].read(&reader);
    int64_t exit_status;
    if (json_as_integer(json_get(o->result, "exit"), &exit_status)) {
        o->has_exit = true;
        o->exit = (int)exit_status;
        /* A run that ended is a run that ended, also when the server calls another status than 0 an error. */
        if (is_error && strcmp(c->op->name, "run") == 0) {
            o->class = OUTCOME_OK;
            o->message = BYTES_NONE;
        }
    }
}

static void read_error(struct outcome *o, const struct json *error, const struct mcp_result_context *c)
{
    o->class = OUTCOME_PROTOCOL_ERROR;
    json_as_integer(json_get(error, "code"), &o->code);
    const struct json *message = json_get(error, "message");
    o->message = json_is(message, JSON_STRING) ? bytes_slice(message->text, 0, MESSAGE_MAX) : BYTES_NONE;
    o->raw = o->message;
}

/* A result of the stateless era that is none yet, or of a kind that nobody knows; NULL: it is one. One without a type is complete. */
static const char *not_complete(const struct json *result, struct arena *a)
{
    const struct json *type = json_get(result, "resultType"), *requests = json_get(result, "inputRequests");
    if (!type || bytes_equal_string(json_as_text(type), "complete"))
        return NULL;
    if (!bytes_equal_string(json_as_text(type), "input_required"))
        return "the result's resultType is not known";
    struct bytes method = json_as_text(json_get(json_is(requests, JSON_OBJECT) ? requests->first : NULL, "method"));
    return arena_printf(a, "the server asks for input that it does not get: %.*s", BYTES_ARG(bytes_slice(method, 0, 80)));
}

void mcp_result(struct outcome *o, const struct json *reply, const struct mcp_result_context *c)
{
    const struct json *error = json_get(reply, "error"), *result = json_get(reply, "result");
    const char *other = c->modern ? not_complete(result, c->arena) : NULL;
    if (error) {
        read_error(o, error, c);
    } else if (other) {
        o->class = OUTCOME_PROTOCOL_ERROR;
        o->message = o->raw = bytes_of_string(other);
    } else if (json_is(result, JSON_OBJECT)) {
        read_result(o, result, c);
    } else {
        o->class = OUTCOME_TRANSPORT_ERROR;
        o->message = result ? BYTES_LITERAL("the reply's result is not an object")
                            : BYTES_LITERAL("the reply has neither result nor error");
    }
}
