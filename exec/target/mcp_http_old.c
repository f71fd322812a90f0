/* The transport of 2024-11-05, before there was streamable HTTP: a GET opens a stream whose first event, "endpoint", says where
 * messages are POSTed; what is POSTed is only accepted, and every answer comes on the stream.
 *
 * It is tried when a server does not take the first POST. The endpoint must lie on the same server: a stream is not to send us
 * anywhere else. */
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "exec/target/mcp_http.h"
#include "exec/target/url.h"
#include "exec/target/wire_log.h"

enum { NOT_FOUND = 404, NOT_ALLOWED = 405, BAD_REQUEST = 400 };

void mcp_http_take_endpoint(struct mcp_http *h, struct bytes place)
{
    CURLU *there = curl_url();
    struct buf text;
    char *whole = NULL;
    buf_init(&text, 1 << 16);
    buf_add(&text, place);
    bool read = !text.overflow && strlen(buf_string(&text)) == text.len &&
                curl_url_set(there, CURLUPART_URL, h->url, 0) == CURLUE_OK &&
                curl_url_set(there, CURLUPART_URL, buf_string(&text), 0) == CURLUE_OK &&
                curl_url_get(there, CURLUPART_URL, &whole, 0) == CURLUE_OK;
    if (read && url_same_place(h->url, whole)) {
        free(h->endpoint);
        h->endpoint = xstrdup(whole);
    }
    curl_free(whole);
    buf_release(&text);
    curl_url_cleanup(there);
}

static bool listens(const struct mcp_http *h)
{
    for (const struct post *p = h->posts; p; p = p->next)
        if (p->kind == POST_LISTEN)
            return true;
    return false;
}

bool mcp_http_fall_back(struct mcp_client *c, int64_t until_ns)
{
    struct mcp_http *h = c->http;
    bool refused = h->last_status == NOT_FOUND || h->last_status == NOT_ALLOWED || h->last_status == BAD_REQUEST;
    if (!h->old && (!refused || h->version)) /* one that answered initialize speaks the newer one */
        return false;
    h->old = true;
    free(h->endpoint);
    h->endpoint = NULL;
    mcp_http_add(c, POST_LISTEN, BYTES_NONE, NULL);
    while (!h->endpoint && listens(h) && !c->ended && clock_monotonic_ns() < until_ns &&
           !(c->peer.stopped && c->peer.stopped(c->peer.context)))
        c->wire->turn(c, until_ns);
    h->old = h->endpoint != NULL;
    if (h->old)
        wire_log_spoil(c->log);
    h->over = false;
    return h->old;
}

void mcp_http_old_lost(struct mcp_client *c, const char *why)
{
    for (size_t i = 0; i < c->id_count; i++)
        if (c->ids[i].exchange)
            mcp_client_fail(c->ids[i].exchange, why, c->peer.ended != NULL);
    c->http->over = c->http->endpoint != NULL;
}
