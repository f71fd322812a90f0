/* From calls to exchanges, and from exchanges to outcomes. A call whose op has no tool, or whose arguments
 * its tool cannot be told, is skipped with the reason. */
#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"
#include "exec/target/driver_mcp_internal.h"
#include "exec/target/mcp_fault_call.h"
#include "exec/target/map_fill.h"
#include "exec/target/mcp_ask_http.h"
#include "exec/target/mcp_end.h"
#include "exec/target/mcp_param.h"
#include "exec/target/mcp_request.h"
#include "exec/target/mcp_result.h"

enum { PARAMS_MAX = INT32_MAX, ROUNDED_MS = 10000 /* a limit in whole seconds may be more than ours */ };

/* A call on its way. */
struct sending {
    struct mcp_driver *state;
    struct call *call;
    const struct op_map *map;   /* NULL for call and send */
    struct map_fill fill;
    struct buf params;          /* borrowed by the exchange */
    struct mcp_exchange *exchange; /* NULL: it was skipped */
    struct mcp_fault fault;        /* when the call has a mutation */
};

static struct bytes spell(void *context, struct bytes path, const char *as, struct arena *a)
{
    return session_spell(context, path, as, a);
}

static struct json *tab(void *context, const struct json *handle, struct arena *a)
{
    const struct session *s = context;
    const struct mcp_driver *state = s->driver_state;
    return mcp_tabs_name(&state->tabs, handle, a);
}

static void write_params(struct buf *out, const struct json *name, const struct json *arguments, struct bytes token)
{
    buf_add_string(out, "{\"name\":");
    json_write(out, name, JSON_COMPACT);
    if (arguments) {
        buf_add_string(out, ",\"arguments\":");
        json_write(out, arguments, JSON_COMPACT);
    }
    if (token.len) {
        buf_add_string(out, ",\"_meta\":{\"progressToken\":");
        buf_add(out, token);
        buf_add_byte(out, '}');
    }
    buf_add_byte(out, '}');
}

/* A call of a tool is written when it may go out. */
static bool pass_gate(struct mcp_driver *state, struct sending *sending, const struct json *name, const struct json *arguments,
                      struct bytes token, struct mcp_exchange *x)
{
    const char *refused = mcp_gate_call(&state->gate, name, arguments);
    if (refused) {
        mcp_skip(sending->call, refused);
        return false;
    }
    write_params(&sending->params, name, arguments, token);
    if (state->server.modern && state->over_http) {
        const struct mcp_tool *tool = mcp_tools_find(&state->server.tools, json_as_text(name));
        x->name = token.len ? BYTES_NONE : json_as_text(name);
        x->headers = mcp_param_headers(tool, arguments, sending->call->arena);
    }
    return true;
}

/* The op `call`: any tool, arguments as they stand. */
static bool prepare_call(struct mcp_driver *state, struct sending *sending, int64_t id, struct mcp_exchange *x)
{
    const struct json *name = json_get(sending->call->args, "name");
    if (!name) {
        mcp_skip(sending->call, "call:name");
        return false;
    }
    x->progress = mcp_progress_token(sending->call, id);
    return pass_gate(state, sending, name, json_get(sending->call->args, "arguments"), x->progress, x);
}

/* The map for this call: bytes that are no text need the way that keeps them. */
static const struct op_map *choose_map(const struct mcp_driver *state, const struct call *call)
{
    const struct json *content = json_get(call->args, "content");
    bool bytes = json_is(content, JSON_STRING) && !utf8_valid(content->text);
    const struct op_map *text = tool_map_find(&state->map, call->op, false);
    return bytes || !text ? tool_map_find(&state->map, call->op, true) : text;
}

static bool prepare_mapped(struct mcp_driver *state, struct sending *sending, struct mcp_exchange *x)
{
    struct call *call = sending->call;
    sending->map = choose_map(state, call);
    if (!sending->map) {
        bool text = tool_map_find(&state->map, call->op, false) != NULL;
        mcp_skip(call, text ? arena_printf(call->arena, "%s:bytes", call->op->name) : call->op->name);
        return false;
    }
    sending->fill = (struct map_fill){.args = call->args,
                                      .timeout_ms = call->timeout_ms,
                                      .own_limit_ms = call->own_limit_ms,
                                      .path_as = call->path_as,
                                      .to_as = call->to_as,
                                      .spell = spell,
                                      .tab = tab,
                                      .context = state->peer.session,
                                      .arena = call->arena};
    struct json *arguments = map_fill(sending->map, &sending->fill);
    if (!arguments) {
        mcp_skip(call, sending->fill.missing);
        return false;
    }
    /* A tool that was told when to stop is heard out for a while longer, so that one which comes late can be told from one
     * which never answers. */
    int64_t told = sending->fill.told_ms;
    int64_t heard = told + settings_int(state->peer.session->target->options.settings, "exec.limit-grace");
    if (told && (told <= call->timeout_ms || told <= ROUNDED_MS) && x->timeout_ms < heard)
        x->timeout_ms = heard;
    struct json *name = json_string(call->arena, sending->map->tool->name);
    return pass_gate(state, sending, name, arguments, BYTES_NONE, x);
}

static bool prepare_raw(struct mcp_driver *state, const struct sending *sending, struct mcp_exchange *x)
{
    struct call *call = sending->call;
    x->raw = json_as_text(json_get(call->args, "content"));
    const char *refused = mcp_ask_read(call->args, state->over_http, call->arena, &x->ask);
    if (!refused)
        refused = mcp_gate_raw(&state->gate, x->raw);
    if (!refused && state->over_http) /* each request stands for itself */
        refused = mcp_gate_raw(&state->gate, BYTES_LITERAL("\n"));
    if (refused)
        mcp_skip(call, refused);
    return !refused;
}

/* False: the call is skipped, with a reason. */
static bool prepare(struct mcp_driver *state, struct sending *sending, const struct mcp_ids *ids, struct mcp_exchange *x)
{
    struct call *call = sending->call;
    *x = (struct mcp_exchange){.timeout_ms = call->timeout_ms, .cancel_after_ms = call->cancel_after_ms,
                               .arena = call->arena};
    buf_init(&sending->params, PARAMS_MAX);
    if (strcmp(call->op->name, "send") == 0)
        return prepare_raw(state, sending, x);
    bool named = strcmp(call->op->name, "call") == 0;
    x->method = "tools/call";
    if (mcp_request_is(call->op) ? !mcp_request_prepare(state, call, ids, &sending->params, x)
        : named                  ? !prepare_call(state, sending, ids->next, x)
                                 : !prepare_mapped(state, sending, x))
        return false;
    if (sending->params.overflow) {
        mcp_skip(call, "message too long for us");
        return false;
    }
    x->params = buf_bytes(&sending->params);
    if (call->mutation && !x->notification)
        mcp_fault_begin(state, call, x, &sending->fault);
    return true;
}

/* --- from exchanges to outcomes --- */

/* Called as soon as an exchange has ended, while the server may still work on others. */
static void conclude(void *context, struct mcp_exchange *x)
{
    const struct sending *sending = context;
    struct mcp_driver *state = sending->state;
    struct call *call = sending->call;
    struct outcome *o = &call->outcome;
    size_t max_reply = (size_t)settings_int(state->peer.session->target->options.settings, "exec.max-reply");
    bool answered = mcp_end(state->peer.client, x, call);
    o->told_ms = sending->fill.told_ms;
    if (x->http_status)
        mcp_ask_result(call, x);
    if (x->fault)
        answered = mcp_fault_end(state, x, call) && answered;
    if (answered && mcp_request_is(call->op))
        mcp_request_result(o, x, max_reply, call->arena);
    if (!answered || mcp_request_is(call->op)) {
        mcp_progress_result(o, x, call->arena);
        return;
    }
    if (!x->method) {
        o->raw = x->lines;
        return;
    }
    struct mcp_result_context reading = {
        .op = call->op,
        .map = sending->map,
        .args = call->args,
        .path = sending->fill.path,
        .arena = call->arena,
        .max_reply = max_reply,
        .cut_here = sending->fill.cut_here,
        .modern = state->server.modern,
    };
    mcp_result(o, x->reply, &reading);
    if (strcmp(call->op->group, "browser") == 0)
        mcp_tabs_note(&state->tabs, call->op->name, call->args, o, call->arena);
    mcp_progress_result(o, x, call->arena);
}

/* Which tab is the current one is asked when a tool wants to be told and nobody knows. */
static void learn_tab(struct session *s, struct call *const *calls, size_t count)
{
    const struct mcp_driver *state = s->driver_state;
    const struct op *list = ops_find(s->target->options.ops, "tab-list");
    bool asked = false;
    for (size_t i = 0; i < count && !asked; i++) {
        const struct op_map *map = tool_map_find(&state->map, calls[i]->op, false);
        asked = map && mcp_tabs_asked(map);
    }
    if (!asked || state->tabs.current.len || !list || !tool_map_find(&state->map, list, false))
        return;
    struct arena arena;
    arena_init(&arena);
    struct call call = {.op = list,
                        .args = json_new(&arena, JSON_OBJECT),
                        .cancel_after_ms = -1,
                        .arena = &arena,
                        .timeout_ms = settings_int(s->target->options.settings, "exec.probe-timeout")};
    mcp_calls(s, (struct call *const[]){&call}, 1);
    arena_release(&arena);
}

void mcp_calls(struct session *s, struct call *const *calls, size_t count)
{
    struct mcp_driver *state = s->driver_state;
    struct sending *sendings = xcalloc(count ? count : 1, sizeof *sendings);
    struct mcp_exchange *exchanges = xcalloc(count ? count : 1, sizeof *exchanges);
    size_t sent = 0;
    mcp_relearn(state);
    learn_tab(s, calls, count);
    struct mcp_ids ids = {.first = mcp_client_next_id(state->peer.client)};
    for (size_t i = 0; i < count; i++) {
        struct mcp_exchange *x = &exchanges[sent];
        ids.next = mcp_client_next_id(state->peer.client);
        sendings[i] = (struct sending){.state = state, .call = calls[i]};
        if (!prepare(state, &sendings[i], &ids, x))
            continue;
        x->done = conclude;
        x->context = &sendings[i];
        sendings[i].exchange = x;
        sent++;
        state->calls++;
        mcp_client_send(state->peer.client, x);
    }
    if (sent)
        mcp_client_await(state->peer.client, exchanges, sent);
    for (size_t i = 0; i < count; i++) {
        if (sendings[i].exchange)
            calls[i]->outcome.replies = sendings[i].exchange->replies;
        buf_release(&sendings[i].params);
    }
    free(exchanges);
    free(sendings);
}
