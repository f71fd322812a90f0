/* The table of functions over bytes, and the computed fields. The encoders stand in functions_escape.c. */
#include "grammar/functions.h"

#include "base/encode.h"
#include "base/hash.h"
#include "grammar/functions_internal.h"

enum {
    STORED_MOST = 65535, /* bytes in one stored block of deflate (RFC 1951, 3.2.4) */
    STORED_HEADER = 5,
    GZIP_AROUND = 10 + 8 /* header and trailer (RFC 1952) */
};

static void apply_len(struct bytes input, struct buf *out)
{
    buf_addf(out, "%zu", input.len);
}

static size_t length_of_len(size_t n)
{
    size_t digits = 1;
    for (; n >= 10; n /= 10)
        digits++;
    return digits;
}

static void apply_crc32(struct bytes input, struct buf *out)
{
    buf_addf(out, "%u", (unsigned)crc32_of(input));
}

static size_t length_of_crc32(size_t n)
{
    return 10;
}

static void apply_sha256(struct bytes input, struct buf *out)
{
    char hex[65];
    sha256_hex(input, hex);
    buf_add_string(out, hex);
}

static size_t length_of_sha256(size_t n)
{
    return 64;
}

/* a + b, or SIZE_MAX when that is too much. */
static size_t add(size_t a, size_t b)
{
    return a > SIZE_MAX - b ? SIZE_MAX : a + b;
}

static void apply_b64(struct bytes input, struct buf *out)
{
    base64_encode(out, input);
}

static size_t length_of_b64(size_t n)
{
    size_t groups = n / 3 + (n % 3 != 0);
    return groups > SIZE_MAX / 4 ? SIZE_MAX : 4 * groups;
}

static void apply_hex(struct bytes input, struct buf *out)
{
    hex_encode(out, input);
}

static size_t length_of_hex(size_t n)
{
    return add(n, n);
}

static size_t stored_blocks(size_t n)
{
    return n ? (n - 1) / STORED_MOST + 1 : 1;
}

static void add_little_endian(struct buf *out, uint32_t value, size_t width)
{
    for (size_t i = 0; i < width; i++)
        buf_add_byte(out, (uint8_t)(value >> 8 * i));
}

static void apply_gzip(struct bytes input, struct buf *out)
{
    /* Magic, deflate, no flags, no time, no extra flags, unknown system. */
    static const uint8_t header[10] = {0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 255};
    buf_add(out, bytes_of(header, sizeof header));
    size_t blocks = stored_blocks(input.len);
    for (size_t i = 0; i < blocks; i++) {
        struct bytes part = bytes_slice(input, i * STORED_MOST, (i + 1) * STORED_MOST);
        buf_add_byte(out, i + 1 == blocks); /* the last one says so; type 00, stored */
        add_little_endian(out, (uint32_t)part.len, 2);
        add_little_endian(out, ~(uint32_t)part.len, 2);
        buf_add(out, part);
    }
    add_little_endian(out, crc32_of(input), 4);
    add_little_endian(out, (uint32_t)input.len, 4);
}

static size_t length_of_gzip(size_t n)
{
    return add(n, STORED_HEADER * stored_blocks(n) + GZIP_AROUND);
}

static void apply_upper(struct bytes input, struct buf *out)
{
    for (size_t i = 0; i < input.len; i++) {
        uint8_t c = input.data[i];
        buf_add_byte(out, c >= 'a' && c <= 'z' ? c - 'a' + 'A' : c);
    }
}

static void apply_lower(struct bytes input, struct buf *out)
{
    for (size_t i = 0; i < input.len; i++) {
        uint8_t c = input.data[i];
        buf_add_byte(out, c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
    }
}

static const char decimal[] = "0123456789";
static const char hexadecimal[] = "0123456789abcdef";
static const char base64[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/=";

static const struct function_row table[] = {
    {"len", apply_len, "number of bytes, decimal", length_of_len, decimal},
    {"crc32", apply_crc32, "CRC-32 as of zip and PNG, decimal", length_of_crc32, decimal},
    {"sha256", apply_sha256, "SHA-256, 64 lower-case hex digits", length_of_sha256, hexadecimal},
    {"b64", apply_b64, "base64 with padding", length_of_b64, base64},
    {"hex", apply_hex, "lower-case hex digits", length_of_hex, hexadecimal},
    {"gzip", apply_gzip, "a gzip file of stored blocks", length_of_gzip, NULL},
    {"upper", apply_upper, "ASCII letters in upper case", NULL, NULL},
    {"lower", apply_lower, "ASCII letters in lower case", NULL, NULL},
    {"esc.json", escape_json, "escaped for the inside of a JSON string", NULL, NULL},
    {"esc.sh", escape_sh, "one quoted word of a POSIX shell", NULL, NULL},
    {"esc.py", escape_py, "one Python literal: str when UTF-8, else bytes", NULL, NULL},
    {"esc.url", escape_url, "percent-encoded", NULL, NULL},
    {"esc.xml", escape_xml, "escaped for XML text and attributes", NULL, NULL},
};

const struct function_row *function_table(size_t *count)
{
    *count = sizeof table / sizeof *table;
    return table;
}

const struct function_row *function_find(struct bytes name)
{
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        if (bytes_equal_string(name, table[i].name))
            return &table[i];
    return NULL;
}
