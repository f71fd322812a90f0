/* Texts in charsets, declared rightly, wrongly, twice or not at all; and bytes that are no text in any. */
#include <string.h>

#include "exec/site/page.h"

/* What header or meta says: the parameter; "-" means that nothing is said. */
static const char *said(const struct web_request *r, const char *name, const char *charset)
{
    const char *given = web_text(r, name, charset);
    return strcmp(given, "-") == 0 ? NULL : given;
}

static void answer_charset(struct web_request *r, struct web_answer *a)
{
    const char *charset = web_text(r, "charset", "utf-8"), *header = said(r, "header", charset), *meta = said(r, "meta", charset);
    if (web_has(r, "mark") || strcmp(charset, "utf-16") == 0) /* without one nobody would know which of the two it is */
        web_add(a, "\xef\xbb\xbf");
    web_head_as(a, web_text(r, "title", "Charset"), meta);
    web_line(a, "text", web_bytes(r, "text", "Grüße, 日本語, привет"));
    if (!web_become(a, charset))
        web_fault(a, 400, "charset: there is none of that name");
    else
        a->type = header ? arena_printf(r->arena, "text/html; charset=%s", header) : "text/html";
}

static const struct {
    const char *kind, *bytes;
    size_t length;
} bad_bytes[] = {
    {"lone", "\x80", 1},
    {"cut", "\xe6\x97", 2},
    {"overlong", "\xc0\xaf", 2},
    {"surrogate", "\xed\xa0\x80", 3},
    {"beyond", "\xf4\x90\x80\x80", 4},
    {"never", "\xfe\xff", 2},
    {"nul", "\0", 1},
    {"controls", "\x01\x08\x0b\x1b[31m\x7f", 9},
    {"latin", "\xe9", 1},
};

/* The bytes stand between two letters, in a text, an attribute and a title. */
static void answer_bytes(struct web_request *r, struct web_answer *a)
{
    const char *kind = web_text(r, "kind", "lone");
    struct bytes bad = bytes_of(bad_bytes[0].bytes, bad_bytes[0].length);
    for (size_t i = 0; i < sizeof bad_bytes / sizeof *bad_bytes; i++)
        if (strcmp(kind, bad_bytes[i].kind) == 0)
            bad = bytes_of(bad_bytes[i].bytes, bad_bytes[i].length);
    if (web_has(r, "bytes"))
        bad = web_bytes(r, "bytes", "");
    web_add(a, "<!doctype html>\n<meta charset=\"utf-8\">\n<title>a");
    buf_add(&a->body, bad);
    web_add(a, "b</title>\n<h1>Bytes</h1>\n<p id=\"text\" title=\"a");
    buf_add(&a->body, bad);
    web_add(a, "b\">a");
    buf_add(&a->body, bad);
    web_add(a, "b</p>\n");
}

/* What only scripts can make: halves of surrogate pairs, where a text is taken from. */
static void answer_surrogates(struct web_request *r, struct web_answer *a)
{
    web_head(a, "Surrogates");
    web_add(a, "<p id=\"text\"></p>\n<input id=\"field\">\n<script>\n"
               "document.getElementById(\"text\").textContent = \"a\\ud800b\\udc00c\";\n"
               "document.getElementById(\"field\").value = \"\\udfff\";\n"
               "document.title = \"\\ud83d\";\n"
               "window.lone = \"\\ud800\";\n</script>\n");
}

static void answer_odd(struct web_request *r, struct web_answer *a)
{
    web_head(a, "Odd texts");
    web_line(a, "bidi", BYTES_LITERAL("abc\u202edef\u202c \u05e9\u05dc\u05d5\u05dd"));
    web_line(a, "zero", BYTES_LITERAL("a\u200bb\u200dc\ufeffd"));
    web_line(a, "combining", BYTES_LITERAL("e\u0301\u0302\u0303\u0304\u0305\u0306\u0307\u0308"));
    web_line(a, "emoji", BYTES_LITERAL("\U0001F468\u200D\U0001F469\u200D\U0001F467 \U0001F1E9\U0001F1EA"));
    web_line(a, "blanks", BYTES_LITERAL("a\u00a0b\u2003c\u3000d"));
    web_line(a, "private", BYTES_LITERAL("\ue000\U000F0000\U0010FFFD"));
}

/* Very long names and values, of that many letters. */
static void answer_long(struct web_request *r, struct web_answer *a)
{
    int64_t kib = web_number(r, "kib", 64, 0, 16384);
    struct buf run;
    buf_init(&run, 32 << 20);
    for (int64_t i = 0; i < kib * 1024; i++)
        buf_add_byte(&run, (uint8_t)('a' + i % 26));
    web_head(a, "Long");
    web_add(a, "<p id=\"text\" data-long=\"");
    buf_add(&a->body, buf_bytes(&run));
    web_add(a, "\">");
    buf_add(&a->body, buf_bytes(&run));
    web_addf(a, "</p>\n<p id=\"length\">%lld</p>\n", (long long)kib * 1024);
    buf_release(&run);
}

/* Markup that is no HTML, which browsers must make something of. */
static void answer_markup(struct web_request *r, struct web_answer *a)
{
    int64_t depth = web_number(r, "depth", 50, 0, 100000);
    web_add(a, "<title>Broken</title><h1>Broken<p id=text>one<p id=text>two<b><i>three</b></i><form><form id=inner><input name=x></form>"
               "<table><p id=moved>moved out</p><tr><td id=cell>cell</table><img src=x onerror=1 onerror=2><!-- <p>--!><div id=\"a\" id='b' class=>");
    for (int64_t i = 0; i < depth; i++)
        web_add(a, "<span>");
    web_add(a, "<em id=deep>deep");
}

const struct web_page web_family_charset[] = {
    WEB_PAGE("/charset", "title=Charset, text=Grüße, 日本語, привет, charset=utf-8, header=, meta=, mark=", "a text in a charset",
             "h1 and #text in that charset; the header and meta name it too, another one, or (\"-\") none; mark: with a byte order mark", answer_charset),
    WEB_PAGE("/bogus/bytes", "kind=lone, bytes=", "bytes that are no text",
             "\"a\", the bytes, \"b\" in #text, its title and the page's, as UTF-8: lone, cut, overlong, surrogate, beyond, never, nul, controls, latin or any", answer_bytes),
    WEB_PAGE("/bogus/surrogates", "", "halves of pairs", "#text is a, U+D800, b, U+DC00, c; #field, the title and window.lone are halves too", answer_surrogates),
    WEB_PAGE("/bogus/odd", "", "odd texts", "#bidi, #zero, #combining, #emoji, #blanks, #private", answer_odd),
    WEB_PAGE("/bogus/long", "kib=64", "long texts", "#text and its data-long of so many KiB; #length", answer_long),
    WEB_PAGE("/bogus/markup", "depth=50", "broken markup", "#text is \"one\"; two of them, forms in forms, #cell, #deep within so many", answer_markup),
    {0},
};
