/* Exchanges: several requests at once, each with its deadline; see mcp_client.h. Moving bytes is in mcp_io.c
 * (over pipes) or mcp_http.c, understanding them in mcp_message.c.
 *
 * Invariant: outside mcp_client_send and mcp_client_await no record, frame or raw id points to an exchange. */
#include "exec/target/mcp_client.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "exec/target/mcp_client_internal.h"

#define NS_PER_MS INT64_C(1000000)
#define NEVER INT64_MAX

enum { FRAME_MAX = INT32_MAX, MESSAGE_KEPT = 1 << 20, STOP_ASKED_MS = 100, FIRST_ASKED_MS = 20, BROKEN_MS = 150, FAULT_LOOK_MS = 10 };

static void breach(void *context, int number, const char *detail, struct bytes text)
{
    mcp_breach(context, number, detail, text);
}

struct mcp_client *mcp_client_make(const struct mcp_peer *peer, const struct mcp_limits *limits, enum duty_transport transport)
{
    struct mcp_client *c = xcalloc(1, sizeof *c);
    c->peer = *peer;
    c->limits = *limits;
    mcp_lines_init(&c->lines, limits->max_line);
    buf_init(&c->raw_lines, RAW_LINES_MAX);
    buf_init(&c->message, FRAME_MAX);
    arena_init(&c->scratch);
    arena_init(&c->raw_arena);
    arena_init(&c->plans);
    arena_init(&c->events[0].arena);
    arena_init(&c->events[1].arena);
    c->duties = duty_watch_new(transport, breach, c);
    return c;
}

void mcp_client_log(struct mcp_client *c, struct wire_log *log)
{
    c->log = log;
}

struct mcp_client *mcp_client_new(const struct mcp_peer *peer, const struct mcp_limits *limits)
{
    struct mcp_client *c = mcp_client_make(peer, limits, DUTY_STDIO);
    c->wire = &mcp_wire_pipe;
    c->pipe_ignored = mcp_pipe_signal_ignored();
    return c;
}

void mcp_client_free(struct mcp_client *c)
{
    if (!c)
        return;
    c->wire->release(c);
    mcp_lines_release(&c->lines);
    buf_release(&c->raw_lines);
    buf_release(&c->message);
    arena_release(&c->scratch);
    arena_release(&c->raw_arena);
    arena_release(&c->plans);
    arena_release(&c->events[0].arena);
    arena_release(&c->events[1].arena);
    duty_watch_free(c->duties);
    mcp_envelope_release(&c->envelope);
    free(c->ids);
    free(c);
}

void mcp_client_offer(struct mcp_client *c, unsigned set, const char *root)
{
    c->offers = (struct mcp_offers){.set = set, .root = root};
}

unsigned mcp_client_offered(const struct mcp_client *c)
{
    return c->offers.set;
}

static int64_t new_id(struct mcp_client *c, struct mcp_exchange *x)
{
    if (c->id_count == c->id_capacity) {
        c->id_capacity = c->id_capacity ? 2 * c->id_capacity : 64;
        c->ids = xrealloc(c->ids, c->id_capacity * sizeof *c->ids);
    }
    c->ids[c->id_count++] = (struct id_record){.exchange = x};
    return (int64_t)c->id_count;
}

static int64_t after(int64_t start, int64_t ms)
{
    return ms > (INT64_MAX - start) / NS_PER_MS ? NEVER : start + ms * NS_PER_MS;
}

/* A message up to its params. Requests whose method needs no escapes are most of them. */
static void add_head(struct buf *text, const struct mcp_exchange *x)
{
    if (x->id && !x->method_text.len) {
        buf_addf(text, "{\"jsonrpc\":\"2.0\",\"id\":%lld,\"method\":\"%s\"", (long long)x->id, x->method);
        return;
    }
    buf_add_string(text, "{\"jsonrpc\":\"2.0\",");
    if (x->id)
        buf_addf(text, "\"id\":%lld,", (long long)x->id);
    buf_add_string(text, "\"method\":");
    json_write_string(text, x->method_text.len ? x->method_text : bytes_of_string(x->method));
}

/* Over HTTP raw bytes are a request of their own, so that nothing need be remembered of them. */
static void start_raw(struct mcp_client *c, struct mcp_exchange *x)
{
    x->length = x->raw.len;
    if (!c->http) {
        x->cancel_ns = NEVER;
        c->raw = x;
        buf_clear(&c->raw_lines);
        mcp_message_remember_raw(c, x);
        duty_raw(c->duties);
    }
    c->wire->queue(c, x->raw, x);
}

static void add_params(const struct mcp_client *c, struct bytes params, bool request, struct buf *out)
{
    if (c->envelope.version && request) {
        mcp_envelope_params(&c->envelope, params, out);
    } else if (params.len) {
        buf_add(out, BYTES_LITERAL(",\"params\":"));
        buf_add(out, params);
    }
}

static void send_request(struct mcp_client *c, struct mcp_exchange *x, struct bytes params)
{
    struct buf *text = &c->message;
    buf_clear(text);
    x->id = x->notification ? 0 : new_id(c, x);
    add_head(text, x);
    add_params(c, params, x->id != 0, text);
    buf_add(text, BYTES_LITERAL("}\n"));
    x->length += text->len;
    if (!x->fault || !mcp_fault_send(c, x, buf_bytes(text)))
        c->wire->queue(c, buf_bytes(text), x);
    duty_sent(c->duties, x->method, x->id, params); /* the server is at work already */
    if (text->cap > MESSAGE_KEPT) {
        buf_release(text);
        buf_init(text, FRAME_MAX);
    }
}

void mcp_client_again(struct mcp_client *c, struct mcp_exchange *x, struct bytes params)
{
    struct id_record *record = &c->ids[x->id - 1];
    record->exchange = NULL;
    record->given_up = record->replies == 0; /* an answer that comes after all is late */
    x->again++;
    send_request(c, x, params);
}

static void start(struct mcp_client *c, struct mcp_exchange *x)
{
    x->state = MCP_WAITING;
    x->length = x->sent = 0;
    x->start_ns = clock_monotonic_ns();
    x->deadline_ns = after(x->start_ns, x->timeout_ms);
    x->cancel_ns = x->cancel_after_ms < 0 ? NEVER : after(x->start_ns, x->cancel_after_ms);
    if (!x->method)
        start_raw(c, x);
    else
        send_request(c, x, x->params);
}

static void notify(struct mcp_client *c, const char *method, struct bytes params)
{
    struct buf text;
    buf_init(&text, FRAME_MAX);
    duty_sent(c->duties, method, 0, params);
    buf_addf(&text, "{\"jsonrpc\":\"2.0\",\"method\":\"%s\"", method);
    if (params.len) {
        buf_add_string(&text, ",\"params\":");
        buf_add(&text, params);
    }
    buf_add_string(&text, "}\n");
    c->wire->queue(c, buf_bytes(&text), NULL);
    buf_release(&text);
}

/* Forgets an exchange that is no longer waited for. */
static void let_go(struct mcp_client *c, struct mcp_exchange *x)
{
    c->wire->abandon(c, x);
    if (x->id && c->ids[x->id - 1].exchange == x) {
        c->ids[x->id - 1].exchange = NULL;
        c->ids[x->id - 1].given_up = true;
    }
    for (size_t i = 0; i < c->raw_id_count; i++)
        if (c->raw_ids[i].exchange == x)
            c->raw_ids[i].exchange = NULL;
    if (c->raw == x) {
        x->lines = arena_copy(x->arena, buf_bytes(&c->raw_lines));
        c->raw = NULL;
    }
}

static void end(struct mcp_client *c, struct mcp_exchange *x, enum mcp_state state)
{
    x->state = state;
    x->end_ns = clock_monotonic_ns();
    let_go(c, x);
}

/* Is a request cancelled by no longer listening to its answer? */
static bool closing_cancels(const struct mcp_client *c)
{
    return mcp_client_is_modern(c) && c->wire->closing_cancels;
}

/* initialize may not be cancelled, server/discover is followed by it; what was never sent need not be. */
static void cancel(struct mcp_client *c, struct mcp_exchange *x, const char *reason)
{
    bool first = x->id && (strcmp(x->method, "initialize") == 0 || strcmp(x->method, "server/discover") == 0);
    if (!x->id || !x->sent || first || closing_cancels(c))
        return;
    char params[96];
    snprintf(params, sizeof params, "{\"requestId\":%lld,\"reason\":\"%s\"}", (long long)x->id, reason);
    notify(c, "notifications/cancelled", bytes_of_string(params));
}

/* Raw bytes have all they can hope for, or had their time for it. */
static bool raw_is_done(const struct mcp_client *c, const struct mcp_exchange *x, int64_t now)
{
    if (x->method || x->sent < x->length)
        return false;
    if (x->over || x->whole)
        return x->over;
    if (x->hoped && x->replies >= x->hoped)
        return true;
    return x->replies >= x->owed && now >= after(x->start_ns, c->limits.quiet_ms);
}

static bool is_cut(const struct mcp_client *c, const struct mcp_exchange *x, int64_t now)
{
    bool affected = c->out_ended || (c->in_broken && x->sent < x->length);
    return affected && now >= after(c->cut_ns, c->limits.grace_ms);
}

static bool is_stopped(const struct mcp_client *c)
{
    return c->peer.stopped && c->peer.stopped(c->peer.context);
}

void mcp_client_fail(struct mcp_exchange *x, const char *failure, bool broken)
{
    if (x->state != MCP_WAITING || x->failure)
        return;
    x->failure = arena_string(x->arena, bytes_of_string(failure));
    x->failed_ns = clock_monotonic_ns() + (broken ? BROKEN_MS * NS_PER_MS : 0);
}

/* What has become of one that still waits? */
static void look(struct mcp_client *c, struct mcp_exchange *x, int64_t now)
{
    bool gone = x->notification && x->sent >= x->length;
    if (gone || raw_is_done(c, x, now) || (x->fault && mcp_fault_look(c, x, now))) {
        end(c, x, MCP_ANSWERED);
    } else if (x->failure && (c->ended || now >= x->failed_ns)) {
        end(c, x, c->ended ? MCP_DIED : MCP_FAILED);
    } else if (is_stopped(c)) {
        end(c, x, MCP_STOPPED);
    } else if (c->ended) {
        end(c, x, MCP_DIED);
    } else if (is_cut(c, x, now)) {
        end(c, x, MCP_CUT);
    } else if (now >= x->deadline_ns) {
        let_go(c, x);
        if (!x->cancelled)
            cancel(c, x, "deadline");
        end(c, x, MCP_TIMEOUT);
    } else if (now >= x->cancel_ns) {
        x->cancelled = true;
        x->cancel_ns = NEVER;
        /* A server need not answer what was cancelled. */
        int64_t patience = x->method && !closing_cancels(c) ? after(now, c->limits.grace_ms) : now;
        x->deadline_ns = patience < x->deadline_ns ? patience : x->deadline_ns;
        cancel(c, x, "no longer needed");
    }
}

/* When the next of them must be looked at, if nothing happens before. */
static int64_t next_look(const struct mcp_client *c, const struct mcp_exchange *exchanges, size_t count)
{
    int64_t next = NEVER, now = clock_monotonic_ns();
    for (size_t i = 0; i < count; i++) {
        const struct mcp_exchange *x = &exchanges[i];
        if (x->state != MCP_WAITING)
            continue;
        next = x->deadline_ns < next ? x->deadline_ns : next;
        next = x->cancel_ns < next ? x->cancel_ns : next;
        int64_t soon = x->fault ? after(now, FAULT_LOOK_MS) : NEVER;
        next = soon < next ? soon : next;
        int64_t quiet = x->method ? NEVER : after(x->start_ns, c->limits.quiet_ms);
        next = quiet < next && quiet > now ? quiet : next;
    }
    if (c->cut_ns) {
        int64_t cut = after(c->cut_ns, c->limits.grace_ms);
        next = cut < next && cut > now ? cut : next; /* later it only concerns those that are affected */
    }
    if (c->peer.stopped) {
        int64_t asked = after(now, STOP_ASKED_MS);
        next = asked < next ? asked : next;
    }
    return next;
}

static size_t look_at_all(struct mcp_client *c, struct mcp_exchange *exchanges, size_t count)
{
    size_t waiting = 0;
    int64_t now = clock_monotonic_ns();
    for (size_t i = 0; i < count; i++) {
        struct mcp_exchange *x = &exchanges[i];
        if (x->state == MCP_WAITING)
            look(c, x, now);
        waiting += x->state == MCP_WAITING;
        if (x->state == MCP_WAITING || x->told || !x->done)
            continue;
        x->told = true;
        x->done(x->context, x);
    }
    return waiting;
}

void mcp_client_send(struct mcp_client *c, struct mcp_exchange *x)
{
    if (!x->method)
        c->wire->turn(c, clock_monotonic_ns()); /* what came unasked is no answer to raw bytes */
    start(c, x);
}

int64_t mcp_client_next_id(const struct mcp_client *c)
{
    return (int64_t)c->id_count + 1;
}

void mcp_client_exchange(struct mcp_client *c, struct mcp_exchange *exchanges, size_t count)
{
    for (size_t i = 0; i < count; i++)
        mcp_client_send(c, &exchanges[i]);
    mcp_client_await(c, exchanges, count);
}

void mcp_client_await(struct mcp_client *c, struct mcp_exchange *exchanges, size_t count)
{
    c->wire->write(c);
    /* When nothing comes soon, the process is asked for once: others may have taken the word of its end from the wake
     * descriptor before we watched it. */
    int64_t asked = after(clock_monotonic_ns(), FIRST_ASKED_MS);
    while (look_at_all(c, exchanges, count)) {
        int64_t next = next_look(c, exchanges, count);
        c->wire->turn(c, asked < next ? asked : next);
        if (asked <= clock_monotonic_ns()) {
            c->wire->check_end(c);
            asked = NEVER;
        }
    }
    c->wire->write(c); /* notifications of the last look */
    for (size_t i = 0; i < count; i++) {
        c->wire->abandon(c, &exchanges[i]);
        if (exchanges[i].id)
            c->ids[exchanges[i].id - 1].exchange = NULL;
    }
}

void mcp_client_notify(struct mcp_client *c, const char *method, struct bytes params, int64_t ms)
{
    int64_t until = after(clock_monotonic_ns(), ms);
    notify(c, method, params);
    c->wire->write(c);
    while (c->wire->busy(c) && !c->ended && clock_monotonic_ns() < until)
        c->wire->turn(c, until);
}

bool mcp_client_finish(struct mcp_client *c, int64_t ms)
{
    int64_t until = after(clock_monotonic_ns(), ms);
    bool had_ended = c->ended;
    c->wire->finish(c, until);
    if (!had_ended)
        duty_closed(c->duties, c->ended, BYTES_NONE);
    return c->ended;
}

void mcp_client_listen(struct mcp_client *c)
{
    if (c->wire->listen)
        c->wire->listen(c);
}

bool mcp_client_is_modern(const struct mcp_client *c)
{
    return c->envelope.version != NULL;
}

void mcp_client_subscribe(struct mcp_client *c, const char *filter)
{
    struct buf text, params;
    buf_init(&text, FRAME_MAX);
    buf_init(&params, FRAME_MAX);
    int64_t id = new_id(c, NULL);
    c->ids[id - 1].given_up = true; /* its answer, the end of the subscription, is nobody's */
    buf_addf(&params, "{\"notifications\":%s}", filter);
    buf_addf(&text, "{\"jsonrpc\":\"2.0\",\"id\":%lld,\"method\":\"subscriptions/listen\"", (long long)id);
    add_params(c, buf_bytes(&params), true, &text);
    buf_add_string(&text, "}\n");
    c->wire->queue(c, buf_bytes(&text), NULL);
    duty_sent(c->duties, "subscriptions/listen", id, buf_bytes(&params));
    buf_release(&params);
    buf_release(&text);
}

void mcp_client_set_modern(struct mcp_client *c, const char *version, const char *capabilities)
{
    mcp_envelope_set(&c->envelope, version, capabilities);
    if (c->wire->set_version)
        c->wire->set_version(c, bytes_of_string(version));
    duty_watch_free(c->duties);
    c->duties = duty_watch_new(c->http ? DUTY_HTTP : DUTY_STDIO, breach, c);
    if (version)
        duty_modern(c->duties, version, capabilities);
}

bool mcp_client_session_over(const struct mcp_client *c)
{
    return c->wire->session_over && c->wire->session_over(c);
}

void mcp_client_start_anew(struct mcp_client *c, int64_t ms)
{
    if (c->wire->start_anew)
        c->wire->start_anew(c, after(clock_monotonic_ns(), ms));
}

bool mcp_client_fall_back(struct mcp_client *c, int64_t ms)
{
    return c->wire->fall_back && c->wire->fall_back(c, after(clock_monotonic_ns(), ms));
}

void mcp_client_set_version(struct mcp_client *c, struct bytes version)
{
    c->batches = bytes_equal_string(version, "2025-03-26");
    if (c->wire->set_version)
        c->wire->set_version(c, version);
}

bool mcp_client_alive(struct mcp_client *c)
{
    c->wire->check_end(c);
    return !c->ended && !(c->wire->lost && c->wire->lost(c));
}

int mcp_client_status(const struct mcp_client *c)
{
    return c->status;
}

size_t mcp_client_events(struct mcp_client *c, const struct wire_event **events)
{
    if (!c->ended || !c->out_ended)
        c->wire->turn(c, clock_monotonic_ns());
    struct event_list *list = &c->events[c->filling];
    c->filling = !c->filling;
    arena_clear(&c->events[c->filling].arena);
    c->events[c->filling].count = 0;
    *events = list->items;
    return list->count;
}

struct bytes mcp_client_stderr(struct mcp_client *c)
{
    return stderr_tail_bytes(&c->said);
}

const struct mcp_counts *mcp_client_counts(const struct mcp_client *c)
{
    return &c->counts;
}
