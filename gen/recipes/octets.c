/* Numbers byte by byte, so that the machine's own order never shows, and deflate streams that compress
 * nothing. */
#include "gen/recipes/octets.h"

#include <string.h>

#include "base/hash.h"

enum { STORED_MAX = 65535 };

static void put_little(struct buf *out, uint64_t value, unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        buf_add_byte(out, (uint8_t)(value >> (8 * i)));
}

static void put_big(struct buf *out, uint64_t value, unsigned count)
{
    for (unsigned i = count; i > 0; i--)
        buf_add_byte(out, (uint8_t)(value >> (8 * (i - 1))));
}

void octets_u16le(struct buf *out, uint16_t value)
{
    put_little(out, value, 2);
}

void octets_u32le(struct buf *out, uint32_t value)
{
    put_little(out, value, 4);
}

void octets_u64le(struct buf *out, uint64_t value)
{
    put_little(out, value, 8);
}

void octets_u16be(struct buf *out, uint16_t value)
{
    put_big(out, value, 2);
}

void octets_u32be(struct buf *out, uint32_t value)
{
    put_big(out, value, 4);
}

void octets_u64be(struct buf *out, uint64_t value)
{
    put_big(out, value, 8);
}

void octets_fill(struct buf *out, uint8_t byte, size_t count)
{
    uint8_t block[256];
    memset(block, byte, sizeof block);
    while (count && !out->overflow) {
        size_t part = count < sizeof block ? count : sizeof block;
        buf_add(out, bytes_of(block, part));
        count -= part;
    }
}

void octets_deflate(struct buf *out, struct bytes data)
{
    size_t at = 0;
    do {
        size_t len = data.len - at < STORED_MAX ? data.len - at : STORED_MAX;
        buf_add_byte(out, at + len == data.len); /* the last block */
        octets_u16le(out, (uint16_t)len);
        octets_u16le(out, (uint16_t)~len);
        buf_add(out, bytes_slice(data, at, at + len));
        at += len;
    } while (at < data.len);
}

void octets_zlib(struct buf *out, struct bytes data)
{
    buf_add(out, BYTES_LITERAL("\x78\x01"));
    octets_deflate(out, data);
    octets_u32be(out, adler32_of(data));
}

void octets_gzip(struct buf *out, struct bytes name, struct bytes data)
{
    buf_add(out, BYTES_LITERAL("\x1f\x8b\x08"));
    buf_add_byte(out, name.len ? 8 : 0);
    buf_add(out, BYTES_LITERAL("\0\0\0\0\0\xff")); /* no time, no extra flags, unknown system */
    if (name.len) {
        buf_add(out, name);
        buf_add_byte(out, 0);
    }
    octets_deflate(out, data);
    octets_u32le(out, crc32_of(data));
    octets_u32le(out, (uint32_t)data.len);
}
