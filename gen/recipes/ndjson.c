/* ndjson: the table of articles, one JSON object a line. */
#include <inttypes.h>

#include "gen/recipes/articles.h"

static void put_row(const struct article *row, struct buf *out)
{
    buf_addf(out, "{\"id\":%" PRId64 ",\"name\":\"", row->id);
    article_put_name(row, out);
    buf_add_string(out, "\",\"price\":");
    recipe_decimal(out, row->cents, 2);
    buf_addf(out, ",\"quantity\":%" PRId64 ",\"category\":\"%s\",\"date\":\"", row->quantity,
             article_categories[row->category]);
    article_put_date(row, out);
    buf_add_string(out, "\"}");
}

static int ndjson_make(const struct json *parameters, struct buf *out, struct error **err)
{
    int64_t rows = recipe_int(parameters, "rows");
    struct bytes newline = recipe_newline(parameters);
    for (int64_t i = 0; i < rows && !out->overflow; i++) {
        struct article row = article_at(parameters, i);
        put_row(&row, out);
        buf_add(out, newline);
    }
    return recipe_made(out, "ndjson", err);
}

static struct json *ndjson_fact(const struct json *parameters, struct bytes name, struct arena *a)
{
    return articles_fact(parameters, recipe_int(parameters, "rows"), name, a);
}

static int ndjson_utf8(const struct json *parameters)
{
    return 1;
}

static const struct recipe_parameter parameters_table[] = {
    {"rows", "100", "number of lines", RECIPE_INT, 0, 1000000, NULL},
    {"newline", "\"lf\"", "line ends", RECIPE_ONE_OF, 0, 0, recipe_newlines},
    RECIPE_SEED,
};

static const char *const facts[] = {ARTICLES_FACTS, NULL};

const struct recipe recipe_ndjson = {
    .name = "ndjson",
    .doc = "the rows of csv as JSON Lines, an object a line",
    .parameters = parameters_table,
    .parameter_count = sizeof parameters_table / sizeof *parameters_table,
    .facts = facts,
    .make = ndjson_make,
    .fact = ndjson_fact,
    .utf8 = ndjson_utf8,
};
