/* Base64, hex and varint. Decoders are strict and all-or-nothing: on failure `out` and `*at` are as before,
 * so what a target sent is never half believed. */
#include "base/encode.h"

#include <string.h>

static const char base64_digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
static const char hex_digits[] = "0123456789abcdef";

void base64_encode(struct buf *out, struct bytes b)
{
    for (size_t at = 0; at < b.len; at += 3) {
        size_t have = b.len - at < 3 ? b.len - at : 3;
        uint32_t group = (uint32_t)b.data[at] << 16;
        if (have > 1)
            group |= (uint32_t)b.data[at + 1] << 8;
        if (have > 2)
            group |= b.data[at + 2];
        char text[4] = {base64_digits[group >> 18], base64_digits[group >> 12 & 63],
                        have > 1 ? base64_digits[group >> 6 & 63] : '=',
                        have > 2 ? base64_digits[group & 63] : '='};
        buf_add(out, bytes_of(text, sizeof text));
    }
}

static int base64_value(uint8_t c)
{
    if (c >= 'A' && c <= 'Z')
        return c - 'A';
    if (c >= 'a' && c <= 'z')
        return c - 'a' + 26;
    if (c >= '0' && c <= '9')
        return c - '0' + 52;
    return c == '+' ? 62 : c == '/' ? 63 : -1;
}

/* Decodes four characters; returns how many bytes they hold, or -1. Padding may stand in the last group only,
 * and the bits it leaves over must be 0, so that each byte string has exactly one text. */
static int base64_group(const uint8_t *text, bool last, uint8_t out[3])
{
    int padding = 0;
    if (last && text[3] == '=')
        padding = text[2] == '=' ? 2 : 1;
    uint32_t group = 0;
    for (int k = 0; k < 4 - padding; k++) {
        int value = base64_value(text[k]);
        if (value < 0)
            return -1;
        group = group << 6 | (uint32_t)value;
    }
    group <<= 6 * padding;
    if (padding && group & (padding == 1 ? 0xFFu : 0xFFFFu))
        return -1;
    out[0] = (uint8_t)(group >> 16);
    out[1] = (uint8_t)(group >> 8);
    out[2] = (uint8_t)group;
    return 3 - padding;
}

/* out may be NULL: check only. */
static int base64_scan(struct buf *out, struct bytes text)
{
    if (text.len % 4)
        return -1;
    for (size_t at = 0; at < text.len; at += 4) {
        uint8_t group[3];
        int length = base64_group(text.data + at, at + 4 == text.len, group);
        if (length < 0 || (out && buf_add(out, bytes_of(group, (size_t)length)) < 0))
            return -1;
    }
    return 0;
}

int base64_decode(struct buf *out, struct bytes text)
{
    size_t before = out->len;
    int status = base64_scan(out, text);
    if (status < 0)
        buf_cut(out, before);
    return status;
}

bool base64_looks_like(struct bytes text)
{
    return text.len >= 8 && base64_scan(NULL, text) == 0;
}

void hex_encode(struct buf *out, struct bytes b)
{
    for (size_t i = 0; i < b.len; i++) {
        char pair[2] = {hex_digits[b.data[i] >> 4], hex_digits[b.data[i] & 15]};
        buf_add(out, bytes_of(pair, sizeof pair));
    }
}

static int hex_value(uint8_t c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    uint8_t lower = c | 0x20;
    return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}

int hex_decode(struct buf *out, struct bytes text)
{
    size_t before = out->len;
    bool good = text.len % 2 == 0;
    for (size_t at = 0; good && at < text.len; at += 2) {
        int high = hex_value(text.data[at]), low = hex_value(text.data[at + 1]);
        good = high >= 0 && low >= 0 && buf_add_byte(out, (uint8_t)(high << 4 | low)) == 0;
    }
    if (!good)
        buf_cut(out, before);
    return good ? 0 : -1;
}

void varint_put(struct buf *out, uint64_t value)
{
    uint8_t text[10];
    size_t len = 0;
    do {
        text[len] = (uint8_t)(value & 0x7F);
        value >>= 7;
        if (value)
            text[len] |= 0x80;
        len++;
    } while (value);
    buf_add(out, bytes_of(text, len));
}

int varint_get(struct bytes b, size_t *at, uint64_t *value)
{
    uint64_t result = 0;
    size_t here = *at;
    for (unsigned shift = 0; shift < 64 && here < b.len; shift += 7) {
        uint8_t byte = b.data[here++];
        if ((shift == 63 && byte > 1) || (shift && byte == 0)) /* past 64 bits, or a needless last byte */
            return -1;
        result |= (uint64_t)(byte & 0x7F) << shift;
        if (byte < 0x80) {
            *at = here;
            *value = result;
            return 0;
        }
    }
    return -1;
}

void shell_quote(struct buf *out, struct bytes word)
{
    buf_add_byte(out, '\'');
    for (size_t i = 0; i < word.len; i++) {
        if (word.data[i] == '\'')
            buf_add_string(out, "'\\''");
        else
            buf_add_byte(out, word.data[i]);
    }
    buf_add_byte(out, '\'');
}

void shell_word(struct buf *out, struct bytes word)
{
    /* Braces without a comma are no brace expansion, and placeholders read better without quotes. */
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./:=@%+-{}";
    bool is_plain = word.len > 0;
    for (size_t i = 0; i < word.len && is_plain; i++)
        is_plain = word.data[i] && strchr(plain, word.data[i]);
    if (is_plain)
        buf_add(out, word);
    else
        shell_quote(out, word);
}
