/* Normalises messages: a scanner with one row a kind of token; the longest match of the first row that
 * matches wins, and what no row matches is copied. */
#include "exec/oracle/normalise.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

enum { NORMALISED_MAX = 200, QUOTED_MAX = 4096 };

static bool is(struct bytes b, size_t at, int (*kind)(int))
{
    return at < b.len && b.data[at] < 0x80 && kind(b.data[at]);
}

static bool letter_before(struct bytes b, size_t at)
{
    return at > 0 && (is(b, at - 1, isalnum) || b.data[at - 1] == '_');
}

static size_t span(struct bytes b, size_t at, int (*kind)(int))
{
    size_t end = at;
    while (is(b, end, kind))
        end++;
    return end - at;
}

/* 8-4-4-4-12 hex digits. */
static size_t match_uuid(struct bytes b, size_t at)
{
    static const size_t groups[] = {8, 4, 4, 4, 12};
    size_t end = at;
    if (letter_before(b, at))
        return 0;
    for (size_t i = 0; i < 5; i++) {
        if (i > 0 && !(end < b.len && b.data[end++] == '-'))
            return 0;
        if (span(b, end, isxdigit) < groups[i])
            return 0;
        end += groups[i];
    }
    return is(b, end, isalnum) ? 0 : end - at;
}

/* 2026-11-29 */
static size_t date_at(struct bytes b, size_t at)
{
    bool date = span(b, at, isdigit) == 4 && at + 10 <= b.len && b.data[at + 4] == '-' &&
                span(b, at + 5, isdigit) == 2 && b.data[at + 7] == '-' && span(b, at + 8, isdigit) == 2;
    return date ? 10 : 0;
}

/* 12:34:56 with a fraction and a zone, where there are any. */
static size_t clock_at(struct bytes b, size_t at)
{
    size_t end = at;
    for (int i = 0; i < 3; i++) {
        size_t digits = span(b, end, isdigit);
        if (digits < 1 || digits > 2)
            return 0;
        end += digits;
        if (i < 2 && !(end < b.len && b.data[end++] == ':'))
            return 0;
    }
    if (end < b.len && (b.data[end] == '.' || b.data[end] == ','))
        end += is(b, end + 1, isdigit) ? 1 + span(b, end + 1, isdigit) : 0;
    return end - at + (end < b.len && b.data[end] == 'Z');
}

/* A date, a time of day, or both with a T or a space between them. */
static size_t match_time(struct bytes b, size_t at)
{
    if (letter_before(b, at))
        return 0;
    size_t date = date_at(b, at), between = at + date;
    if (!date)
        return clock_at(b, at);
    bool joined = between < b.len && (b.data[between] == 'T' || b.data[between] == ' ');
    size_t clock = joined ? clock_at(b, between + 1) : 0;
    return clock ? date + 1 + clock : date;
}

static size_t match_hex(struct bytes b, size_t at)
{
    if (letter_before(b, at))
        return 0;
    if (at + 2 < b.len && b.data[at] == '0' && b.data[at + 1] == 'x' && is(b, at + 2, isxdigit))
        return 2 + span(b, at + 2, isxdigit);
    size_t len = span(b, at, isxdigit);
    bool digit = false, letter = false;
    for (size_t i = at; i < at + len; i++) {
        digit = digit || isdigit(b.data[i]);
        letter = letter || isalpha(b.data[i]);
    }
    return len >= 8 && digit && letter && !is(b, at + len, isalnum) ? len : 0;
}

static int path_byte(int c)
{
    return c > ' ' && c < 0x7F && !strchr("'\"`,;()[]{}<>|", c);
}

static bool rooted(struct bytes path)
{
    static const char *const starts[] = {"/", "~/", "./", "../"};
    for (size_t i = 0; i < sizeof starts / sizeof *starts; i++)
        if (path.len > 1 && bytes_starts(path, bytes_of_string(starts[i])))
            return true;
    return false;
}

/* A path begins with /, ./, ../ or ~/, or is several names with slashes between them. */
static size_t match_path(struct bytes b, size_t at)
{
    if (at > 0 && (is(b, at - 1, isalnum) || b.data[at - 1] == '/' || b.data[at - 1] == '.'))
        return 0;
    size_t len = span(b, at, path_byte), slashes = 0;
    while (len > 0 && strchr(".:!?", b.data[at + len - 1]))
        len--; /* of the sentence */
    for (size_t i = at; i < at + len; i++)
        slashes += b.data[i] == '/';
    return rooted(bytes_slice(b, at, at + len)) || slashes > 1 ? len : 0;
}

static size_t match_quoted(struct bytes b, size_t at)
{
    static const struct {
        const char *open, *close;
    } quotes[] = {{"'", "'"},
                  {"\"", "\""},
                  {"`", "`"},
                  {"\xE2\x80\x98", "\xE2\x80\x99"},
                  {"\xE2\x80\x9C", "\xE2\x80\x9D"}};
    if (letter_before(b, at))
        return 0; /* don't */
    for (size_t i = 0; i < sizeof quotes / sizeof *quotes; i++) {
        struct bytes open = bytes_of_string(quotes[i].open), close = bytes_of_string(quotes[i].close);
        if (!bytes_starts(bytes_slice(b, at, b.len), open))
            continue;
        ptrdiff_t end = bytes_find(b, close, at + open.len);
        return end >= 0 && (size_t)end - at <= QUOTED_MAX ? (size_t)end - at + close.len : 0;
    }
    return 0;
}

/* utf8, sha256, base64: the digits are part of the word. */
static bool names_a_standard(struct bytes b, size_t at)
{
    static const char *const words[] = {"utf", "sha", "base",  "int",   "uint",
                                        "md",  "ipv", "latin", "errno", "http"};
    size_t digits = at;
    while (digits > 0 && is(b, digits - 1, isdigit))
        digits--;
    size_t from = digits;
    while (from > 0 && is(b, from - 1, isalpha))
        from--;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (digits - from == strlen(words[i]) &&
            strncasecmp((const char *)b.data + from, words[i], digits - from) == 0)
            return true;
    return false;
}

static size_t match_number(struct bytes b, size_t at)
{
    size_t len = span(b, at, isdigit);
    if (len == 0 || names_a_standard(b, at))
        return 0;
    while (at + len + 1 < b.len && (b.data[at + len] == '.' || b.data[at + len] == ',') &&
           is(b, at + len + 1, isdigit))
        len += 1 + span(b, at + len + 1, isdigit);
    return len;
}

static size_t match_space(struct bytes b, size_t at)
{
    return span(b, at, isspace);
}

static int other_byte(int c)
{
    return c < ' ' || c == 0x7F;
}

static size_t match_other(struct bytes b, size_t at)
{
    size_t end = at;
    while (end < b.len && (b.data[end] >= 0x80 || other_byte(b.data[end])) && !is(b, end, isspace))
        end++;
    return end - at;
}

static const struct {
    size_t (*match)(struct bytes b, size_t at); /* length of the token at `at`, 0: none */
    const char *replacement;
} rows[] = {
    {match_quoted, "<text>"}, {match_uuid, "<id>"},  {match_time, "<time>"}, {match_path, "<path>"},
    {match_hex, "<hex>"},     {match_number, "<n>"}, {match_space, " "},     {match_other, "?"},
};

void message_normalise(struct bytes message, struct buf *out)
{
    size_t start = out->len, at = span(message, 0, isspace);
    while (at < message.len && out->len - start < NORMALISED_MAX) {
        size_t len = 0;
        for (size_t i = 0; i < sizeof rows / sizeof *rows && !len; i++) {
            len = rows[i].match(message, at);
            if (len)
                buf_add_string(out, rows[i].replacement);
        }
        if (!len) {
            buf_add_byte(out, message.data[at]);
            len = 1;
        }
        at += len;
    }
    while (out->len > start && out->data[out->len - 1] == ' ')
        buf_cut(out, out->len - 1);
    if (out->len - start > NORMALISED_MAX)
        buf_cut(out, start + NORMALISED_MAX);
}
