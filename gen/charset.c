/* Encoders from code points to bytes.
 *
 * Shift-JIS covers ASCII, both kanas, some punctuation and the kanji of the text recipe's words, among them
 * all common ones whose second byte is a backslash: those are the ones that break shells and parsers. */
#include "gen/charset.h"

#include <stdlib.h>

#include "base/utf8.h"

static bool put_utf8(struct buf *out, uint32_t code_point)
{
    uint8_t bytes[4];
    return buf_add(out, bytes_of(bytes, utf8_put(bytes, code_point))) == 0;
}

static void put_unit(struct buf *out, uint32_t unit, bool big)
{
    buf_add_byte(out, (uint8_t)(big ? unit >> 8 : unit));
    buf_add_byte(out, (uint8_t)(big ? unit : unit >> 8));
}

static bool put_utf16(struct buf *out, uint32_t code_point, bool big)
{
    if (code_point < 0x10000) {
        put_unit(out, code_point, big);
        return true;
    }
    put_unit(out, 0xd800 + ((code_point - 0x10000) >> 10), big);
    put_unit(out, 0xdc00 + ((code_point - 0x10000) & 0x3ff), big);
    return true;
}

static bool put_utf16le(struct buf *out, uint32_t code_point)
{
    return put_utf16(out, code_point, false);
}

static bool put_utf16be(struct buf *out, uint32_t code_point)
{
    return put_utf16(out, code_point, true);
}

static bool put_latin1(struct buf *out, uint32_t code_point)
{
    return code_point < 0x100 && buf_add_byte(out, (uint8_t)code_point) == 0;
}

static bool put_windows1251(struct buf *out, uint32_t code_point)
{
    static const uint16_t others[][2] = {{0x0401, 0xa8}, {0x0451, 0xb8}, {0x2116, 0xb9}, {0x00ab, 0xab},
                                         {0x00bb, 0xbb}, {0x2014, 0x97}, {0x2013, 0x96}, {0x00a0, 0xa0}};
    if (code_point < 0x80)
        return buf_add_byte(out, (uint8_t)code_point) == 0;
    if (code_point >= 0x0410 && code_point <= 0x044f)
        return buf_add_byte(out, (uint8_t)(0xc0 + code_point - 0x0410)) == 0;
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (others[i][0] == code_point)
            return buf_add_byte(out, (uint8_t)others[i][1]) == 0;
    return false;
}

struct pair {
    uint16_t code_point, bytes;
};

/* Sorted by code point. */
static const struct pair shift_jis[] = {
    {0x3000, 0x8140}, {0x3001, 0x8141}, {0x3002, 0x8142}, {0x300c, 0x8175}, {0x300d, 0x8176},
    {0x301c, 0x8160}, {0x30fb, 0x8145}, {0x30fc, 0x815b}, {0x4e88, 0x975c}, {0x4eac, 0x8b9e},
    {0x4fa1, 0x89bf}, {0x5024, 0x926c}, {0x5186, 0x897e}, {0x5206, 0x95aa}, {0x5217, 0x97f1},
    {0x524d, 0x914f}, {0x529b, 0x97cd}, {0x5341, 0x8f5c}, {0x540d, 0x96bc}, {0x544a, 0x8d90},
    {0x56f3, 0x907d}, {0x5831, 0x95f1}, {0x5927, 0x91e5}, {0x5b9a, 0x92e8}, {0x5e74, 0x944e},
    {0x6570, 0x9094}, {0x65e5, 0x93fa}, {0x66b4, 0x965c}, {0x66f8, 0x8f91}, {0x6708, 0x8c8e},
    {0x672c, 0x967b}, {0x6771, 0x938c}, {0x683c, 0x8a69}, {0x69cb, 0x8d5c}, {0x7533, 0x905c},
    {0x7b97, 0x8e5a}, {0x80fd, 0x945c}, {0x884c, 0x8d73}, {0x8868, 0x955c}, {0x8a08, 0x8c76},
    {0x8a9e, 0x8cea}, {0x8cbc, 0x935c}, {0x91cf, 0x97ca}, {0x962a, 0x8de3},
};

static int compare_pairs(const void *key, const void *row)
{
    uint32_t code_point = *(const uint32_t *)key;
    const struct pair *pair = row;
    return code_point < pair->code_point ? -1 : code_point > pair->code_point;
}

static bool put_shift_jis(struct buf *out, uint32_t code_point)
{
    uint32_t bytes = 0;
    if (code_point < 0x80)
        return buf_add_byte(out, (uint8_t)code_point) == 0;
    if (code_point >= 0xff61 && code_point <= 0xff9f)
        return buf_add_byte(out, (uint8_t)(0xa1 + code_point - 0xff61)) == 0;
    if (code_point >= 0x3041 && code_point <= 0x3093) {
        bytes = 0x829f + code_point - 0x3041;
    } else if (code_point >= 0x30a1 && code_point <= 0x30f6) {
        bytes = 0x8340 + code_point - 0x30a1;
        bytes += bytes >= 0x837f; /* 0x7f is no second byte */
    } else {
        const struct pair *pair = bsearch(&code_point, shift_jis, sizeof shift_jis / sizeof *shift_jis,
                                          sizeof *shift_jis, compare_pairs);
        if (!pair)
            return false;
        bytes = pair->bytes;
    }
    buf_add_byte(out, (uint8_t)(bytes >> 8));
    return buf_add_byte(out, (uint8_t)bytes) == 0;
}

#define MARK(text)                                                                                           \
    {                                                                                                        \
        (const uint8_t *)(text), sizeof(text) - 1                                                            \
    }

static const struct charset charsets[] = {
    {"utf-8", {NULL, 0}, true, true, put_utf8},
    {"utf-8-bom", MARK("\xef\xbb\xbf"), true, true, put_utf8},
    {"utf-16le", {NULL, 0}, true, false, put_utf16le},
    {"utf-16be", {NULL, 0}, true, false, put_utf16be},
    {"utf-16le-bom", MARK("\xff\xfe"), true, false, put_utf16le},
    {"utf-16be-bom", MARK("\xfe\xff"), true, false, put_utf16be},
    {"latin-1", {NULL, 0}, false, true, put_latin1},
    {"windows-1251", {NULL, 0}, false, true, put_windows1251},
    {"shift-jis", {NULL, 0}, false, true, put_shift_jis},
};

const char *const charset_names[] = {"utf-8",        "utf-8-bom", "utf-16le",     "utf-16be",  "utf-16le-bom",
                                     "utf-16be-bom", "latin-1",   "windows-1251", "shift-jis", NULL};

const struct charset *charset_at(size_t index)
{
    return index < sizeof charsets / sizeof *charsets ? &charsets[index] : NULL;
}

const struct charset *charset_find(struct bytes name)
{
    for (size_t i = 0; charset_at(i); i++)
        if (bytes_equal_string(name, charsets[i].name))
            return &charsets[i];
    return NULL;
}

size_t charset_encode(const struct charset *charset, struct bytes text, struct buf *out)
{
    size_t lost = 0;
    buf_add(out, charset->mark);
    for (size_t at = 0; at < text.len && !out->overflow;) {
        int32_t code_point = utf8_next(text, &at);
        if (code_point < 0 || !charset->put(out, (uint32_t)code_point)) {
            charset->put(out, '?');
            lost++;
        }
    }
    return lost;
}
