/* Local header and data of each entry go out at once; the central directory is kept aside until the end. */
#include "gen/recipes/zip_writer.h"

#include "base/hash.h"
#include "gen/recipes/octets.h"

enum {
    VERSION_STORED = 10,
    MADE_BY_UNIX = 3 << 8 | 20,
    FLAG_UTF8 = 1 << 11,
    DATE_1980 = 1 << 5 | 1,
    REGULAR_FILE = 0100000
};

void zip_begin(struct zip_writer *zip, struct buf *out)
{
    *zip = (struct zip_writer){.out = out, .start = out->len};
    buf_init(&zip->directory, out->max);
}

/* What local header and directory entry have alike, from "version needed" to the length of the name. */
static void put_common(struct buf *out, struct bytes name, struct bytes data, uint32_t crc)
{
    bool ascii = true;
    for (size_t i = 0; i < name.len; i++)
        ascii &= name.data[i] < 0x80;
    octets_u16le(out, VERSION_STORED);
    octets_u16le(out, ascii ? 0 : FLAG_UTF8);
    octets_u16le(out, 0); /* stored */
    octets_u16le(out, 0); /* time */
    octets_u16le(out, DATE_1980);
    octets_u32le(out, crc);
    octets_u32le(out, (uint32_t)data.len);
    octets_u32le(out, (uint32_t)data.len);
    octets_u16le(out, (uint16_t)name.len);
    octets_u16le(out, 0); /* no extra field */
}

void zip_add(struct zip_writer *zip, struct bytes name, struct bytes data, unsigned mode)
{
    uint32_t crc = crc32_of(data), at = (uint32_t)(zip->out->len - zip->start);
    buf_add(zip->out, BYTES_LITERAL("PK\3\4"));
    put_common(zip->out, name, data, crc);
    buf_add(zip->out, name);
    buf_add(zip->out, data);
    struct buf *d = &zip->directory;
    buf_add(d, BYTES_LITERAL("PK\1\2"));
    octets_u16le(d, MADE_BY_UNIX);
    put_common(d, name, data, crc);
    octets_u16le(d, 0); /* no comment */
    octets_u16le(d, 0); /* first disk */
    octets_u16le(d, 0); /* no internal attributes */
    octets_u32le(d, (uint32_t)(REGULAR_FILE | mode) << 16);
    octets_u32le(d, at);
    buf_add(d, name);
    zip->count++;
}

void zip_add_text(struct zip_writer *zip, const char *name, struct bytes data)
{
    zip_add(zip, bytes_of_string(name), data, 0644);
}

void zip_end(struct zip_writer *zip)
{
    uint32_t at = (uint32_t)(zip->out->len - zip->start);
    buf_add(zip->out, buf_bytes(&zip->directory));
    buf_add(zip->out, BYTES_LITERAL("PK\5\6\0\0\0\0"));
    octets_u16le(zip->out, (uint16_t)zip->count);
    octets_u16le(zip->out, (uint16_t)zip->count);
    octets_u32le(zip->out, (uint32_t)zip->directory.len);
    octets_u32le(zip->out, at);
    octets_u16le(zip->out, 0); /* no comment */
    if (zip->directory.overflow)
        zip->out->overflow = true;
    buf_release(&zip->directory);
}
