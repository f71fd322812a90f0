/* pattern: a repeated unit, so that a cut, a hole or a shift shows where it happened. Without a unit each 16
 * bytes are their own offset, 15 hex digits and a line feed. */
#include <string.h>

#include "gen/recipes/recipes.h"

enum { RECORD = 16 };

/* By hand: a gigabyte has 67 million of them. */
static void make_record(uint64_t start, uint8_t record[RECORD])
{
    for (size_t i = RECORD - 1; i--; start >>= 4)
        record[i] = (uint8_t) "0123456789abcdef"[start & 15];
    record[RECORD - 1] = '\n';
}

static void fill_numbered(uint64_t offset, uint8_t *out, size_t len)
{
    while (len) {
        uint8_t record[RECORD];
        uint64_t start = offset / RECORD * RECORD;
        make_record(start, record);
        size_t skip = (size_t)(offset - start), part = RECORD - skip < len ? RECORD - skip : len;
        memcpy(out, record + skip, part);
        out += part;
        offset += part;
        len -= part;
    }
}

static void pattern_fill(const struct json *parameters, uint64_t offset, void *data, size_t len)
{
    struct bytes unit = recipe_bytes(parameters, "unit");
    uint8_t *out = data;
    if (!unit.len) {
        fill_numbered(offset, out, len);
        return;
    }
    while (len) {
        size_t skip = (size_t)(offset % unit.len), part = unit.len - skip < len ? unit.len - skip : len;
        memcpy(out, unit.data + skip, part);
        out += part;
        offset += part;
        len -= part;
    }
}

static int64_t pattern_size(const struct json *parameters)
{
    return recipe_int(parameters, "size");
}

static int pattern_utf8(const struct json *parameters)
{
    struct bytes unit = recipe_bytes(parameters, "unit");
    for (size_t i = 0; i < unit.len; i++)
        if (unit.data[i] >= 0x80)
            return -1; /* the end may cut a character */
    return 1;
}

static const struct recipe_parameter parameters_table[] = {
    {"size", "1024", "number of bytes", RECIPE_INT, 0, RECIPE_SIZE_MAX, NULL},
    {"unit", "\"\"", "what is repeated; empty: each 16 bytes are their own offset in hex", RECIPE_BYTES, 0,
     4096, NULL},
};

const struct recipe recipe_pattern = {
    .name = "pattern",
    .doc = "a repeated unit, which shows cuts and shifts",
    .parameters = parameters_table,
    .parameter_count = sizeof parameters_table / sizeof *parameters_table,
    .size = pattern_size,
    .fill = pattern_fill,
    .utf8 = pattern_utf8,
};
