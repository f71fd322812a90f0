/* How bytes that came back differ from those that were sent: one of the round-trip classes.
 *
 * Each class is a predicate of (sent, got) and a row of a table; the first that holds wins, so the rows stand
 * from the most telling to the least. What a re-encoding layer does is followed character by character, so
 * that "cut at the first NUL" is recognised behind it too. All predicates are linear in the lengths. */
#include "exec/oracle/check.h"

#include <string.h>

#include "base/encode.h"
#include "base/utf8.h"

#define REPLACEMENT     BYTES_LITERAL("\xEF\xBF\xBD")
#define BYTE_ORDER_MARK BYTES_LITERAL("\xEF\xBB\xBF")

/* What Windows-1252 has at 0x80 to 0x9F; 0 where it has nothing, which decoders read as Latin-1. */
static const uint16_t windows_1252[32] = {
    0x20AC, 0,      0x201A, 0x0192, 0x201E, 0x2026, 0x2020, 0x2021, 0x02C6, 0x2030, 0x0160,
    0x2039, 0x0152, 0,      0x017D, 0,      0,      0x2018, 0x2019, 0x201C, 0x201D, 0x2022,
    0x2013, 0x2014, 0x02DC, 0x2122, 0x0161, 0x203A, 0x0153, 0,      0x017E, 0x0178,
};

static bool at(struct bytes b, size_t offset, struct bytes what)
{
    return offset <= b.len && bytes_starts(bytes_slice(b, offset, b.len), what);
}

/* How often `what` stands one behind the other at offset. */
static size_t run_of(struct bytes b, size_t offset, struct bytes what)
{
    size_t count = 0;
    while (at(b, offset + count * what.len, what))
        count++;
    return count;
}

static size_t count_of(struct bytes b, struct bytes what)
{
    size_t count = 0;
    for (ptrdiff_t p = 0; (p = bytes_find(b, what, (size_t)p)) >= 0; p += (ptrdiff_t)what.len)
        count++;
    return count;
}

/* got is sent, decoded as UTF-8 with each stretch of invalid bytes replaced by U+FFFD or "?", or dropped. */
static bool decoded_lossy(struct bytes sent, struct bytes got)
{
    size_t i = 0, j = 0, lost = 0;
    while (i < sent.len) {
        size_t from = i;
        if (utf8_next(sent, &i) >= 0) {
            if (!at(got, j, bytes_slice(sent, from, i)))
                return false;
            j += i - from;
            continue;
        }
        size_t next = i;
        while (next < sent.len && utf8_next(sent, &next) < 0)
            i = next;
        size_t marks = run_of(got, j, REPLACEMENT);
        j += marks * 3;
        if (!marks)
            j += run_of(got, j, BYTES_LITERAL("?"));
        lost++;
    }
    return lost > 0 && j == got.len;
}

/* got is sent with each byte taken for a character of Latin-1 or Windows-1252 and written as UTF-8. */
static bool encoded_twice(struct bytes sent, struct bytes got)
{
    size_t j = 0, wide = 0;
    for (size_t i = 0; i < sent.len; i++) {
        uint8_t c = sent.data[i], latin[4], windows[4];
        size_t latin_len = utf8_put(latin, c), windows_len = 0;
        if (c >= 0x80 && c < 0xA0 && windows_1252[c - 0x80])
            windows_len = utf8_put(windows, windows_1252[c - 0x80]);
        wide += c >= 0x80;
        if (at(got, j, bytes_of(latin, latin_len)))
            j += latin_len;
        else if (windows_len && at(got, j, bytes_of(windows, windows_len)))
            j += windows_len;
        else
            return false;
    }
    return wide > 0 && j == got.len;
}

static bool survives_as(struct bytes sent, struct bytes got)
{
    return bytes_equal(sent, got) || decoded_lossy(sent, got) || encoded_twice(sent, got);
}

static bool is_cut_at_nul(struct bytes sent, struct bytes got)
{
    ptrdiff_t nul = bytes_find(sent, bytes_of("", 1), 0);
    return nul >= 0 && survives_as(bytes_slice(sent, 0, (size_t)nul), got);
}

/* got is sent with each NUL left out, or written as something else. */
static bool nul_became(struct bytes sent, struct bytes got, struct bytes other)
{
    size_t j = 0, nuls = 0;
    for (size_t i = 0; i < sent.len; i++) {
        struct bytes want = sent.data[i] ? bytes_slice(sent, i, i + 1) : other;
        nuls += !sent.data[i];
        if (!at(got, j, want))
            return false;
        j += want.len;
    }
    return nuls > 0 && j == got.len;
}

static bool is_nul_lost(struct bytes sent, struct bytes got)
{
    static const char *const others[] = {
        "", " ", "?", "\xEF\xBF\xBD", "\\0", "\\u0000", "\\x00", "\xE2\x90\x80", "\xC0\x80"};
    bool any = sent.len > 0 && memchr(sent.data, 0, sent.len);
    for (size_t i = 0; any && i < sizeof others / sizeof *others; i++)
        if (nul_became(sent, got, bytes_of_string(others[i])))
            return true;
    return false;
}

static bool is_empty(struct bytes sent, struct bytes got)
{
    return sent.len > 0 && got.len == 0;
}

/* Is `text` the base64 of `plain`, broken into lines or not? */
static bool base64_of(struct bytes plain, struct bytes text)
{
    size_t expected = (plain.len + 2) / 3 * 4;
    if (plain.len == 0 || text.len < expected || text.len > expected + expected / 16 + 8)
        return false;
    struct buf packed, decoded;
    buf_init(&packed, text.len);
    buf_init(&decoded, plain.len);
    for (size_t i = 0; i < text.len; i++)
        if (text.data[i] != '\n' && text.data[i] != '\r')
            buf_add_byte(&packed, text.data[i]);
    bool same = base64_decode(&decoded, buf_bytes(&packed)) == 0 && bytes_equal(buf_bytes(&decoded), plain);
    buf_release(&packed);
    buf_release(&decoded);
    return same;
}

static bool is_base64_of(struct bytes sent, struct bytes got)
{
    return base64_of(sent, got);
}

static bool is_base64_decoded(struct bytes sent, struct bytes got)
{
    return base64_of(got, sent);
}

static bool is_bom(struct bytes sent, struct bytes got)
{
    struct bytes mark = BYTE_ORDER_MARK;
    return (bytes_starts(got, mark) && bytes_equal(bytes_slice(got, mark.len, got.len), sent)) ||
           (bytes_starts(sent, mark) && bytes_equal(bytes_slice(sent, mark.len, sent.len), got));
}

/* longer is shorter and one line end. */
static bool line_end_more(struct bytes longer, struct bytes shorter)
{
    if (!bytes_starts(longer, shorter))
        return false;
    struct bytes rest = bytes_slice(longer, shorter.len, longer.len);
    return bytes_equal_string(rest, "\n") || bytes_equal_string(rest, "\r\n") ||
           bytes_equal_string(rest, "\r");
}

static bool is_final_newline(struct bytes sent, struct bytes got)
{
    return line_end_more(sent, got) || line_end_more(got, sent);
}

/* The next byte with every kind of line end as \n (also CR CR LF, what a second translation leaves); -1 at
 * the end. */
static int next_plain(struct bytes b, size_t *offset)
{
    if (*offset >= b.len)
        return -1;
    uint8_t c = b.data[(*offset)++];
    if (c != '\r')
        return c;
    size_t end = *offset;
    while (end < b.len && b.data[end] == '\r')
        end++;
    if (end < b.len && b.data[end] == '\n')
        *offset = end + 1;
    return '\n';
}

static bool is_newlines(struct bytes sent, struct bytes got)
{
    size_t i = 0, j = 0;
    for (;;) {
        int a = next_plain(sent, &i), b = next_plain(got, &j);
        if (a == b && a < 0)
            return true;
        if (a == b)
            continue;
        /* A last line end may be missing as well. */
        return (a == '\n' && b < 0 && i >= sent.len) || (b == '\n' && a < 0 && j >= got.len);
    }
}

static bool is_double_utf8(struct bytes sent, struct bytes got)
{
    return encoded_twice(sent, got);
}

static bool is_replacement(struct bytes sent, struct bytes got)
{
    return decoded_lossy(sent, got) || count_of(got, REPLACEMENT) > count_of(sent, REPLACEMENT);
}

static bool is_cut(struct bytes sent, struct bytes got)
{
    return got.len > 0 && got.len < sent.len && bytes_starts(sent, got);
}

static bool is_grown(struct bytes sent, struct bytes got)
{
    return got.len > sent.len && bytes_find(got, sent, 0) >= 0;
}

static const struct row {
    const char *name;
    const char *words;
    bool (*is)(struct bytes sent, struct bytes got); /* NULL: by default */
} rows[] = {
    [DIFFERENCE_NONE] = {"none", "equal", bytes_equal},
    [DIFFERENCE_CUT_AT_NUL] = {"cut-at-nul", "cut at the first NUL", is_cut_at_nul},
    [DIFFERENCE_NUL_LOST] = {"nul-lost", "without its NUL bytes", is_nul_lost},
    [DIFFERENCE_EMPTY] = {"empty", "empty", is_empty},
    [DIFFERENCE_BASE64_OF] = {"base64-of", "still packed in base64", is_base64_of},
    [DIFFERENCE_BASE64_DECODED] = {"base64-decoded", "decoded from base64 though it was not packed",
                                   is_base64_decoded},
    [DIFFERENCE_BOM] = {"byte-order-mark", "different by a byte order mark", is_bom},
    [DIFFERENCE_FINAL_NEWLINE] = {"final-newline", "different by a final newline", is_final_newline},
    [DIFFERENCE_NEWLINES] = {"newlines", "different in its line ends", is_newlines},
    [DIFFERENCE_DOUBLE_UTF8] = {"double-utf8", "encoded as UTF-8 once too often", is_double_utf8},
    [DIFFERENCE_REPLACEMENT] = {"replacement-character", "different where bytes were decoded as text",
                                is_replacement},
    [DIFFERENCE_CUT] = {"cut", "cut short", is_cut},
    [DIFFERENCE_GROWN] = {"grown", "longer by foreign bytes", is_grown},
    [DIFFERENCE_OTHER] = {"other", "different", NULL},
};

enum difference difference_of(struct bytes sent, struct bytes got)
{
    static const enum difference order[] = {
        DIFFERENCE_NONE,      DIFFERENCE_CUT_AT_NUL,     DIFFERENCE_NUL_LOST,    DIFFERENCE_EMPTY,
        DIFFERENCE_BASE64_OF, DIFFERENCE_BASE64_DECODED, DIFFERENCE_BOM,         DIFFERENCE_FINAL_NEWLINE,
        DIFFERENCE_NEWLINES,  DIFFERENCE_DOUBLE_UTF8,    DIFFERENCE_REPLACEMENT, DIFFERENCE_CUT,
        DIFFERENCE_GROWN,
    };
    for (size_t i = 0; i < sizeof order / sizeof *order; i++)
        if (rows[order[i]].is(sent, got))
            return order[i];
    return DIFFERENCE_OTHER;
}

const char *difference_name(enum difference d)
{
    return rows[d].name;
}

const char *difference_words(enum difference d)
{
    return rows[d].words;
}
