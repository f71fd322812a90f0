/* lines: numbered lines, so that a lost, doubled or mixed line names itself. */
#include <inttypes.h>

#include "base/utf8.h"
#include "gen/recipes/recipes.h"

static void put_line(const struct json *parameters, int64_t number, struct buf *out)
{
    buf_add(out, recipe_bytes(parameters, "prefix"));
    buf_addf(out, "%0*" PRId64, (int)recipe_int(parameters, "width"), number);
}

static int lines_make(const struct json *parameters, struct buf *out, struct error **err)
{
    int64_t count = recipe_int(parameters, "lines");
    struct bytes newline = recipe_newline(parameters);
    bool final = recipe_bool(parameters, "final-newline");
    for (int64_t i = 1; i <= count && !out->overflow; i++) {
        put_line(parameters, i, out);
        if (i < count || final)
            buf_add(out, newline);
    }
    return recipe_made(out, "lines", err);
}

static struct json *lines_fact(const struct json *parameters, struct bytes name, struct arena *a)
{
    int64_t count = recipe_int(parameters, "lines");
    bool first = bytes_equal_string(name, "first-line"), last = bytes_equal_string(name, "last-line");
    if (bytes_equal_string(name, "lines"))
        return json_integer(a, count);
    if (!count || (!first && !last))
        return NULL;
    struct buf line;
    buf_init(&line, 8192);
    put_line(parameters, first ? 1 : count, &line);
    struct json *fact = json_string(a, buf_bytes(&line));
    buf_release(&line);
    return fact;
}

static int lines_utf8(const struct json *parameters)
{
    return utf8_valid(recipe_bytes(parameters, "prefix")) || recipe_int(parameters, "lines") == 0;
}

static const struct recipe_parameter parameters_table[] = {
    {"lines", "100", "number of lines, counted from 1", RECIPE_INT, 0, 10000000, NULL},
    {"prefix", "\"\"", "what stands before each number", RECIPE_BYTES, 0, 4096, NULL},
    {"width", "0", "digits, filled up with zeros; 0: as many as it takes", RECIPE_INT, 0, 20, NULL},
    {"newline", "\"lf\"", "line ends", RECIPE_ONE_OF, 0, 0, recipe_newlines},
    {"final-newline", "true", "whether the last line ends with one", RECIPE_BOOL, 0, 0, NULL},
};

static const char *const facts[] = {"lines", "first-line", "last-line", NULL};

const struct recipe recipe_lines = {
    .name = "lines",
    .doc = "numbered lines",
    .parameters = parameters_table,
    .parameter_count = sizeof parameters_table / sizeof *parameters_table,
    .facts = facts,
    .make = lines_make,
    .fact = lines_fact,
    .utf8 = lines_utf8,
};
