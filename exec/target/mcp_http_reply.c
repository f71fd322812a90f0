/* What comes back over HTTP, as messages: a JSON body is one, each event of a stream is one. */
#include "exec/target/mcp_again.h"
#include "exec/target/mcp_http.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/clock.h"
#include "exec/target/strings.h"

enum { RESUMES_MAX = 3, SHOWN = 160 };

static bool starts_with(const char *text, const char *start)
{
    return strncasecmp(text, start, strlen(start)) == 0;
}

/* The id that a later request may bear: visible ASCII. What else a server gives is told to the watch. */
static void keep_session(struct post *p, struct bytes value)
{
    struct mcp_http *h = p->client->http;
    duty_http_session(p->client->duties, value);
    for (size_t i = 0; i < value.len; i++)
        if (value.data[i] < 0x21 || value.data[i] > 0x7e)
            return;
    if (!value.len || h->session || p->kind != POST_MESSAGE || mcp_client_is_modern(p->client)) /* that era has none */
        return;
    h->session = strings_printf("%.*s", BYTES_ARG(value));
}

/* The value of a header line of this name (lower case, with its colon). */
static bool header_is(struct bytes line, const char *name, struct bytes *value)
{
    size_t length = strlen(name);
    if (line.len < length || strncasecmp((const char *)line.data, name, length) != 0)
        return false;
    *value = bytes_slice(line, length, line.len);
    while (value->len && (value->data[0] == ' ' || value->data[0] == '\t'))
        *value = bytes_slice(*value, 1, value->len);
    return true;
}

static void deliver(struct post *p, struct bytes text, uint64_t length, bool too_long)
{
    struct mcp_line line = {.text = text, .length = length, .too_long = too_long};
    if (too_long) { /* its end was not kept; what comes back on a request's own connection is its answer */
        line.text = bytes_slice(text, 0, MCP_LINE_EDGE);
        line.likely_id = p->exchange ? p->exchange->id : 0;
    }
    duty_http_stream(p->client->duties, &p->duty);
    mcp_message_line(p->client, &line);
}

static void tell_duties(struct post *p)
{
    if (p->cursor.plan && !mcp_fault_plain(p->cursor.plan))
        return; /* what no client may send has no right answer, and other ids are not known to the watch */
    const char *type = NULL;
    long status = 0;
    curl_easy_getinfo(p->easy, CURLINFO_RESPONSE_CODE, &status);
    curl_easy_getinfo(p->easy, CURLINFO_CONTENT_TYPE, &type);
    p->duty.status = (int)status;
    p->duty.type = type;
    p->duty.challenge = p->challenge;
    p->duty.length = p->answer_length;
    if (p->kind == POST_LISTEN && p->client->http->ending)
        return; /* the session may have gone before the stream began */
    duty_http(p->client->duties, &p->duty);
}

static void look_at_headers(struct post *p)
{
    const char *type = NULL;
    long status = 0;
    p->looked = true;
    curl_easy_getinfo(p->easy, CURLINFO_CONTENT_TYPE, &type);
    curl_easy_getinfo(p->easy, CURLINFO_RESPONSE_CODE, &status);
    p->stream = status == 200 && type && starts_with(type, "text/event-stream");
    if (!p->stream)
        return;
    tell_duties(p);
    if (p->kind == POST_LISTEN)
        p->client->http->listening = true;
}

/* A stream that stays silent is one too; what only leads elsewhere is not the answer yet. */
static void end_of_headers(struct post *p)
{
    long status = 0;
    curl_easy_getinfo(p->easy, CURLINFO_RESPONSE_CODE, &status);
    if (status >= 200 && (status < 300 || status >= 400))
        look_at_headers(p);
}

size_t mcp_http_header(char *data, size_t size, size_t count, void *context)
{
    struct post *p = context;
    struct bytes line = bytes_of(data, size * count), value;
    while (line.len && line.data[line.len - 1] && strchr("\r\n ", line.data[line.len - 1]))
        line.len--;
    if (!line.len)
        end_of_headers(p);
    else if (header_is(line, "http/", &value))
        p->challenge = false; /* another answer, behind a redirect */
    else if (header_is(line, "www-authenticate:", &value))
        p->challenge = true;
    else if (header_is(line, "mcp-session-id:", &value))
        keep_session(p, value);
    return size * count;
}

static void take_event(struct post *p, const struct sse_event *event)
{
    struct mcp_http *h = p->client->http;
    p->fruitless = 0;
    if (event->has_id)
        duty_http_event(p->client->duties, &p->duty, bytes_of_string(p->sse.last_id));
    if (h->old && event->is_endpoint)
        mcp_http_take_endpoint(h, event->data);
    else if (event->length) /* an event that only primes the stream with an id says nothing */
        deliver(p, event->data, event->length, event->too_long);
}

size_t mcp_http_take(char *data, size_t size, size_t count, void *context)
{
    struct post *p = context;
    struct bytes chunk = bytes_of(data, size * count);
    if (p->client->deaf_until_ns && clock_monotonic_ns() < p->client->deaf_until_ns) {
        p->deaf = true;
        return CURL_WRITEFUNC_PAUSE;
    }
    if (!p->looked)
        look_at_headers(p);
    if (!p->stream || p->kind == POST_RAW) {
        p->answer_length += chunk.len;
        buf_add(&p->answer, bytes_slice(chunk, 0, p->answer.max - p->answer.len < chunk.len
                                                      ? p->answer.max - p->answer.len
                                                      : chunk.len));
        return size * count;
    }
    struct sse_event event;
    while (sse_next(&p->sse, &chunk, &event))
        take_event(p, &event);
    return size * count;
}

/* Why there will be no answer. */
static const char *explain(const struct post *p, CURLcode code, struct arena *a)
{
    long status = 0;
    curl_easy_getinfo(p->easy, CURLINFO_RESPONSE_CODE, &status);
    if (code != CURLE_OK && p->refused)
        return p->refused;
    if (code != CURLE_OK)
        return *p->error ? p->error : curl_easy_strerror(code);
    if (p->stream)
        return "the event stream ended without the answer";
    if (status == 202)
        return "HTTP 202, which promises no answer";
    struct bytes body = bytes_slice(buf_bytes(&p->answer), 0, SHOWN);
    return arena_printf(a, "HTTP %ld%s%.*s", status, body.len ? ": " : ", without the answer", BYTES_ARG(body));
}

static bool is_json(const struct post *p)
{
    struct bytes body = buf_bytes(&p->answer);
    size_t at = 0;
    while (at < body.len && strchr(" \t\r\n", body.data[at]) && body.data[at])
        at++;
    return at < body.len && (body.data[at] == '{' || body.data[at] == '[');
}

static bool waits(const struct post *p)
{
    return p->exchange && p->exchange->state == MCP_WAITING;
}

void mcp_http_settle_raw(struct post *p)
{
    static const char *const names[] = {[DUTY_SESSION_OWN] = "own", [DUTY_SESSION_NONE] = "none", [DUTY_SESSION_ENDED] = "ended",
                                        [DUTY_SESSION_UNKNOWN] = "unknown", [DUTY_SESSION_ODD] = "odd"};
    struct mcp_exchange *x = p->exchange;
    const char *type = NULL;
    long status = 0;
    if (p->easy) {
        curl_easy_getinfo(p->easy, CURLINFO_RESPONSE_CODE, &status);
        curl_easy_getinfo(p->easy, CURLINFO_CONTENT_TYPE, &type);
    }
    x->lines = arena_copy(x->arena, bytes_slice(buf_bytes(&p->answer), 0, RAW_LINES_MAX));
    x->received = p->answer_length;
    x->http_status = (int)status;
    x->http_type = type ? arena_string(x->arena, bytes_of_string(type)) : NULL;
    x->http_session = p->duty.sessions ? names[p->duty.session] : NULL;
}

void mcp_http_end_session(struct mcp_http *h)
{
    if (!h->session)
        return;
    free(h->ended);
    h->ended = h->session;
    h->session = NULL;
}

/* Has the session ended by this? Once it has, requests of ours go without its id, and a new one begins. */
static void look_for_end(struct post *p, long status)
{
    struct mcp_http *h = p->client->http;
    bool ours = h->session && p->duty.session == DUTY_SESSION_OWN && p->duty.liberty == DUTY_LIBERTY_NONE;
    bool deleted = p->duty.verb == DUTY_DELETE && status >= 200 && status < 300;
    if (!ours || (!deleted && !(status == 404 && p->kind == POST_MESSAGE)))
        return;
    mcp_http_end_session(h);
    h->over = true;
}

static bool raw_over(struct post *p, CURLcode code, long status)
{
    if (!waits(p))
        return false;
    if (mcp_client_is_modern(p->client) && code == CURLE_OK)
        mcp_http_tell_modern(p, (int)status);
    mcp_http_settle_raw(p);
    if (code != CURLE_OK && !status)
        mcp_client_fail(p->exchange, explain(p, code, p->exchange->arena), p->client->peer.ended);
    else
        p->exchange->over = true;
    return false;
}

/* The stream by which the server speaks unasked is opened again, as often as it gave something. */
static bool listen_over(struct post *p, CURLcode code)
{
    struct mcp_http *h = p->client->http;
    h->listening = false;
    if (h->old)
        mcp_http_old_lost(p->client, code == CURLE_OK ? "the event stream ended" : explain(p, code, &p->client->scratch));
    return !h->old && p->stream && p->fruitless < RESUMES_MAX;
}

/* A stream that broke off is gone on with; in the stateless era its request is made once more. */
static bool unanswered(struct post *p, CURLcode code)
{
    bool modern = mcp_client_is_modern(p->client);
    if (p->stream && !modern && *p->sse.last_id && p->fruitless < RESUMES_MAX && code != CURLE_ABORTED_BY_CALLBACK)
        return true;
    if (p->stream && modern && !p->client->ended && mcp_again_for_answer(p->client, p->exchange))
        return false;
    mcp_client_fail(p->exchange, explain(p, code, p->exchange->arena), code != CURLE_OK && p->client->peer.ended);
    return false;
}

/* The request of an exchange that still waits is over. True: its stream is to be gone on with. */
static bool message_over(struct post *p, CURLcode code, long status)
{
    bool accepted = code == CURLE_OK && status >= 200 && status < 300;
    bool old = p->client->http->old, notification = p->exchange->notification;
    if (p->cursor.plan && code == CURLE_OK && !p->stream && !(old && status < 300)) {
        mcp_http_plan_over(p, explain(p, code, p->exchange->arena));
        return false;
    }
    if (accepted && notification)
        p->exchange->sent = p->exchange->length;
    if (accepted && (notification || old)) /* of old, answers come on the other stream */
        return false;
    return unanswered(p, code);
}

/* A body that is a message, not a stream of them. */
static bool has_message(const struct post *p, CURLcode code)
{
    return p->kind == POST_MESSAGE && !p->stream && code == CURLE_OK && p->answer_length > 0 && is_json(p);
}

bool mcp_http_over(struct post *p, CURLcode code)
{
    struct mcp_http *h = p->client->http;
    long status = 0;
    curl_easy_getinfo(p->easy, CURLINFO_RESPONSE_CODE, &status);
    h->refused = code == CURLE_COULDNT_CONNECT && !p->refused;
    if (!p->looked)
        look_at_headers(p);
    if (!p->stream && code == CURLE_OK)
        tell_duties(p);
    look_for_end(p, status);
    if (p->kind == POST_RAW)
        return raw_over(p, code, status);
    if (p->kind == POST_LISTEN)
        return listen_over(p, code);
    h->last_status = (int)status;
    if (has_message(p, code))
        deliver(p, buf_bytes(&p->answer), p->answer_length, p->answer_length > p->answer.len);
    return waits(p) && message_over(p, code, status);
}
