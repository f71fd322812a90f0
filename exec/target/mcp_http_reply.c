/* What comes back over HTTP, as messages: a JSON body is one, each event of a stream is one. */
#include "exec/target/mcp_http.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { RESUMES_MAX = 3, SHOWN = 160 };

static bool starts_with(const char *text, const char *start)
{
    return strncasecmp(text, start, strlen(start)) == 0;
}

/* Session ids are visible ASCII; anything else is no id that could be sent back. */
static void keep_session(struct mcp_http *h, struct bytes value)
{
    for (size_t i = 0; i < value.len; i++)
        if (value.data[i] < 0x21 || value.data[i] > 0x7e)
            return;
    if (!value.len || h->session)
        return;
    h->session = xmalloc(value.len + 1);
    memcpy(h->session, value.data, value.len);
    h->session[value.len] = '\0';
}

size_t mcp_http_header(char *data, size_t size, size_t count, void *context)
{
    static const char name[] = "mcp-session-id:";
    struct post *p = context;
    size_t length = size * count;
    struct bytes line = bytes_of(data, length);
    while (line.len && strchr("\r\n ", line.data[line.len - 1]))
        line.len--;
    if (line.len > sizeof name - 1 && strncasecmp(data, name, sizeof name - 1) == 0) {
        struct bytes value = bytes_slice(line, sizeof name - 1, line.len);
        while (value.len && value.data[0] == ' ')
            value = bytes_slice(value, 1, value.len);
        keep_session(p->client->http, value);
    }
    return length;
}

static void deliver(struct post *p, struct bytes text, uint64_t length, bool too_long)
{
    struct mcp_line line = {.text = text, .length = length, .too_long = too_long};
    if (too_long) {
        line.tail = bytes_slice(text, text.len > MCP_LINE_EDGE ? text.len - MCP_LINE_EDGE : 0, text.len);
        line.text = bytes_slice(text, 0, MCP_LINE_EDGE);
    }
    mcp_message_line(p->client, &line);
}

static void look_at_headers(struct post *p)
{
    const char *type = NULL;
    long status = 0;
    p->looked = true;
    curl_easy_getinfo(p->easy, CURLINFO_CONTENT_TYPE, &type);
    curl_easy_getinfo(p->easy, CURLINFO_RESPONSE_CODE, &status);
    p->stream = status == 200 && type && starts_with(type, "text/event-stream");
}

size_t mcp_http_take(char *data, size_t size, size_t count, void *context)
{
    struct post *p = context;
    struct bytes chunk = bytes_of(data, size * count);
    if (!p->looked)
        look_at_headers(p);
    if (!p->stream) {
        p->answer_length += chunk.len;
        buf_add(&p->answer, bytes_slice(chunk, 0, p->answer.max - p->answer.len < chunk.len
                                                      ? p->answer.max - p->answer.len
                                                      : chunk.len));
        return size * count;
    }
    struct sse_event event;
    while (sse_next(&p->sse, &chunk, &event))
        if (event.length) /* an event that only primes the stream with an id says nothing */
            deliver(p, event.data, event.length, event.too_long);
    return size * count;
}

/* Why there will be no answer. */
static const char *explain(const struct post *p, CURLcode code, const char *error, struct arena *a)
{
    long status = 0;
    curl_easy_getinfo(p->easy, CURLINFO_RESPONSE_CODE, &status);
    if (code != CURLE_OK && p->refused)
        return p->refused;
    if (code != CURLE_OK)
        return *error ? error : curl_easy_strerror(code);
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

static bool is_accepted(const struct post *p)
{
    long status = 0;
    curl_easy_getinfo(p->easy, CURLINFO_RESPONSE_CODE, &status);
    return status >= 200 && status < 300;
}

bool mcp_http_over(struct post *p, CURLcode code, const char *error)
{
    struct mcp_http *h = p->client->http;
    h->refused = code == CURLE_COULDNT_CONNECT && !p->refused;
    bool message = p->kind == POST_MESSAGE && !p->stream && p->answer_length > 0 && is_json(p);
    if (message && code == CURLE_OK)
        deliver(p, buf_bytes(&p->answer), p->answer_length, p->answer_length > p->answer.len);
    if (!waits(p))
        return false;
    if (p->exchange->notification && code == CURLE_OK && is_accepted(p)) {
        p->exchange->sent = p->exchange->length;
        return false;
    }
    bool broke = p->stream && *p->sse.last_id && p->resumed < RESUMES_MAX && code != CURLE_ABORTED_BY_CALLBACK;
    if (broke)
        return true;
    if (p->exchange->method) {
        mcp_client_fail(p->exchange, explain(p, code, error, p->exchange->arena),
                        code != CURLE_OK && p->client->peer.ended);
    } else if (code != CURLE_OK || !message) { /* raw bytes: what HTTP says of them is what came back */
        const char *said = explain(p, code, error, p->exchange->arena);
        buf_addf(&p->client->raw_lines, "%s\n", said);
    }
    return false;
}
