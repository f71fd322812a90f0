/* Commands to a browser, and their replies; see cdp.h.
 *
 * Invariant: a command's id is in `pending` from its sending until its reply, also when its op is over by then; so a reply to an id
 * that was used and is not there is a second one. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "exec/target/cdp/cdp.h"
#include "exec/target/mcp_json.h"

enum { PENDING_MAX = 1 << 16, SHOWN = 4096, ID_DIGITS = 18 };

struct cdp_pending {
    int64_t id;
    struct cdp_op *op; /* NULL: nobody waits */
    cdp_then *then;
    bool lenient;
    uint64_t prepares; /* serial of the tab that it prepares; 0: none */
};

struct cdp *cdp_new(struct session *s)
{
    struct cdp *c = xcalloc(1, sizeof *c);
    c->session = s;
    c->next_id = 1;
    c->download_fd = -1;
    c->link.take = cdp_message;
    c->link.context = c;
    arena_init(&c->scratch);
    buf_init(&c->message, SIZE_MAX);
    c->events = cdp_events_new();
    c->log = cdp_log_new();
    return c;
}

void cdp_free(struct cdp *c)
{
    if (!c)
        return;
    cdp_link_release(&c->link);
    cdp_tabs_free(c);
    cdp_downloads_free(c);
    cdp_events_free(c->events);
    cdp_log_free(c->log);
    arena_release(&c->scratch);
    buf_release(&c->message);
    free(c->pending);
    if (c->download_fd >= 0)
        close(c->download_fd);
    free(c);
}

int64_t cdp_setting(const struct cdp *c, const char *name)
{
    return settings_int(c->session->target->options.settings, name);
}

struct json *cdp_object(struct cdp *c)
{
    return json_new(&c->scratch, JSON_OBJECT);
}

/* --- out --- */

static void remember(struct cdp *c, struct cdp_op *op, cdp_then *then, bool lenient)
{
    if (c->pending_count == PENDING_MAX) { /* a browser that answers nothing: the oldest are given up */
        memmove(c->pending, c->pending + 1, (PENDING_MAX - 1) * sizeof *c->pending);
        c->pending_count--;
    }
    if (c->pending_count == c->pending_capacity) {
        c->pending_capacity = c->pending_capacity ? 2 * c->pending_capacity : 16;
        c->pending = xrealloc(c->pending, c->pending_capacity * sizeof *c->pending);
    }
    c->pending[c->pending_count++] = (struct cdp_pending){.id = c->next_id, .op = op, .then = then, .lenient = lenient};
}

static void send(struct cdp *c, struct cdp_op *op, const char *session, const char *method, struct json *params, cdp_then *then,
                 bool lenient)
{
    struct buf *m = &c->message;
    if (op && op->done)
        return;
    buf_clear(m);
    buf_addf(m, "{\"id\":%lld,\"method\":\"%s\"", (long long)c->next_id, method);
    if (*session) {
        buf_add_string(m, ",\"sessionId\":");
        json_write_string(m, bytes_of_string(session));
    }
    buf_add_string(m, ",\"params\":");
    if (params)
        json_write(m, params, JSON_COMPACT);
    else
        buf_add_string(m, "{}");
    buf_add_byte(m, '}');
    cdp_log_sent(c, c->next_id, session, method, params);
    remember(c, op, then, lenient);
    c->next_id++;
    if (op)
        op->call->outcome.bytes_in += m->len;
    c->link.wire->queue(&c->link, buf_bytes(m));
}

void cdp_send(struct cdp_op *op, const char *method, struct json *params, cdp_then *then)
{
    if (op->tab)
        send(op->c, op, op->tab->session, method, params, then, false);
}

void cdp_send_lenient(struct cdp_op *op, const char *method, struct json *params, cdp_then *then)
{
    if (op->tab)
        send(op->c, op, op->tab->session, method, params, then, true);
}

void cdp_send_browser(struct cdp_op *op, const char *method, struct json *params, cdp_then *then)
{
    send(op->c, op, "", method, params, then, false);
}

void cdp_tell(struct cdp *c, const struct cdp_tab *tab, const char *method, struct json *params)
{
    send(c, NULL, tab ? tab->session : "", method, params, NULL, false);
}

void cdp_prepare(struct cdp *c, struct cdp_tab *tab, const char *method, struct json *params)
{
    send(c, NULL, tab->session, method, params, NULL, false);
    c->pending[c->pending_count - 1].prepares = tab->serial;
    tab->unready++;
}

void cdp_forget(struct cdp *c, const struct cdp_op *op)
{
    for (size_t i = 0; i < c->pending_count; i++)
        if (c->pending[i].op == op)
            c->pending[i].op = NULL;
}

/* --- back --- */

/* The command with that id, taken from the list. False: there is none. */
static bool take_pending(struct cdp *c, int64_t id, struct cdp_pending *p)
{
    for (size_t i = 0; i < c->pending_count; i++) {
        if (c->pending[i].id != id)
            continue;
        *p = c->pending[i];
        memmove(c->pending + i, c->pending + i + 1, (c->pending_count - i - 1) * sizeof *c->pending);
        c->pending_count--;
        return true;
    }
    return false;
}

static void take_error(struct cdp_op *op, const struct json *error)
{
    const struct json *message = json_get(error, "message");
    int64_t code = 0;
    json_as_integer(json_get(error, "code"), &code);
    struct bytes text = json_is(message, JSON_STRING) ? bytes_slice(message->text, 0, SHOWN) : BYTES_NONE;
    cdp_fail(op, OUTCOME_PROTOCOL_ERROR, code, "%s", text.len ? arena_string(op->call->arena, text) : "an error without words");
}

static void take_reply(struct cdp *c, int64_t id, const struct json *reply, struct bytes text)
{
    struct cdp_pending p;
    if (!take_pending(c, id, &p)) {
        cdp_event(c, id > 0 && id < c->next_id ? WIRE_DOUBLE_REPLY : WIRE_UNKNOWN_ID, NULL, text);
        return;
    }
    if (p.prepares)
        cdp_tab_answered(c, p.prepares);
    if (!p.op || p.op->done)
        return;
    p.op->call->outcome.bytes_out += text.len;
    const struct json *error = json_get(reply, "error");
    if (error && !p.lenient)
        take_error(p.op, error);
    else if (p.then)
        p.then(p.op, error ? reply : json_get(reply, "result"));
}

static size_t skip_blanks(struct bytes text, size_t at)
{
    while (at < text.len && (text.data[at] == ' ' || text.data[at] == '\n' || text.data[at] == '\t'))
        at++;
    return at;
}

/* The number behind "id": where a message begins with it; 0: it does not. */
static int64_t leading_id(struct bytes text)
{
    static const char *const lead[] = {"{", "\"id\"", ":"};
    int64_t id = 0;
    size_t at = 0;
    for (size_t i = 0; i < sizeof lead / sizeof *lead; i++) {
        struct bytes part = bytes_of_string(lead[i]);
        at = skip_blanks(text, at);
        if (!bytes_starts(bytes_slice(text, at, text.len), part))
            return 0;
        at += part.len;
    }
    at = skip_blanks(text, at);
    for (size_t digits = 0; at < text.len && text.data[at] >= '0' && text.data[at] <= '9' && digits < ID_DIGITS; at++, digits++)
        id = id * 10 + (text.data[at] - '0');
    return id;
}

static void too_long(struct cdp *c, const struct mcp_line *message)
{
    struct cdp_pending p;
    cdp_event(c, WIRE_NOTE, "a message longer than exec.max-line", message->text);
    if (!take_pending(c, leading_id(message->text), &p) || !p.op || p.op->done)
        return;
    p.op->call->outcome.bytes_out += message->length;
    p.op->call->outcome.truncated = true;
    p.op->call->outcome.message = BYTES_LITERAL("the reply is longer than exec.max-line");
    cdp_ok(p.op); /* the limit is ours: it is no fault of the browser's */
}

void cdp_message(void *context, const struct mcp_line *message)
{
    struct cdp *c = context;
    struct json *value;
    int64_t id;
    if (message->too_long) {
        too_long(c, message);
        return;
    }
    /* What functions that take a reply send is made in the same arena, so it is emptied before. */
    arena_clear(&c->scratch);
    if (mcp_json_read(&c->scratch, message->text, &value) != MCP_JSON_OK || !json_is(value, JSON_OBJECT)) {
        cdp_event(c, WIRE_BAD_MESSAGE, NULL, message->text);
        return;
    }
    cdp_log_came(c, value);
    const struct json *method = json_get(value, "method");
    if (json_as_integer(json_get(value, "id"), &id)) {
        take_reply(c, id, value, message->text);
    } else if (json_is(method, JSON_STRING)) {
        struct bytes session = json_as_text(json_get(value, "sessionId"));
        cdp_tabs_event(c, method->text, session, json_get(value, "params"));
        cdp_downloads_event(c, method->text, json_get(value, "params"));
    } else {
        cdp_event(c, WIRE_BAD_MESSAGE, NULL, message->text);
    }
}

void cdp_turn(struct cdp *c, int64_t until_ns)
{
    c->link.wire->turn(&c->link, until_ns);
}

/* --- asking --- */

static void keep_answer(struct cdp_op *op, const struct json *result)
{
    op->call->outcome.result = json_copy(op->call->arena, result);
    cdp_ok(op);
}

int cdp_ask(struct cdp *c, const char *method, struct json *params, struct arena *a, const struct json **result, struct error **err)
{
    int64_t ms = cdp_setting(c, "exec.start-timeout");
    struct call call = {.arena = a, .timeout_ms = ms, .cancel_after_ms = -1};
    struct cdp_op op = {.c = c, .call = &call};
    int64_t until = clock_monotonic_ns() + ms * 1000000;
    cdp_send_browser(&op, method, params, keep_answer);
    while (!op.done && !c->link.lost && clock_monotonic_ns() < until && !session_stopping(c->session))
        cdp_turn(c, until);
    cdp_forget(c, &op);
    *result = call.outcome.result;
    if (op.done && call.outcome.class == OUTCOME_OK)
        return 0;
    if (op.done)
        return error_set(err, ERR_TARGET, "%s was refused: %.*s", method, BYTES_ARG(call.outcome.message));
    if (c->link.lost)
        return error_set(err, ERR_TARGET, "%s before it answered %s", c->link.lost, method);
    return error_set(err, ERR_TARGET, "no answer to %s within %lld ms (exec.start-timeout is how long is waited)", method, (long long)ms);
}
