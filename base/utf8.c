/* UTF-8, strict when reading, generalised when writing.
 *
 * The first byte gives the length and, in one table, the range that the second byte must lie in; this
 * excludes overlong forms, surrogates and values above U+10FFFF without decoding (Unicode, table 3-7). */
#include "base/utf8.h"

#include <string.h>

struct lead {
    uint8_t first, last;   /* lead bytes of this row */
    uint8_t length;
    uint8_t low, high;     /* second byte; any further one is 80..BF */
};

static const struct lead leads[] = {
    {0xC2, 0xDF, 2, 0x80, 0xBF},
    {0xE0, 0xE0, 3, 0xA0, 0xBF}, /* no overlong forms */
    {0xE1, 0xEC, 3, 0x80, 0xBF},
    {0xED, 0xED, 3, 0x80, 0x9F}, /* no surrogates */
    {0xEE, 0xEF, 3, 0x80, 0xBF},
    {0xF0, 0xF0, 4, 0x90, 0xBF}, /* no overlong forms */
    {0xF1, 0xF3, 4, 0x80, 0xBF},
    {0xF4, 0xF4, 4, 0x80, 0x8F}, /* nothing above U+10FFFF */
};

/* Length of the sequence at p, or 0 when it is cut or invalid. */
static size_t sequence_length(const uint8_t *p, size_t left)
{
    if (p[0] < 0x80)
        return 1;
    for (size_t i = 0; i < sizeof leads / sizeof *leads; i++) {
        const struct lead *lead = &leads[i];
        if (p[0] < lead->first || p[0] > lead->last)
            continue;
        if (left < lead->length || p[1] < lead->low || p[1] > lead->high)
            return 0;
        for (size_t k = 2; k < lead->length; k++)
            if ((p[k] & 0xC0) != 0x80)
                return 0;
        return lead->length;
    }
    return 0;
}

/* How many of the bytes from `at` on are ASCII, eight at a time: most texts are nothing else. */
static size_t ascii_run(struct bytes b, size_t at)
{
    size_t from = at;
    for (uint64_t word; b.len - at >= sizeof word; at += sizeof word) {
        memcpy(&word, b.data + at, sizeof word);
        if (word & UINT64_C(0x8080808080808080))
            break;
    }
    while (at < b.len && b.data[at] < 0x80)
        at++;
    return at - from;
}

size_t utf8_valid_prefix(struct bytes b)
{
    size_t at = 0;
    while (at < b.len) {
        at += ascii_run(b, at);
        if (at == b.len)
            break;
        size_t length = sequence_length(b.data + at, b.len - at);
        if (length == 0)
            break;
        at += length;
    }
    return at;
}

bool utf8_valid(struct bytes b)
{
    return utf8_valid_prefix(b) == b.len;
}

int32_t utf8_next(struct bytes b, size_t *at)
{
    if (*at >= b.len)
        return -1;
    const uint8_t *p = b.data + *at;
    size_t length = sequence_length(p, b.len - *at);
    if (length == 0) {
        *at += 1;
        return -1;
    }
    *at += length;
    if (length == 1)
        return p[0];
    int32_t value = p[0] & (0x7F >> length);
    for (size_t k = 1; k < length; k++)
        value = value << 6 | (p[k] & 0x3F);
    return value;
}

size_t utf8_put(uint8_t out[4], uint32_t code_point)
{
    static const uint32_t limit[] = {0x80, 0x800, 0x10000};
    static const uint8_t mark[] = {0x00, 0xC0, 0xE0, 0xF0};
    size_t length = 1;
    while (length < 4 && code_point >= limit[length - 1])
        length++;
    for (size_t k = length - 1; k > 0; k--) {
        out[k] = (uint8_t)(0x80 | (code_point & 0x3F));
        code_point >>= 6;
    }
    out[0] = (uint8_t)(mark[length - 1] | code_point);
    return length;
}

size_t utf8_count(struct bytes b)
{
    size_t count = 0;
    for (size_t at = 0; at < b.len; count++)
        utf8_next(b, &at);
    return count;
}
