/* Looking at pictures, with libpng; see picture.h. */
#include "exec/oracle/picture.h"

#include <png.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"

enum { HEADER = 24, DOT = 3 };

static uint32_t big_endian(const uint8_t *p)
{
    return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
}

static bool same_everywhere(const uint8_t *dots, size_t count)
{
    for (size_t i = 1; i < count; i++)
        if (memcmp(dots, dots + i * DOT, DOT) != 0)
            return false;
    return true;
}

static void decode(struct bytes data, struct picture *p)
{
    png_image image = {.version = PNG_IMAGE_VERSION};
    size_t count = (size_t)p->width * p->height;
    uint8_t *dots = xmalloc(count * DOT + 1);
    png_color ground = {255, 255, 255}; /* what shines through is white */
    if (png_image_begin_read_from_memory(&image, data.data, data.len)) {
        image.format = PNG_FORMAT_RGB;
        p->decoded = image.width == p->width && image.height == p->height && png_image_finish_read(&image, &ground, dots, 0, NULL);
    }
    snprintf(p->why, sizeof p->why, "%s", p->decoded ? "" : *image.message ? image.message : "it is not whole");
    png_image_free(&image);
    p->blank = p->decoded && count > 1 && same_everywhere(dots, count);
    free(dots);
}

void picture_look(struct bytes data, struct picture *p)
{
    *p = (struct picture){0};
    if (data.len < HEADER || !bytes_starts(data, BYTES_LITERAL("\x89PNG\r\n\x1a\n"))) {
        snprintf(p->why, sizeof p->why, "it does not begin as a PNG does");
        return;
    }
    p->png = true;
    p->width = big_endian(data.data + 16);
    p->height = big_endian(data.data + 20);
    p->too_big = (uint64_t)p->width * p->height > PICTURE_DOTS_MAX;
    if (!p->too_big)
        decode(data, p);
}
