/* png: a valid picture with colours in 8-bit RGB. Its zlib stream holds stored blocks only, so the bytes do
 * not depend on any compressor, and its size follows from width and height. */
#include "base/hash.h"
#include "gen/recipes/octets.h"
#include "gen/recipes/recipes.h"

static void put_chunk(struct buf *out, const char *type, struct bytes data)
{
    octets_u32be(out, (uint32_t)data.len);
    size_t start = out->len;
    buf_add_string(out, type);
    buf_add(out, data);
    if (!out->overflow)
        octets_u32be(out, crc32_of(bytes_slice(buf_bytes(out), start, out->len)));
}

/* A gradient with noise: each row is a filter byte (none) and its pixels. */
static void put_pixels(const struct json *parameters, struct buf *out)
{
    int64_t width = recipe_int(parameters, "width"), height = recipe_int(parameters, "height");
    for (int64_t y = 0; y < height && !out->overflow; y++) {
        struct rng rng;
        recipe_rng(&rng, parameters, STREAM_PNG, (uint64_t)y);
        buf_add_byte(out, 0);
        for (int64_t x = 0; x < width; x++) {
            const uint8_t pixel[] = {(uint8_t)(x * 255 / width), (uint8_t)(y * 255 / height),
                                     (uint8_t)rng_next(&rng)};
            buf_add(out, bytes_of(pixel, 3));
        }
    }
}

static int png_make(const struct json *parameters, struct buf *out, struct error **err)
{
    struct buf header, pixels, packed;
    buf_init(&header, 13);
    buf_init(&pixels, recipe_stage_max(out));
    buf_init(&packed, recipe_stage_max(out));
    octets_u32be(&header, (uint32_t)recipe_int(parameters, "width"));
    octets_u32be(&header, (uint32_t)recipe_int(parameters, "height"));
    buf_add(
        &header,
        BYTES_LITERAL("\x08\x02\x00\x00\x00")); /* 8 bits, RGB, deflate, no filter method, not interlaced */
    put_pixels(parameters, &pixels);
    octets_zlib(&packed, buf_bytes(&pixels));
    buf_add(out, BYTES_LITERAL("\x89PNG\r\n\x1a\n"));
    put_chunk(out, "IHDR", buf_bytes(&header));
    put_chunk(out, "IDAT", buf_bytes(&packed));
    put_chunk(out, "IEND", BYTES_NONE);
    int status = recipe_made(pixels.overflow ? &pixels : packed.overflow ? &packed : out, "png", err);
    buf_release(&packed);
    buf_release(&pixels);
    buf_release(&header);
    return status;
}

static struct json *png_fact(const struct json *parameters, struct bytes name, struct arena *a)
{
    bool known = bytes_equal_string(name, "width") || bytes_equal_string(name, "height");
    return known ? json_integer(a, recipe_int(parameters, arena_string(a, name))) : NULL;
}

/* The first byte of every PNG is none of UTF-8. */
static int png_utf8(const struct json *parameters)
{
    return 0;
}

static const struct recipe_parameter parameters_table[] = {
    {"width", "64", "pixels", RECIPE_INT, 1, 4096, NULL},
    {"height", "64", "pixels", RECIPE_INT, 1, 4096, NULL},
    RECIPE_SEED,
};

static const char *const facts[] = {"width", "height", NULL};

const struct recipe recipe_png = {
    .name = "png",
    .doc = "a picture, stored and not compressed",
    .parameters = parameters_table,
    .parameter_count = sizeof parameters_table / sizeof *parameters_table,
    .facts = facts,
    .make = png_make,
    .fact = png_fact,
    .utf8 = png_utf8,
};
