/* Other charsets than UTF-8, by the C library's iconv: pages are made while somebody asks for them, so no task depends on its tables. */
#include <errno.h>
#include <iconv.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/utf8.h"
#include "exec/site/site_internal.h"

enum { PIECE = 4096, NAME_MAX_LENGTH = 32 };

/* What the web calls so; windows-1252 is what browsers take for ISO-8859-1. A byte order mark is written where browsers need one. */
static const struct {
    const char *name, *known;
} names[] = {{"utf-16", "UTF-16LE"}, {"utf-16le", "UTF-16LE"}, {"shift_jis", "CP932"}, {"iso-8859-1", "ISO-8859-1"}, {"gb2312", "GBK"}};

static iconv_t open_converter(const char *charset, bool from)
{
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcasecmp(charset, names[i].name) == 0)
            charset = names[i].known;
    /* iconv takes what follows a slash for orders */
    if (!*charset || strlen(charset) > NAME_MAX_LENGTH || strpbrk(charset, "/,"))
        return (iconv_t)-1;
    return from ? iconv_open("UTF-8", charset) : iconv_open(charset, "UTF-8");
}

/* Converts up to the first thing that cannot be; *at is how far it came. */
static void convert(iconv_t how, struct bytes text, size_t *at, struct buf *out)
{
    char piece[PIECE];
    char *in = (char *)(uintptr_t)text.data + *at;
    size_t left = text.len - *at, status = 0;
    while (left && !out->overflow && (status != (size_t)-1 || errno == E2BIG)) {
        char *to = piece;
        size_t room = sizeof piece;
        status = iconv(how, &in, &left, &to, &room);
        buf_add(out, bytes_of(piece, sizeof piece - room));
    }
    *at = text.len - left;
}

bool web_to_utf8(const char *charset, struct bytes text, struct buf *out)
{
    iconv_t how = open_converter(charset, true);
    size_t at = 0;
    if (how == (iconv_t)-1)
        return false;
    convert(how, text, &at, out);
    iconv_close(how);
    return at == text.len && !out->overflow;
}

bool web_from_utf8(const char *charset, struct bytes text, struct buf *out)
{
    iconv_t how = open_converter(charset, false);
    if (how == (iconv_t)-1)
        return false;
    for (size_t at = 0; at < text.len && !out->overflow;) {
        char reference[16];
        convert(how, text, &at, out);
        if (at == text.len)
            break;
        int32_t point = utf8_next(text, &at);
        int length = snprintf(reference, sizeof reference, "&#%d;", point < 0 ? 0xfffd : (int)point);
        size_t from = 0;
        convert(how, bytes_of(reference, (size_t)length), &from, out);
    }
    iconv_close(how);
    return !out->overflow;
}

bool web_become(struct web_answer *a, const char *charset)
{
    struct buf other;
    buf_init(&other, a->body.max);
    bool known = web_from_utf8(charset, buf_bytes(&a->body), &other);
    if (known) {
        buf_release(&a->body);
        a->body = other;
    } else {
        buf_release(&other);
    }
    return known;
}
