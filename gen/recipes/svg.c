/* svg: a chart of bars, each a rect that carries its value in data-value; heights are whole pixels. */
#include <inttypes.h>

#include "gen/recipes/recipes.h"

enum { BARS_MAX = 500, VALUE_MAX = 1000, HEAD = 40 /* pixels above the chart, for its title */ };

static int64_t value_at(const struct json *parameters, int64_t index)
{
    struct rng rng;
    recipe_rng(&rng, parameters, STREAM_SVG, (uint64_t)index);
    return rng_range(&rng, 1, VALUE_MAX);
}

static void put_bar(const struct json *parameters, int64_t index, struct buf *out)
{
    int64_t bars = recipe_int(parameters, "bars"), width = recipe_int(parameters, "width"),
            height = recipe_int(parameters, "height"), value = value_at(parameters, index);
    int64_t left = width * index / bars, right = width * (index + 1) / bars;
    int64_t tall = (height - HEAD) * value / VALUE_MAX, gap = right - left > 4 ? 2 : 0;
    buf_addf(out,
             "  <rect x=\"%" PRId64 "\" y=\"%" PRId64 "\" width=\"%" PRId64 "\" height=\"%" PRId64
             "\" fill=\"#4682b4\" data-value=\"%" PRId64 "\"><title>%" PRId64 "</title></rect>\n",
             left, height - tall, right - left - gap, tall, value, value);
}

static int svg_make(const struct json *parameters, struct buf *out, struct error **err)
{
    int64_t bars = recipe_int(parameters, "bars"), width = recipe_int(parameters, "width"),
            height = recipe_int(parameters, "height");
    struct buf title;
    buf_init(&title, 1 << 12);
    recipe_title(parameters, STREAM_SVG, &title);
    buf_addf(out,
             "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<svg xmlns=\"http://www.w3.org/2000/svg\" "
             "width=\"%" PRId64 "\" height=\"%" PRId64 "\" viewBox=\"0 0 %" PRId64 " %" PRId64
             "\">\n  <title>",
             width, height, width, height);
    recipe_escape(out, buf_bytes(&title));
    buf_add_string(out, "</title>\n  <text x=\"10\" y=\"25\" font-size=\"16\">");
    recipe_escape(out, buf_bytes(&title));
    buf_add_string(out, "</text>\n");
    for (int64_t i = 0; i < bars; i++)
        put_bar(parameters, i, out);
    buf_add_string(out, "</svg>\n");
    buf_release(&title);
    return recipe_made(out, "svg", err);
}

static struct json *svg_fact(const struct json *parameters, struct bytes name, struct arena *a)
{
    int64_t bars = recipe_int(parameters, "bars"), most = 0, least = VALUE_MAX, sum = 0;
    if (bytes_equal_string(name, "bars") || bytes_equal_string(name, "width") ||
        bytes_equal_string(name, "height"))
        return json_integer(a, recipe_int(parameters, arena_string(a, name)));
    if (bytes_equal_string(name, "title"))
        return recipe_title_fact(parameters, STREAM_SVG, a);
    for (int64_t i = 0; i < bars; i++) {
        int64_t value = value_at(parameters, i);
        most = value > most ? value : most;
        least = value < least ? value : least;
        sum += value;
    }
    if (bytes_equal_string(name, "max"))
        return json_integer(a, most);
    if (bytes_equal_string(name, "min"))
        return json_integer(a, least);
    return bytes_equal_string(name, "sum") ? json_integer(a, sum) : NULL;
}

static int svg_check(const struct json *parameters, const char *where, struct error **err)
{
    return recipe_check_line(parameters, "title", where, err);
}

static int svg_utf8(const struct json *parameters)
{
    return 1;
}

static const struct recipe_parameter parameters_table[] = {
    {"bars", "6", "number of bars", RECIPE_INT, 1, BARS_MAX, NULL},
    {"width", "480", "pixels", RECIPE_INT, 100, 4096, NULL},
    {"height", "320", "pixels", RECIPE_INT, 100, 4096, NULL},
    {"script", "\"ascii\"", "which words a title that is made up has", RECIPE_ONE_OF, 0, 0, recipe_scripts},
    {"title", "\"\"", "above the chart; empty: made up", RECIPE_BYTES, 0, 200, NULL},
    RECIPE_SEED,
};

static const char *const facts[] = {"bars", "width", "height", "title", "max", "min", "sum", NULL};

const struct recipe recipe_svg = {
    .name = "svg",
    .doc = "a chart of bars; max, min and sum are of their values, which stand in data-value",
    .parameters = parameters_table,
    .parameter_count = sizeof parameters_table / sizeof *parameters_table,
    .facts = facts,
    .make = svg_make,
    .fact = svg_fact,
    .check = svg_check,
    .utf8 = svg_utf8,
};
