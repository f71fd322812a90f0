/* zeros: NUL bytes only, what a sparse file or a cut C string looks like. */
#include <string.h>

#include "gen/recipes/recipes.h"

static void zeros_fill(const struct json *parameters, uint64_t offset, void *data, size_t len)
{
    memset(data, 0, len);
}

static int64_t zeros_size(const struct json *parameters)
{
    return recipe_int(parameters, "size");
}

static int zeros_utf8(const struct json *parameters)
{
    return 1;
}

static const struct recipe_parameter parameters_table[] = {
    {"size", "1024", "number of bytes", RECIPE_INT, 0, RECIPE_SIZE_MAX, NULL},
};

const struct recipe recipe_zeros = {
    .name = "zeros",
    .doc = "NUL bytes",
    .parameters = parameters_table,
    .parameter_count = sizeof parameters_table / sizeof *parameters_table,
    .size = zeros_size,
    .fill = zeros_fill,
    .utf8 = zeros_utf8,
};
