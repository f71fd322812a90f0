/* csv: the table of articles as RFC 4180 has it, with other delimiters too. */
#include <inttypes.h>

#include "gen/recipes/articles.h"

static const char *const quotings[] = {"none", "some", "all", "lines", NULL};
static const char *const delimiters[] = {"comma", "semicolon", "tab", "pipe", NULL};

static void put_field(struct buf *out, struct bytes field, bool quoted)
{
    if (!quoted) {
        buf_add(out, field);
        return;
    }
    buf_add_byte(out, '"');
    for (size_t i = 0; i < field.len; i++) {
        if (field.data[i] == '"')
            buf_add_byte(out, '"');
        buf_add_byte(out, field.data[i]);
    }
    buf_add_byte(out, '"');
}

/* Some names need quotes: "lamp, small", "2" lamp", and with quoting "lines" a name of two lines. */
static void put_name(const struct article *row, struct bytes quoting, struct buf *out)
{
    struct buf name;
    buf_init(&name, 128);
    bool special = !bytes_equal_string(quoting, "none") && row->form < 3;
    if (special && row->form == 0)
        buf_addf(&name, "%s, %s", row->noun, row->adjective);
    else if (special && row->form == 1)
        buf_addf(&name, "%s 10\" \"%s\"", row->noun, row->adjective);
    else if (special && bytes_equal_string(quoting, "lines"))
        buf_addf(&name, "%s\n%s", row->adjective, row->noun);
    else
        article_put_name(row, &name);
    put_field(out, buf_bytes(&name), special || bytes_equal_string(quoting, "all"));
    buf_release(&name);
}

static const char *delimiter_of(const struct json *parameters)
{
    static const char *const texts[] = {",", ";", "\t", "|"};
    size_t i = 0;
    while (!bytes_equal_string(recipe_bytes(parameters, "delimiter"), delimiters[i]))
        i++;
    return texts[i];
}

static void put_header(const struct json *parameters, struct buf *out)
{
    const char *d = delimiter_of(parameters);
    for (size_t i = 0; i < ARTICLE_COLUMNS; i++)
        buf_addf(out, "%s%s", i ? d : "", article_columns[i]);
}

static void put_row(const struct article *row, const char *d, struct bytes quoting, struct buf *out)
{
    buf_addf(out, "%" PRId64 "%s", row->id, d);
    put_name(row, quoting, out);
    buf_add_string(out, d);
    recipe_decimal(out, row->cents, 2);
    buf_addf(out, "%s%" PRId64 "%s", d, row->quantity, d);
    put_field(out, bytes_of_string(article_categories[row->category]), bytes_equal_string(quoting, "all"));
    buf_add_string(out, d);
    article_put_date(row, out);
}

static int csv_make(const struct json *parameters, struct buf *out, struct error **err)
{
    int64_t rows = recipe_int(parameters, "rows");
    struct bytes newline = recipe_newline(parameters), quoting = recipe_bytes(parameters, "quoting");
    const char *d = delimiter_of(parameters);
    if (recipe_bool(parameters, "header")) {
        put_header(parameters, out);
        buf_add(out, newline);
    }
    for (int64_t i = 0; i < rows && !out->overflow; i++) {
        struct article row = article_at(parameters, i);
        put_row(&row, d, quoting, out);
        buf_add(out, newline);
    }
    return recipe_made(out, "csv", err);
}

static struct json *csv_fact(const struct json *parameters, struct bytes name, struct arena *a)
{
    if (!bytes_equal_string(name, "header"))
        return articles_fact(parameters, recipe_int(parameters, "rows"), name, a);
    struct buf header;
    buf_init(&header, 128);
    put_header(parameters, &header);
    return recipe_text_fact(a, &header);
}

static int csv_utf8(const struct json *parameters)
{
    return 1;
}

static const struct recipe_parameter parameters_table[] = {
    {"rows", "100", "number of rows, without the header", RECIPE_INT, 0, 1000000, NULL},
    {"header", "true", "whether the first line names the columns", RECIPE_BOOL, 0, 0, NULL},
    {"delimiter", "\"comma\"", "between fields", RECIPE_ONE_OF, 0, 0, delimiters},
    {"quoting", "\"some\"",
     "none: no name needs quotes; some: some do; all: every text is quoted; lines: some hold line "
     "ends as well",
     RECIPE_ONE_OF, 0, 0, quotings},
    {"newline", "\"lf\"", "line ends", RECIPE_ONE_OF, 0, 0, recipe_newlines},
    RECIPE_SEED,
};

static const char *const facts[] = {ARTICLES_FACTS, "header", NULL};

const struct recipe recipe_csv = {
    .name = "csv",
    .doc = "a table: id, name, price, quantity, category, date; sum.value is the sum of price times quantity",
    .parameters = parameters_table,
    .parameter_count = sizeof parameters_table / sizeof *parameters_table,
    .facts = facts,
    .make = csv_make,
    .fact = csv_fact,
    .utf8 = csv_utf8,
};
