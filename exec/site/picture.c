/* JPEG and GIF in their simplest forms: nothing is compressed but by what the formats cannot do without. */
#include "exec/site/picture.h"

static void be16(struct buf *out, unsigned value)
{
    buf_add_byte(out, (uint8_t)(value >> 8));
    buf_add_byte(out, (uint8_t)value);
}

static void le16(struct buf *out, unsigned value)
{
    buf_add_byte(out, (uint8_t)value);
    buf_add_byte(out, (uint8_t)(value >> 8));
}

/* --- JPEG: baseline, one component. All blocks but the first are as the one before: two bits each. --- */

/* A table of Huffman codes: how many there are of each length, then what they stand for. */
static void huffman(struct buf *out, unsigned which, unsigned of_one, unsigned of_two, struct bytes symbols)
{
    buf_add(out, BYTES_LITERAL("\xff\xc4"));
    be16(out, (unsigned)(2 + 1 + 16 + symbols.len));
    buf_add_byte(out, (uint8_t)which);
    for (unsigned length = 1; length <= 16; length++)
        buf_add_byte(out, (uint8_t)(length == 1 ? of_one : length == 2 ? of_two : 0));
    buf_add(out, symbols);
}

static void blocks(struct buf *out, size_t count, bool light)
{
    /* the first: "10", seven more bits for the difference of 72 or -72 from the middle, then "0" for the rest of it */
    uint32_t held = light ? 0x290 : 0x26e; /* 10 1001000 0; -72 is written as 0110111 */
    unsigned bits = 10;
    for (size_t i = 1; i <= count; i++) {
        while (bits >= 8) {
            uint8_t byte = (uint8_t)(held >> (bits - 8));
            buf_add_byte(out, byte);
            if (byte == 0xff)
                buf_add_byte(out, 0);
            bits -= 8;
            held &= (1u << bits) - 1;
        }
        if (i < count) {
            held <<= 2;
            bits += 2;
        }
    }
    if (bits) /* the last byte is filled with ones */
        buf_add_byte(out, (uint8_t)(held << (8 - bits) | ((1u << (8 - bits)) - 1)));
}

void picture_jpeg(struct buf *out, unsigned width, unsigned height, bool light)
{
    buf_add(out, BYTES_LITERAL("\xff\xd8\xff\xe0\0\x10JFIF\0\1\1\0\0\1\0\1\0\0"));
    buf_add(out, BYTES_LITERAL("\xff\xdb\0\x43\0"));
    for (int i = 0; i < 64; i++)
        buf_add_byte(out, 8); /* so that a difference of one is a shade of one */
    buf_add(out, BYTES_LITERAL("\xff\xc0\0\x0b\x08"));
    be16(out, height);
    be16(out, width);
    buf_add(out, BYTES_LITERAL("\1\1\x11\0"));
    huffman(out, 0x00, 1, 1, BYTES_LITERAL("\0\7"));
    huffman(out, 0x10, 1, 0, BYTES_LITERAL("\0"));
    buf_add(out, BYTES_LITERAL("\xff\xda\0\x08\1\1\0\0\x3f\0"));
    blocks(out, (size_t)((width + 7) / 8) * ((height + 7) / 8), light);
    buf_add(out, BYTES_LITERAL("\xff\xd9"));
}

/* --- GIF: codes of eight bits, and the table cleared before they would need nine --- */

enum { COLOURS = 128, CLEAR = 128, END = 129, BETWEEN_CLEARS = 120, PIECE = 255 };

static void put_piece(struct buf *out, struct buf *piece)
{
    if (!piece->len)
        return;
    buf_add_byte(out, (uint8_t)piece->len);
    buf_add(out, buf_bytes(piece));
    buf_clear(piece);
}

static void put_code(struct buf *out, struct buf *piece, unsigned code)
{
    buf_add_byte(piece, (uint8_t)code);
    if (piece->len == PIECE)
        put_piece(out, piece);
}

static void frame(struct buf *out, unsigned width, unsigned height, unsigned number)
{
    struct buf piece;
    buf_init(&piece, PIECE);
    buf_add(out, BYTES_LITERAL("\x21\xf9\4\4\x0a\0\0\0"));
    buf_add(out, BYTES_LITERAL("\x2c\0\0\0\0"));
    le16(out, width);
    le16(out, height);
    buf_add(out, BYTES_LITERAL("\0\7"));
    for (unsigned y = 0, n = 0; y < height; y++) {
        for (unsigned x = 0; x < width; x++, n++) {
            if (n % BETWEEN_CLEARS == 0)
                put_code(out, &piece, CLEAR);
            put_code(out, &piece, ((x + y) / 4 + 16 * number) % COLOURS);
        }
    }
    put_code(out, &piece, END);
    put_piece(out, &piece);
    buf_add_byte(out, 0);
    buf_release(&piece);
}

void picture_gif(struct buf *out, unsigned width, unsigned height, unsigned frames)
{
    buf_add(out, BYTES_LITERAL("GIF89a"));
    le16(out, width);
    le16(out, height);
    buf_add(out, BYTES_LITERAL("\xe6\0\0"));
    for (unsigned i = 0; i < COLOURS; i++) {
        buf_add_byte(out, (uint8_t)(2 * i));
        buf_add_byte(out, (uint8_t)(255 - 2 * i));
        buf_add_byte(out, 128);
    }
    if (frames > 1)
        buf_add(out, BYTES_LITERAL("\x21\xff\x0bNETSCAPE2.0\3\1\0\0\0"));
    for (unsigned i = 0; i < frames; i++)
        frame(out, width, height, i);
    buf_add_byte(out, 0x3b);
}
