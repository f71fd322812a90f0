/* Answers that no server should give: heads that are wrong, lengths that lie, connections that end too soon. */
#include <inttypes.h>
#include <string.h>

#include "exec/site/page.h"

static const char page_text[] = "<!doctype html>\n<meta charset=\"utf-8\">\n<title>Raw</title>\n<h1>Raw</h1>\n<p id=\"text\">all of it</p>\n";

static void say_head(struct web_script *s, unsigned status, const char *type)
{
    s->status = status;
    web_sayf(s, "HTTP/1.1 %u Raw\r\nContent-Type: %s\r\nCache-Control: no-store\r\nConnection: close\r\n", status, type);
}

static void say_page(struct web_script *s)
{
    web_sayf(s, "\r\n");
    web_body(s);
    web_sayf(s, "%s", page_text);
}

static void script_silent(struct web_request *r, struct web_script *s)
{
    web_hold(s);
}

static void script_closed(struct web_request *r, struct web_script *s)
{
    s->cut = true;
    web_wait(s, web_number(r, "ms", 0, 0, 600000));
    if (web_has(r, "reset"))
        web_reset(s);
}

/* The announced length is `claimed`, what is sent has `size`. */
static void script_length(struct web_request *r, struct web_script *s)
{
    int64_t size = web_number(r, "size", 1000, 0, 1 << 30), claimed = web_number(r, "claimed", 2000, 0, INT64_MAX);
    say_head(s, 200, web_text(r, "type", "application/octet-stream"));
    web_sayf(s, "Content-Disposition: attachment; filename=\"length.bin\"\r\nContent-Length: %" PRId64 "\r\n\r\n", claimed);
    web_body(s);
    s->length = claimed;
    s->cut = size < claimed;
    web_fill(s, (uint64_t)size);
    if (web_has(r, "hold"))
        web_hold(s);
}

static void script_unsized(struct web_request *r, struct web_script *s)
{
    s->status = 200;
    web_sayf(s, "HTTP/1.0 200 OK\r\nContent-Type: application/octet-stream\r\nContent-Disposition: attachment; filename=\"unsized.bin\"\r\n\r\n");
    web_body(s);
    web_fill(s, (uint64_t)web_number(r, "size", 1000, 0, 1 << 30));
}

/* The name as it is, whatever its bytes are, in quotes or not. */
static void script_name(struct web_request *r, struct web_script *s)
{
    struct bytes name = web_bytes(r, "name", "a\"b.bin");
    bool bare = web_has(r, "bare");
    say_head(s, 200, "application/octet-stream");
    web_sayf(s, "Content-Disposition: attachment; filename%s", bare ? "=" : "=\"");
    web_say(s, name);
    web_sayf(s, "%s\r\nContent-Length: 5\r\n\r\n", bare ? "" : "\"");
    web_body(s);
    s->length = 5;
    web_sayf(s, "name\n");
}

static void script_chunks(struct web_request *r, struct web_script *s)
{
    const char *fault = web_text(r, "fault", "none");
    say_head(s, 200, "text/html");
    web_sayf(s, "Transfer-Encoding: chunked\r\n\r\n");
    web_body(s);
    if (strcmp(fault, "size") == 0)
        web_sayf(s, "zz\r\n%s\r\n", page_text);
    else if (strcmp(fault, "huge") == 0)
        web_sayf(s, "7fffffffffffffff\r\n%s", page_text);
    else
        web_sayf(s, "%zx\r\n%s\r\n", strlen(page_text), page_text);
    s->cut = strcmp(fault, "none") != 0;
    if (!s->cut)
        web_sayf(s, "0\r\n\r\n");
}

static void script_status(struct web_request *r, struct web_script *s)
{
    struct bytes line = web_bytes(r, "line", "HTTP/1.1 999 What");
    s->status = 200;
    web_say(s, line);
    web_sayf(s, "\r\nContent-Type: text/html\r\nConnection: close\r\n");
    say_page(s);
}

static void script_header(struct web_request *r, struct web_script *s)
{
    say_head(s, 200, "text/html");
    web_say(s, web_bytes(r, "line", "no colon here"));
    web_sayf(s, "\r\n");
    for (int64_t i = web_number(r, "n", 0, 0, 100000); i > 0; i--)
        web_sayf(s, "X-More-%" PRId64 ": %064" PRId64 "\r\n", i, i);
    say_page(s);
}

/* A body that is not in the encoding that the head tells. */
static void script_encoding(struct web_request *r, struct web_script *s)
{
    say_head(s, 200, "text/html");
    web_sayf(s, "Content-Encoding: %s\r\nContent-Length: %zu\r\n", web_text(r, "encoding", "gzip"), strlen(page_text));
    s->length = (int64_t)strlen(page_text);
    say_page(s);
}

static void script_noise(struct web_request *r, struct web_script *s)
{
    struct bytes noise = web_bytes(r, "bytes", "\x16\x03\x01\x02\x03 this is no HTTP\r\n\r\n");
    web_body(s);
    web_say(s, noise);
}

static void script_plain(struct web_request *r, struct web_script *s)
{
    say_head(s, 200, "text/html");
    say_page(s);
}

#define RAW(path, parameters, title, says, script) {path, parameters, title, says, NULL, script}
const struct web_page web_family_raw[] = {
    RAW("/raw/page", "", "raw page", "h1 \"Raw\" and #text \"all of it\"; the same where a page below is said to say it", script_plain),
    RAW("/raw/silent", "", "no answer", "nothing, on a connection that stays open", script_silent),
    RAW("/raw/closed", "ms=0, reset=", "closed connection", "nothing: it is closed, or reset, after so long", script_closed),
    RAW("/raw/length", "size=1000, claimed=2000, type=application/octet-stream, hold=", "wrong length",
        "length.bin of so many letters under a Content-Length that is another; with hold the connection stays open", script_length),
    RAW("/raw/unsized", "size=1000", "no length", "unsized.bin, of HTTP/1.0 and without a length: it ends with the connection", script_unsized),
    RAW("/raw/name", "name=a\"b.bin, bare=", "any file name", "\"name\" and a line feed, under a name of any bytes, in quotes or bare", script_name),
    RAW("/raw/chunks", "fault=none", "chunks", "the raw page in one chunk; of a wrong size (size), of one too big (huge), without a last one (cut)", script_chunks),
    RAW("/raw/status", "line=HTTP/1.1 999 What", "any status line", "the raw page under that line", script_status),
    RAW("/raw/header", "line=no colon here, n=0", "any header line", "the raw page, with that line and so many more among its headers", script_header),
    RAW("/raw/encoding", "encoding=gzip", "wrong content encoding", "the raw page, which is not encoded as it says", script_encoding),
    RAW("/raw/noise", "bytes=", "no HTTP", "bytes that are no answer", script_noise),
    {0},
};
