/* random: bytes that no compressor shortens and no text encoding carries. Counter based (splitmix64 over the
 * block number), so any offset can be filled without what lies before it. */
#include <string.h>

#include "gen/recipes/recipes.h"

static uint64_t block(uint64_t seed, uint64_t index)
{
    uint64_t z = seed + (index + 1) * 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

static void random_fill(const struct json *parameters, uint64_t offset, void *data, size_t len)
{
    uint64_t seed = (uint64_t)recipe_int(parameters, "seed");
    uint8_t *out = data;
    for (size_t i = 0; i < len;) {
        uint64_t at = offset + i, value = block(seed, at / 8) >> at % 8 * 8;
        for (size_t byte = at % 8; byte < 8 && i < len; byte++, value >>= 8)
            out[i++] = (uint8_t)value;
    }
}

static int64_t random_size(const struct json *parameters)
{
    return recipe_int(parameters, "size");
}

static int random_utf8(const struct json *parameters)
{
    return random_size(parameters) > 4096 ? 0 : -1;
}

static const struct recipe_parameter parameters_table[] = {
    {"size", "1024", "number of bytes", RECIPE_INT, 0, RECIPE_SIZE_MAX, NULL},
    RECIPE_SEED,
};

const struct recipe recipe_random = {
    .name = "random",
    .doc = "random bytes, every value alike",
    .parameters = parameters_table,
    .parameter_count = sizeof parameters_table / sizeof *parameters_table,
    .size = random_size,
    .fill = random_fill,
    .utf8 = random_utf8,
};
