/* From calls to exchanges, and from exchanges to outcomes. A call whose op has no tool, or whose arguments
 * its tool cannot be told, is skipped with the reason. */
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "base/utf8.h"
#include "exec/target/driver_mcp_internal.h"
#include "exec/target/map_fill.h"
#include "exec/target/mcp_result.h"

enum { PARAMS_MAX = INT32_MAX };

/* A call on its way. */
struct sending {
    struct call *call;
    const struct op_map *map;   /* NULL for call and send */
    struct map_fill fill;
    struct buf params;          /* borrowed by the exchange */
    struct mcp_exchange *exchange; /* NULL: it was skipped */
};

static struct bytes spell(void *context, struct bytes path, const char *as, struct arena *a)
{
    return session_spell(context, path, as, a);
}

static void skip(struct call *call, const char *reason)
{
    call->outcome.class = OUTCOME_SKIPPED;
    call->outcome.skip_reason = reason;
}

static void write_params(struct buf *out, const struct json *name, const struct json *arguments)
{
    buf_add_string(out, "{\"name\":");
    json_write(out, name, JSON_COMPACT);
    if (arguments) {
        buf_add_string(out, ",\"arguments\":");
        json_write(out, arguments, JSON_COMPACT);
    }
    buf_add_byte(out, '}');
}

/* The op `call`: any tool, arguments as they stand. */
static bool prepare_call(struct mcp_driver *state, struct sending *sending)
{
    const struct target_options *options = &state->peer.session->target->options;
    const struct json *name = json_get(sending->call->args, "name");
    const char *refused = mcp_tools_refusal(&state->server.tools, json_as_text(name), options->tools,
                                            options->exclude_tools);
    if (!name || refused) {
        skip(sending->call, name ? refused : "call:name");
        return false;
    }
    write_params(&sending->params, name, json_get(sending->call->args, "arguments"));
    return true;
}

/* The map for this call: bytes that are no text need the way that keeps them. */
static const struct op_map *choose_map(const struct mcp_driver *state, const struct call *call)
{
    const struct json *content = json_get(call->args, "content");
    bool bytes = json_is(content, JSON_STRING) && !utf8_valid(content->text);
    const struct op_map *text = tool_map_find(&state->map, call->op, false);
    return bytes || !text ? tool_map_find(&state->map, call->op, true) : text;
}

static bool prepare_mapped(struct mcp_driver *state, struct sending *sending)
{
    struct call *call = sending->call;
    sending->map = choose_map(state, call);
    if (!sending->map) {
        bool text = tool_map_find(&state->map, call->op, false) != NULL;
        skip(call, text ? arena_printf(call->arena, "%s:bytes", call->op->name) : call->op->name);
        return false;
    }
    sending->fill = (struct map_fill){.args = call->args,
                                      .timeout_ms = call->timeout_ms,
                                      .path_as = call->path_as,
                                      .to_as = call->to_as,
                                      .spell = spell,
                                      .context = state->peer.session,
                                      .arena = call->arena};
    struct json *arguments = map_fill(sending->map, &sending->fill);
    if (!arguments) {
        skip(call, sending->fill.missing);
        return false;
    }
    struct json *name = json_string(call->arena, sending->map->tool->name);
    write_params(&sending->params, name, arguments);
    return true;
}

/* False: the call is skipped, with a reason. */
static bool prepare(struct mcp_driver *state, struct sending *sending, struct mcp_exchange *x)
{
    struct call *call = sending->call;
    *x = (struct mcp_exchange){.timeout_ms = call->timeout_ms, .cancel_after_ms = call->cancel_after_ms,
                               .arena = call->arena};
    buf_init(&sending->params, PARAMS_MAX);
    if (strcmp(call->op->name, "send") == 0) {
        x->raw = json_as_text(json_get(call->args, "content"));
        return true;
    }
    bool named = strcmp(call->op->name, "call") == 0;
    if (!(named ? prepare_call(state, sending) : prepare_mapped(state, sending)))
        return false;
    if (sending->params.overflow) {
        skip(call, "message too long for us");
        return false;
    }
    x->method = "tools/call";
    x->params = buf_bytes(&sending->params);
    return true;
}

/* --- from exchanges to outcomes --- */

static struct bytes printed(struct arena *a, const char *text)
{
    return bytes_of_string(arena_string(a, bytes_of_string(text)));
}

static void conclude_answer(struct mcp_driver *state, const struct sending *sending,
                            const struct mcp_exchange *x)
{
    struct call *call = sending->call;
    struct outcome *o = &call->outcome;
    o->class = OUTCOME_OK;
    if (!x->method) {
        o->raw = x->lines;
        return;
    }
    if (x->too_long) {
        o->truncated = true;
        o->message = BYTES_LITERAL("the reply is longer than exec.max-line");
        return;
    }
    struct mcp_result_context context = {
        .op = call->op,
        .map = sending->map,
        .args = call->args,
        .path = sending->fill.path,
        .arena = call->arena,
        .max_reply = (size_t)settings_int(state->peer.session->target->options.settings, "exec.max-reply"),
        .cut_here = sending->fill.cut_here,
    };
    mcp_result(o, x->reply, &context);
}

static void conclude_death(struct mcp_driver *state, struct outcome *o, struct arena *a)
{
    int status = mcp_client_status(state->peer.client);
    o->class = OUTCOME_TARGET_DIED;
    if (WIFSIGNALED(status))
        o->message = printed(a, arena_printf(a, "the server was ended by signal %d", WTERMSIG(status)));
    else
        o->message = printed(a, arena_printf(a, "the server ended with status %d", WEXITSTATUS(status)));
}

static void conclude(struct mcp_driver *state, const struct sending *sending, const struct mcp_exchange *x)
{
    struct outcome *o = &sending->call->outcome;
    struct arena *a = sending->call->arena;
    switch (x->state) {
    case MCP_ANSWERED:
        conclude_answer(state, sending, x);
        break;
    case MCP_DIED:
        conclude_death(state, o, a);
        break;
    case MCP_CUT:
        o->class = OUTCOME_TRANSPORT_ERROR;
        o->message = BYTES_LITERAL("the server closed its standard output or input but did not end");
        break;
    case MCP_STOPPED:
        o->class = OUTCOME_HARNESS;
        o->message = BYTES_LITERAL("interrupted");
        break;
    case MCP_TIMEOUT:
    case MCP_WAITING:
        o->class = OUTCOME_TIMEOUT;
        o->message = printed(a, x->cancelled
                                    ? arena_printf(a, "cancelled by us after %lld ms, and not answered",
                                                   (long long)x->cancel_after_ms)
                                    : arena_printf(a, "no answer within %lld ms", (long long)x->timeout_ms));
        o->raw = x->lines;
        break;
    }
    o->start_ns = x->start_ns;
    o->ns = x->end_ns - x->start_ns;
    o->bytes_in = x->sent;
    o->bytes_out = x->received;
    o->replies = x->replies;
}

void mcp_calls(struct session *s, struct call *const *calls, size_t count)
{
    struct mcp_driver *state = s->driver_state;
    struct sending *sendings = xcalloc(count ? count : 1, sizeof *sendings);
    struct mcp_exchange *exchanges = xcalloc(count ? count : 1, sizeof *exchanges);
    size_t sent = 0;
    for (size_t i = 0; i < count; i++) {
        sendings[i].call = calls[i];
        if (prepare(state, &sendings[i], &exchanges[sent]))
            sendings[i].exchange = &exchanges[sent++];
    }
    if (sent)
        mcp_client_exchange(state->peer.client, exchanges, sent);
    for (size_t i = 0; i < count; i++) {
        if (sendings[i].exchange)
            conclude(state, &sendings[i], sendings[i].exchange);
        buf_release(&sendings[i].params);
    }
    free(exchanges);
    free(sendings);
}
