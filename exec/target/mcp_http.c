/* Streamable HTTP: every message of ours is a POST of its own, on connections that are kept; it is written in mcp_http_ask.c,
 * answers are understood in mcp_http_reply.c.
 *
 * libcurl's multi interface does the waiting, beside the wake descriptor of a process that serves. A request that nobody waits for
 * any more is dropped, and its connection with it. In the stateless era that cancels it; in the others a server must not take it for a
 * cancellation, which is a message. */
#include "exec/target/mcp_http.h"

#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "exec/target/strings.h"
#include "exec/target/wire_log.h"

enum { SLICE_MS = 100, NS_PER_MS = 1000000, RETRY_LEAST_MS = 20, CONNECTIONS_KEPT = 64 };

static void set_up_curl(void)
{
    curl_global_init(CURL_GLOBAL_DEFAULT);
}

struct mcp_client *mcp_client_new_http(const struct mcp_peer *peer, const struct mcp_limits *limits,
                                       const struct mcp_http_options *http)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, set_up_curl);
    struct mcp_client *c = mcp_client_make(peer, limits, DUTY_HTTP);
    c->wire = &mcp_wire_http;
    c->http = xcalloc(1, sizeof *c->http);
    c->http->multi = curl_multi_init();
    /* By itself libcurl keeps four connections for each request that is on its way, so few when few are. */
    curl_multi_setopt(c->http->multi, CURLMOPT_MAXCONNECTS, (long)CONNECTIONS_KEPT);
    c->http->url = xstrdup(http->url);
    c->http->ca_file = http->ca_file ? xstrdup(http->ca_file) : NULL;
    c->http->headers = http->headers;
    c->http->insecure = http->insecure;
    c->http->socket = http->socket;
    c->http->context = http->context;
    c->http->local_only = http->local_only;
    return c;
}

/* --- one request --- */

static void end_transfer(struct post *p)
{
    if (p->easy) {
        curl_multi_remove_handle(p->client->http->multi, p->easy);
        curl_easy_cleanup(p->easy);
    }
    curl_slist_free_all(p->headers);
    p->easy = NULL;
    p->headers = NULL;
}

static void begin(struct post *p)
{
    p->error[0] = '\0';
    p->looked = p->stream = p->challenge = false;
    p->refused = NULL;
    p->easy = curl_easy_init();
    mcp_http_ask(p);
    if (curl_multi_add_handle(p->client->http->multi, p->easy) != CURLM_OK)
        end_transfer(p); /* not while libcurl hands us bytes: an answer to what stands in them begins when take_ends looks */
}

void mcp_http_drop(struct post *p)
{
    struct post **at = &p->client->http->posts;
    while (*at != p)
        at = &(*at)->next;
    *at = p->next;
    end_transfer(p);
    sse_release(&p->sse);
    buf_release(&p->answer);
    free(p->body);
    free(p);
}

struct post *mcp_http_add(struct mcp_client *c, enum post_kind kind, struct bytes body, struct mcp_exchange *exchange)
{
    struct post *p = xcalloc(1, sizeof *p);
    p->client = c;
    p->kind = kind;
    p->exchange = exchange;
    p->number = ++c->http->streams;
    p->body = xmalloc(body.len + 1);
    if (body.len)
        memcpy(p->body, body.data, body.len);
    p->length = body.len;
    if (kind == POST_MESSAGE && exchange && exchange->fault && exchange->fault->planned)
        p->cursor.plan = exchange->fault->sent;
    sse_init(&p->sse, c->limits.max_line);
    buf_init(&p->answer, c->limits.max_line);
    p->next = c->http->posts;
    c->http->posts = p;
    begin(p);
    return p;
}

/* --- the transport's functions --- */

static void http_queue(struct mcp_client *c, struct bytes data, struct mcp_exchange *exchange)
{
    bool raw = exchange && !exchange->method;
    if (raw)
        wire_log_spoil(c->log); /* a request of its own kind, which no list of messages tells */
    else
        wire_log_sent(c->log, data);
    if (!raw && data.len && data.data[data.len - 1] == '\n')
        data.len--; /* the end of a line means nothing here; raw bytes go as they are */
    if (raw) /* a GET's stream may stay open: it is over when nothing comes for a while */
        exchange->whole = !exchange->ask || !exchange->ask->verb || strcmp(exchange->ask->verb, "GET") != 0;
    if (raw && c->http->old) /* what it asks for is answered on the stream of all answers, later */
        mcp_message_remember_raw(c, exchange);
    mcp_http_add(c, raw ? POST_RAW : POST_MESSAGE, data, exchange);
    if (exchange && !exchange->notification) /* that one is sent when the server says so */
        exchange->sent = exchange->length;
    int running; /* the server works on it while the next one is made */
    curl_multi_perform(c->http->multi, &running);
}

static void http_queue_plan(struct mcp_client *c, const struct wire_plan *plan, struct mcp_exchange *exchange)
{
    mcp_http_add(c, POST_MESSAGE, BYTES_NONE, exchange); /* which knows its plan */
}

static void http_abandon(struct mcp_client *c, struct mcp_exchange *exchange)
{
    for (struct post *p = c->http->posts, *next; p; p = next) {
        next = p->next;
        if (p->exchange != exchange)
            continue;
        if (p->kind == POST_RAW) {
            mcp_http_settle_raw(p);
            mcp_http_drop(p);
            continue;
        }
        p->exchange = NULL;
        if (exchange->state == MCP_WAITING || p->kind == POST_RESUME) { /* given up: nothing it could still bring counts */
            duty_hung_up(c->duties, p->duty.id);
            mcp_http_drop(p);
        }
    }
}

static void http_detach(struct mcp_client *c, struct mcp_exchange *exchange)
{
    for (struct post *p = c->http->posts; p; p = p->next)
        if (p->exchange == exchange)
            p->exchange = NULL;
}

/* A stream that broke off is taken up again after the time its server asked for. */
static void resume(struct post *p)
{
    int64_t ms = p->sse.retry_ms < 0 ? SLICE_MS : p->sse.retry_ms < RETRY_LEAST_MS ? RETRY_LEAST_MS : p->sse.retry_ms;
    end_transfer(p);
    sse_again(&p->sse);
    p->kind = p->kind == POST_LISTEN ? POST_LISTEN : POST_RESUME;
    p->fruitless++;
    p->not_before_ns = clock_monotonic_ns() + ms * NS_PER_MS;
}

static void take_ends(struct mcp_client *c)
{
    int left;
    for (CURLMsg *m; (m = curl_multi_info_read(c->http->multi, &left));) {
        struct post *p;
        if (m->msg != CURLMSG_DONE || curl_easy_getinfo(m->easy_handle, CURLINFO_PRIVATE, (char **)&p) != CURLE_OK)
            continue;
        if (mcp_http_over(p, m->data.result))
            resume(p);
        else
            mcp_http_drop(p);
    }
    int64_t now = clock_monotonic_ns();
    for (struct post *p = c->http->posts, *next; p; p = next) {
        next = p->next;
        if (p->easy || now < p->not_before_ns)
            continue;
        if (p->kind == POST_LISTEN && c->http->over)
            mcp_http_drop(p); /* with its session */
        else
            begin(p);
    }
}

static void http_write(struct mcp_client *c)
{
    int running;
    curl_multi_perform(c->http->multi, &running);
    take_ends(c);
}

static void http_check_end(struct mcp_client *c)
{
    int status = 0, answer = c->peer.ended && !c->ended ? c->peer.ended(c->peer.context, &status) : 0;
    if (answer == 0)
        return;
    c->ended = true;
    c->status = answer > 0 ? status : 0;
}

static void http_turn(struct mcp_client *c, int64_t until_ns)
{
    mcp_http_plan_go_on(c, &until_ns);
    int64_t left = (until_ns - clock_monotonic_ns() + NS_PER_MS - 1) / NS_PER_MS;
    int ms = left < 0 ? 0 : left > SLICE_MS ? SLICE_MS : (int)left;
    curl_multi_poll(c->http->multi, NULL, 0, ms, NULL);
    http_write(c);
    http_check_end(c);
}

static bool sends(const struct post *p)
{
    return p->kind == POST_MESSAGE || p->kind == POST_RAW || p->kind == POST_DELETE;
}

static bool http_busy(const struct mcp_client *c)
{
    for (const struct post *p = c->http->posts; p; p = p->next)
        if (sends(p) && (p->exchange || !p->stream))
            return true;
    return false;
}

static void http_set_version(struct mcp_client *c, struct bytes version)
{
    free(c->http->version);
    c->http->version = version.len ? strings_printf("%.*s", BYTES_ARG(version)) : NULL;
}

static bool http_lost(const struct mcp_client *c)
{
    return c->http->refused;
}

static void http_listen(struct mcp_client *c)
{
    if (mcp_client_is_modern(c))
        return;
    for (const struct post *p = c->http->posts; p; p = p->next)
        if (p->kind == POST_LISTEN)
            return; /* the older transport listens from the beginning */
    mcp_http_add(c, POST_LISTEN, BYTES_NONE, NULL);
}

static bool http_session_over(const struct mcp_client *c)
{
    return c->http->over;
}

static void http_start_anew(struct mcp_client *c, int64_t until_ns)
{
    struct mcp_http *h = c->http;
    for (struct post *p = h->posts, *next; p; p = next) {
        next = p->next;
        if (p->kind == POST_LISTEN)
            mcp_http_drop(p);
    }
    mcp_http_end_session(h);
    free(h->version);
    h->version = NULL;
    h->over = h->listening = h->ending = false;
    if (h->old)
        mcp_http_fall_back(c, until_ns);
}

static void send_all(struct mcp_client *c, int64_t until_ns)
{
    while (http_busy(c) && !c->ended && clock_monotonic_ns() < until_ns)
        http_turn(c, until_ns);
}

/* Listening ends, what is still to be said is said, and a session of the server's is given back. */
static void http_finish(struct mcp_client *c, int64_t until_ns)
{
    for (struct post *p = c->http->posts, *next; p; p = next) {
        next = p->next;
        if (!sends(p) || p->stream)
            mcp_http_drop(p);
    }
    send_all(c, until_ns);
    if (c->http->session)
        mcp_http_add(c, POST_DELETE, BYTES_NONE, NULL);
    send_all(c, until_ns);
}

static void http_release(struct mcp_client *c)
{
    struct mcp_http *h = c->http;
    while (h->posts)
        mcp_http_drop(h->posts);
    curl_multi_cleanup(h->multi);
    free(h->url);
    free(h->ca_file);
    free(h->endpoint);
    free(h->session);
    free(h->ended);
    free(h->version);
    free(h);
}

const struct mcp_wire mcp_wire_http = {
    .closing_cancels = true,
    .queue = http_queue,
    .queue_plan = http_queue_plan,
    .hang_up = mcp_http_plan_hang_up,
    .abandon = http_abandon,
    .detach = http_detach,
    .write = http_write,
    .turn = http_turn,
    .check_end = http_check_end,
    .busy = http_busy,
    .listen = http_listen,
    .set_version = http_set_version,
    .lost = http_lost,
    .session_over = http_session_over,
    .start_anew = http_start_anew,
    .fall_back = mcp_http_fall_back,
    .finish = http_finish,
    .release = http_release,
};
