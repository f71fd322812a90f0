/* From an answer to what goes over the connection: every body goes through one reader, which counts. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "exec/site/site_internal.h"
#include "gen/recipe.h"

enum { BLOCK = 65536 };

void web_answer_init(struct web_answer *a, struct arena *arena)
{
    *a = (struct web_answer){.status = MHD_HTTP_OK, .type = "text/html; charset=utf-8", .cut = UINT64_MAX, .arena = arena};
    buf_init(&a->body, WEB_BODY_MAX);
}

void web_answer_release(struct web_answer *a)
{
    buf_release(&a->body);
    content_close(a->stream);
    a->stream = NULL;
}

static size_t take(struct web_answer *a, uint64_t at, char *out, size_t max)
{
    if (a->stream)
        return content_read(a->stream, out, max);
    if (a->endless && a->body.len)
        at %= a->body.len;
    struct bytes part = bytes_slice(buf_bytes(&a->body), at, at + max);
    if (part.len)
        memcpy(out, part.data, part.len);
    return part.len;
}

/* Is it time to rest before the byte at that place? Then what follows is read when it is over. */
static bool rests(struct web_exchange *x, uint64_t at)
{
    const struct web_answer *a = &x->answer;
    if (!a->piece || !at || at % a->piece || x->rested)
        return false;
    x->rested = true;
    web_door_sleep(x, a->pause_ms);
    return true;
}

/* How much may be read at once: up to the end, to where it is cut, to the next rest. */
static size_t most(const struct web_answer *a, uint64_t at, size_t max)
{
    uint64_t left = a->cut - at;
    if (a->length >= 0 && left > (uint64_t)a->length - at)
        left = (uint64_t)a->length - at;
    if (a->piece && left > a->piece - at % a->piece)
        left = a->piece - at % a->piece;
    return max < left ? max : (size_t)left;
}

static void note_sent(struct web_exchange *x, uint64_t sent)
{
    x->sent = sent;
    if (!x->entry)
        return;
    pthread_mutex_lock(&x->site->lock);
    x->entry->v.sent = sent;
    pthread_mutex_unlock(&x->site->lock);
}

static ssize_t read_body(void *user, uint64_t at, char *out, size_t max)
{
    struct web_exchange *x = user;
    struct web_answer *a = &x->answer;
    x->was_cut = at >= a->cut;
    if (atomic_load(&x->gone) || x->was_cut)
        return MHD_CONTENT_READER_END_WITH_ERROR;
    if (rests(x, at))
        return 0;
    size_t got = take(a, at, out, most(a, at, max));
    x->rested = false;
    note_sent(x, at + got);
    if (got)
        return (ssize_t)got;
    if (!a->hold)
        return MHD_CONTENT_READER_END_OF_STREAM;
    if (x->held)
        return MHD_CONTENT_READER_END_WITH_ERROR;
    x->held = true;
    web_door_sleep(x, INT64_MAX);
    return 0;
}

static void add_headers(struct MHD_Response *response, const struct web_answer *a)
{
    if (a->type)
        MHD_add_response_header(response, "Content-Type", a->type);
    MHD_add_response_header(response, "Cache-Control", "no-store");
    for (size_t i = 0; i < a->header_count; i++)
        MHD_add_response_header(response, a->headers[i].name, a->headers[i].value);
}

enum MHD_Result web_answer_send(struct web_exchange *x)
{
    struct web_answer *a = &x->answer;
    if (!a->stream)
        a->length = a->chunked || a->endless || a->hold ? -1 : (int64_t)a->body.len;
    else
        content_seek(a->stream, a->skip);
    uint64_t size = a->length < 0 ? MHD_SIZE_UNKNOWN : (uint64_t)a->length;
    struct MHD_Response *response = MHD_create_response_from_callback(size, BLOCK, read_body, x, NULL);
    if (!response)
        return MHD_NO;
    add_headers(response, a);
    if (x->entry) {
        pthread_mutex_lock(&x->site->lock);
        x->entry->v.status = a->status;
        x->entry->v.length = a->length;
        pthread_mutex_unlock(&x->site->lock);
    }
    enum MHD_Result result = MHD_queue_response(x->connection, a->status, response);
    MHD_destroy_response(response);
    return result;
}

/* --- what pages say --- */

void web_header(struct web_answer *a, const char *name, const char *format, ...)
{
    char text[WEB_TARGET_MAX];
    va_list list;
    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    if (a->header_count == WEB_HEADERS_MAX)
        return;
    a->headers[a->header_count].name = name;
    a->headers[a->header_count++].value = arena_string(a->arena, bytes_of_string(text));
}

void web_add(struct web_answer *a, const char *text)
{
    buf_add_string(&a->body, text);
}

void web_addf(struct web_answer *a, const char *format, ...)
{
    char text[8192];
    va_list list;
    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    buf_add_string(&a->body, text);
}

void web_escape(struct web_answer *a, struct bytes text)
{
    static const char *const forms[256] = {['&'] = "&amp;", ['<'] = "&lt;", ['>'] = "&gt;", ['"'] = "&quot;"};
    for (size_t i = 0; i < text.len; i++) {
        if (forms[text.data[i]])
            buf_add_string(&a->body, forms[text.data[i]]);
        else
            buf_add_byte(&a->body, text.data[i]);
    }
}

void web_head(struct web_answer *a, const char *title)
{
    web_head_as(a, title, "utf-8");
}

void web_line(struct web_answer *a, const char *id, struct bytes text)
{
    web_addf(a, "<p id=\"%s\">", id);
    web_escape(a, text);
    web_add(a, "</p>\n");
}

void web_head_as(struct web_answer *a, const char *title, const char *charset)
{
    web_add(a, "<!doctype html>\n<html>\n<head>\n");
    if (charset) {
        web_add(a, "<meta charset=\"");
        web_escape(a, bytes_of_string(charset));
        web_add(a, "\">\n");
    }
    web_add(a, "<title>");
    web_escape(a, bytes_of_string(title));
    web_add(a, "</title>\n</head>\n<body>\n<h1>");
    web_escape(a, bytes_of_string(title));
    web_add(a, "</h1>\n");
}

void web_fault(struct web_answer *a, unsigned status, const char *format, ...)
{
    char text[1024];
    va_list list;
    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    buf_clear(&a->body);
    a->status = status;
    a->type = "text/plain; charset=utf-8";
    web_add(a, text);
    web_add(a, "\n");
}
