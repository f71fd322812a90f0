/* Streamable HTTP: every message of ours is a POST of its own, on connections that are kept; answers are understood in
 * mcp_http_reply.c.
 *
 * libcurl's multi interface does the waiting, beside the wake descriptor of a process that serves. A request that nobody waits for
 * any more is dropped, and its connection with it; a server must not take that for a cancellation, which is a message. */
#include "exec/target/mcp_http.h"

#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "exec/target/strings.h"
#include "exec/target/url.h"

enum { CONNECT_MS = 10000, REDIRECTS_MAX = 5, SLICE_MS = 100, NS_PER_MS = 1000000, RETRY_MOST_MS = 5000 };

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
    c->http->url = xstrdup(http->url);
    c->http->ca_file = http->ca_file ? xstrdup(http->ca_file) : NULL;
    c->http->headers = http->headers;
    c->http->socket = http->socket;
    c->http->context = http->context;
    c->http->local_only = http->local_only;
    return c;
}

/* --- one request --- */

/* Every connection begins here, whatever led to it (a redirect, a name that has another address now), so this is where one to
 * another machine ends. */
static curl_socket_t open_socket(void *context, curlsocktype purpose, struct curl_sockaddr *address)
{
    struct post *p = context;
    const struct mcp_http *h = p->client->http;
    if (h->local_only && !url_address_is_here(&address->addr)) {
        p->refused = "it leads to another machine; --allow-remote if that is meant";
        return CURL_SOCKET_BAD;
    }
    return h->socket ? h->socket(h->context, address->family)
                     : socket(address->family, address->socktype | SOCK_CLOEXEC, address->protocol);
}

/* Headers that were given for one server are not for the one that it sends us to. */
static int before_request(void *context, char *to_ip, char *from_ip, int to_port, int from_port)
{
    struct post *p = context;
    const struct mcp_http *h = p->client->http;
    const char *url = NULL;
    if (!h->headers || !*h->headers || curl_easy_getinfo(p->easy, CURLINFO_EFFECTIVE_URL, &url) != CURLE_OK || !url ||
        url_same_place(h->url, url))
        return CURL_PREREQFUNC_OK;
    p->refused = "it leads to another server, which is not told our headers";
    return CURL_PREREQFUNC_ABORT;
}

static void set_headers(struct post *p)
{
    const struct mcp_http *h = p->client->http;
    struct curl_slist *list = NULL;
    char *line;
    if (p->kind == POST_MESSAGE) {
        list = curl_slist_append(list, "Content-Type: application/json");
        list = curl_slist_append(list, "Accept: application/json, text/event-stream");
    } else {
        list = curl_slist_append(list, "Accept: text/event-stream");
    }
    list = curl_slist_append(list, "Expect:"); /* no question before the body */
    const struct {
        const char *name, *value;
    } rows[] = {{"Mcp-Session-Id", h->session},
                {"MCP-Protocol-Version", h->version},
                {"Last-Event-ID", p->kind == POST_RESUME && *p->sse.last_id ? p->sse.last_id : NULL}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (!rows[i].value)
            continue;
        line = strings_printf("%s: %s", rows[i].name, rows[i].value);
        list = curl_slist_append(list, line);
        free(line);
    }
    for (const char *const *header = h->headers; header && *header; header++)
        list = curl_slist_append(list, *header);
    p->headers = list;
    curl_easy_setopt(p->easy, CURLOPT_HTTPHEADER, list);
}

static void set_options(struct post *p, char *error)
{
    struct mcp_http *h = p->client->http;
    CURL *e = p->easy;
    curl_easy_setopt(e, CURLOPT_URL, h->url);
    curl_easy_setopt(e, CURLOPT_PROTOCOLS_STR, "http,https");
    curl_easy_setopt(e, CURLOPT_NOPROXY, "localhost,127.0.0.1,::1");
    curl_easy_setopt(e, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(e, CURLOPT_CONNECTTIMEOUT_MS, (long)CONNECT_MS);
    curl_easy_setopt(e, CURLOPT_FOLLOWLOCATION, 1L);
    curl_easy_setopt(e, CURLOPT_MAXREDIRS, (long)REDIRECTS_MAX);
    curl_easy_setopt(e, CURLOPT_POSTREDIR, (long)CURL_REDIR_POST_ALL);
    curl_easy_setopt(e, CURLOPT_TCP_NODELAY, 1L);
    curl_easy_setopt(e, CURLOPT_WRITEFUNCTION, mcp_http_take);
    curl_easy_setopt(e, CURLOPT_WRITEDATA, p);
    curl_easy_setopt(e, CURLOPT_HEADERFUNCTION, mcp_http_header);
    curl_easy_setopt(e, CURLOPT_HEADERDATA, p);
    curl_easy_setopt(e, CURLOPT_ERRORBUFFER, error);
    curl_easy_setopt(e, CURLOPT_PRIVATE, p);
    if (h->ca_file)
        curl_easy_setopt(e, CURLOPT_CAINFO, h->ca_file);
    curl_easy_setopt(e, CURLOPT_OPENSOCKETFUNCTION, open_socket);
    curl_easy_setopt(e, CURLOPT_OPENSOCKETDATA, p);
    curl_easy_setopt(e, CURLOPT_PREREQFUNCTION, before_request);
    curl_easy_setopt(e, CURLOPT_PREREQDATA, p);
    if (h->local_only)
        curl_easy_setopt(e, CURLOPT_PROXY, ""); /* what the environment names may be elsewhere */
    if (p->kind == POST_MESSAGE) {
        curl_easy_setopt(e, CURLOPT_POSTFIELDS, p->body);
        curl_easy_setopt(e, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)p->length);
    } else if (p->kind == POST_DELETE) {
        curl_easy_setopt(e, CURLOPT_CUSTOMREQUEST, "DELETE");
    }
}

/* A request with what it needs to report; the error text lies behind the struct. */
struct post_with_error {
    struct post post;
    char error[CURL_ERROR_SIZE];
};

static void begin(struct post *p)
{
    char *error = ((struct post_with_error *)p)->error;
    error[0] = '\0';
    p->looked = p->stream = false;
    p->refused = NULL;
    p->easy = curl_easy_init();
    set_headers(p);
    set_options(p, error);
    curl_multi_add_handle(p->client->http->multi, p->easy);
}

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

static void drop(struct post *p)
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

static struct post *add(struct mcp_client *c, enum post_kind kind, struct bytes body, struct mcp_exchange *exchange)
{
    struct post_with_error *both = xcalloc(1, sizeof *both);
    struct post *p = &both->post;
    p->client = c;
    p->kind = kind;
    p->exchange = exchange;
    p->body = xmalloc(body.len + 1);
    if (body.len)
        memcpy(p->body, body.data, body.len);
    p->length = body.len;
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
    if (exchange && exchange->method && data.len && data.data[data.len - 1] == '\n')
        data.len--; /* the end of a line means nothing here; raw bytes go as they are */
    add(c, POST_MESSAGE, data, exchange);
    if (exchange && !exchange->notification) /* that one is sent when the server says so */
        exchange->sent = exchange->length;
}

static void http_abandon(struct mcp_client *c, struct mcp_exchange *exchange)
{
    for (struct post *p = c->http->posts, *next; p; p = next) {
        next = p->next;
        if (p->exchange != exchange)
            continue;
        p->exchange = NULL;
        if (exchange->state == MCP_WAITING || p->kind == POST_RESUME) /* given up: nothing it could still bring counts */
            drop(p);
    }
}

/* A stream that broke off is taken up again after the time its server asked for. */
static void resume(struct post *p)
{
    int64_t ms = p->sse.retry_ms < 0 ? SLICE_MS : p->sse.retry_ms < RETRY_MOST_MS ? p->sse.retry_ms : RETRY_MOST_MS;
    end_transfer(p);
    p->kind = POST_RESUME;
    p->resumed++;
    p->not_before_ns = clock_monotonic_ns() + ms * NS_PER_MS;
}

static void take_ends(struct mcp_client *c)
{
    int left;
    for (CURLMsg *m; (m = curl_multi_info_read(c->http->multi, &left));) {
        struct post *p;
        if (m->msg != CURLMSG_DONE || curl_easy_getinfo(m->easy_handle, CURLINFO_PRIVATE, (char **)&p) != CURLE_OK)
            continue;
        if (mcp_http_over(p, m->data.result, ((struct post_with_error *)p)->error))
            resume(p);
        else
            drop(p);
    }
    int64_t now = clock_monotonic_ns();
    for (struct post *p = c->http->posts; p; p = p->next)
        if (!p->easy && now >= p->not_before_ns)
            begin(p);
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
    int64_t left = (until_ns - clock_monotonic_ns() + NS_PER_MS - 1) / NS_PER_MS;
    int ms = left < 0 ? 0 : left > SLICE_MS ? SLICE_MS : (int)left;
    curl_multi_poll(c->http->multi, NULL, 0, ms, NULL);
    http_write(c);
    http_check_end(c);
}

static bool sends(const struct post *p)
{
    return p->kind == POST_MESSAGE || p->kind == POST_DELETE;
}

static bool http_busy(const struct mcp_client *c)
{
    for (const struct post *p = c->http->posts; p; p = p->next)
        if (sends(p))
            return true;
    return false;
}

static void http_set_version(struct mcp_client *c, struct bytes version)
{
    free(c->http->version);
    c->http->version = strings_printf("%.*s", BYTES_ARG(version));
}

static bool http_lost(const struct mcp_client *c)
{
    return c->http->refused;
}

static void http_listen(struct mcp_client *c)
{
    add(c, POST_LISTEN, BYTES_NONE, NULL);
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
            drop(p);
    }
    send_all(c, until_ns);
    if (c->http->session)
        add(c, POST_DELETE, BYTES_NONE, NULL);
    send_all(c, until_ns);
}

static void http_release(struct mcp_client *c)
{
    struct mcp_http *h = c->http;
    while (h->posts)
        drop(h->posts);
    curl_multi_cleanup(h->multi);
    free(h->url);
    free(h->ca_file);
    free(h->session);
    free(h->version);
    free(h);
}

const struct mcp_wire mcp_wire_http = {
    .queue = http_queue,
    .abandon = http_abandon,
    .write = http_write,
    .turn = http_turn,
    .check_end = http_check_end,
    .busy = http_busy,
    .listen = http_listen,
    .set_version = http_set_version,
    .lost = http_lost,
    .finish = http_finish,
    .release = http_release,
};
