/* From calls to a plug-in's requests, and from its answers to outcomes.
 *
 * Bytes that JSON cannot hold travel as {"$bytes":"base64"} in both directions, as in tasks. A path goes out relative to the
 * root, or as the task has it spelled. */
#include <stdlib.h>
#include <string.h>

#include "base/encode.h"
#include "exec/target/driver_plugin_internal.h"
#include "exec/target/mcp_end.h"
#include "gen/task_internal.h"

enum { PARAMS_MAX = INT32_MAX, MESSAGE_MAX = 64 << 10 };

/* --- out --- */

static void spell_paths(struct session *s, const struct call *call, struct json *args)
{
    for (size_t i = 0; i < call->op->arg_count; i++) {
        const struct op_arg *arg = &call->op->args[i];
        struct json *value = json_get(args, arg->name);
        const char *as = strcmp(arg->name, "to") == 0 && call->to_as ? call->to_as : call->path_as;
        if (arg->type == OP_PATH && json_is(value, JSON_STRING) && as)
            value->text = session_spell(s, value->text, as, call->arena);
    }
}

static struct bytes write_params(struct session *s, const struct call *call, struct buf *text)
{
    struct arena *a = call->arena;
    struct json *params = json_new(a, JSON_OBJECT), *args = json_copy(a, call->args);
    spell_paths(s, call, args);
    json_set(a, params, "op", json_text(a, call->op->name));
    json_set(a, params, "args", task_value_outward(a, args));
    json_set(a, params, "timeout_ms", json_integer(a, call->timeout_ms));
    json_write(text, params, JSON_COMPACT);
    return buf_bytes(text);
}

/* --- back --- */

/* Every well-formed {"$bytes":base64} directly in the result becomes its bytes. */
static struct json *result_inward(struct arena *a, const struct json *result)
{
    struct json *copy = json_new(a, JSON_OBJECT);
    for (const struct json *member = result ? result->first : NULL; member; member = member->next) {
        struct json *value = json_copy(a, member);
        struct buf data;
        buf_init(&data, SIZE_MAX);
        if (task_is_wrapper(member, "$bytes") && base64_decode(&data, json_as_text(member->first)) == 0)
            value = json_string(a, buf_bytes(&data));
        buf_release(&data);
        json_set(a, copy, arena_string(a, member->key), value);
    }
    return copy;
}

static void read_success(struct outcome *o, const struct json *answer, struct arena *a)
{
    int64_t number;
    o->class = OUTCOME_OK;
    o->result = result_inward(a, json_get(answer, "result"));
    if (json_as_integer(json_get(o->result, "exit"), &number)) {
        o->has_exit = true;
        o->exit = (int)number;
    }
    const struct json *text = json_get(o->result, "stdout");
    o->raw = json_as_text(text ? text : json_get(o->result, "content"));
}

static void read_failure(struct outcome *o, const struct json *answer)
{
    const struct json *message = json_get(answer, "message");
    o->class = OUTCOME_TOOL_ERROR;
    o->message = json_is(message, JSON_STRING) ? bytes_slice(message->text, 0, MESSAGE_MAX) : BYTES_NONE;
    o->raw = o->message;
    json_as_integer(json_get(answer, "code"), &o->code);
}

static void read_protocol_error(struct outcome *o, const struct json *error)
{
    const struct json *message = json_get(error, "message");
    o->class = OUTCOME_PROTOCOL_ERROR;
    o->message = json_is(message, JSON_STRING) ? bytes_slice(message->text, 0, MESSAGE_MAX) : BYTES_NONE;
    json_as_integer(json_get(error, "code"), &o->code);
}

/* {"ok":true,"result":{…}}, {"ok":false,"message":…,"code":…} or {"skip":reason}. */
static void read_answer(struct call *call, const struct json *reply)
{
    struct outcome *o = &call->outcome;
    const struct json *error = json_get(reply, "error"), *answer = json_get(reply, "result");
    const struct json *ok = json_get(answer, "ok"), *skip = json_get(answer, "skip");
    if (error)
        read_protocol_error(o, error);
    else if (json_is(skip, JSON_STRING))
        mcp_skip(call, arena_string(call->arena, skip->text));
    else if (json_is(ok, JSON_TRUE))
        read_success(o, answer, call->arena);
    else if (json_is(ok, JSON_FALSE))
        read_failure(o, answer);
    else {
        o->class = OUTCOME_TRANSPORT_ERROR;
        o->message = BYTES_LITERAL("the plug-in's answer has neither ok nor skip");
    }
}

void plugin_calls(struct session *s, struct call *const *calls, size_t count)
{
    struct plugin *p = s->driver_state;
    struct mcp_exchange *exchanges = xcalloc(count ? count : 1, sizeof *exchanges);
    struct buf *texts = xcalloc(count ? count : 1, sizeof *texts);
    for (size_t i = 0; i < count; i++) {
        buf_init(&texts[i], PARAMS_MAX);
        exchanges[i] = (struct mcp_exchange){.method = "call",
                                             .params = write_params(s, calls[i], &texts[i]),
                                             .timeout_ms = calls[i]->timeout_ms,
                                             .cancel_after_ms = calls[i]->cancel_after_ms,
                                             .arena = calls[i]->arena};
    }
    mcp_client_exchange(p->peer.client, exchanges, count);
    for (size_t i = 0; i < count; i++) {
        if (mcp_end(p->peer.client, &exchanges[i], calls[i]))
            read_answer(calls[i], exchanges[i].reply);
        buf_release(&texts[i]);
    }
    free(texts);
    free(exchanges);
}
