/* csv: a table of articles as RFC 4180 has it, with known sums. Prices are cents, so every sum is exact; each
 * row comes from a stream of its own. */
#include <inttypes.h>

#include "gen/recipes/recipes.h"

enum { DAYS = 2192 /* 2020-01-01 to 2025-12-31 */ };

static const char *const categories[] = {"books", "food", "garden", "paper", "tools", "toys"};
static const char *const adjectives[] = {"small", "large", "red", "blue", "old", "plain", "round", "light"};
static const char *const nouns[] = {"lamp",   "chair",  "brush",  "notebook",
                                    "hammer", "kettle", "basket", "puzzle"};
static const char *const quotings[] = {"none", "some", "all", "lines", NULL};
static const char *const delimiters[] = {"comma", "semicolon", "tab", NULL};

enum { CATEGORIES = sizeof categories / sizeof *categories };

struct row {
    int64_t id, cents, quantity;
    unsigned category, adjective, noun, form, day;
};

static struct row make_row(const struct json *parameters, int64_t index)
{
    struct rng rng;
    recipe_rng(&rng, parameters, 1, (uint64_t)index);
    struct row row = {.id = index + 1};
    row.adjective = (unsigned)rng_below(&rng, 8);
    row.noun = (unsigned)rng_below(&rng, 8);
    row.form = (unsigned)rng_below(&rng, 8);
    row.cents = rng_range(&rng, 50, 99999);
    row.quantity = rng_range(&rng, 1, 500);
    row.category = (unsigned)rng_below(&rng, CATEGORIES);
    row.day = (unsigned)rng_below(&rng, DAYS);
    return row;
}

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
static void put_name(const struct row *row, struct bytes quoting, struct buf *out)
{
    struct buf name;
    buf_init(&name, 128);
    bool special = !bytes_equal_string(quoting, "none") && row->form < 3;
    if (special && row->form == 0)
        buf_addf(&name, "%s, %s", nouns[row->noun], adjectives[row->adjective]);
    else if (special && row->form == 1)
        buf_addf(&name, "%s 10\" \"%s\"", nouns[row->noun], adjectives[row->adjective]);
    else if (special && bytes_equal_string(quoting, "lines"))
        buf_addf(&name, "%s\n%s", adjectives[row->adjective], nouns[row->noun]);
    else
        buf_addf(&name, "%s %s", adjectives[row->adjective], nouns[row->noun]);
    put_field(out, buf_bytes(&name), special || bytes_equal_string(quoting, "all"));
    buf_release(&name);
}

static void put_date(unsigned day, struct buf *out)
{
    static const unsigned lengths[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    unsigned year = 2020, month = 0;
    for (;; year++) {
        unsigned days = year % 4 == 0 ? 366 : 365; /* no century lies in the range */
        if (day < days)
            break;
        day -= days;
    }
    for (;; month++) {
        unsigned days = lengths[month] + (month == 1 && year % 4 == 0);
        if (day < days)
            break;
        day -= days;
    }
    buf_addf(out, "%04u-%02u-%02u", year, month + 1, day + 1);
}

static const char *delimiter_of(const struct json *parameters)
{
    struct bytes name = recipe_bytes(parameters, "delimiter");
    return bytes_equal_string(name, "tab") ? "\t" : bytes_equal_string(name, "semicolon") ? ";" : ",";
}

static void put_header(const struct json *parameters, struct buf *out)
{
    const char *d = delimiter_of(parameters);
    buf_addf(out, "id%sname%sprice%squantity%scategory%sdate", d, d, d, d, d);
}

static void put_row(const struct row *row, const char *d, struct bytes quoting, struct buf *out)
{
    buf_addf(out, "%" PRId64 "%s", row->id, d);
    put_name(row, quoting, out);
    buf_add_string(out, d);
    recipe_decimal(out, row->cents, 2);
    buf_addf(out, "%s%" PRId64 "%s", d, row->quantity, d);
    put_field(out, bytes_of_string(categories[row->category]), bytes_equal_string(quoting, "all"));
    buf_add_string(out, d);
    put_date(row->day, out);
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
        struct row row = make_row(parameters, i);
        put_row(&row, d, quoting, out);
        buf_add(out, newline);
    }
    return recipe_made(out, "csv", err);
}

/* All numbers in one pass; the least and greatest mean nothing when there are no rows. */
struct totals {
    int64_t cents, quantity, value, max_quantity, min_quantity, max_cents, min_cents, count[CATEGORIES];
};

static void add_up(const struct json *parameters, int64_t rows, struct totals *t)
{
    *t = (struct totals){.min_quantity = INT64_MAX, .min_cents = INT64_MAX};
    for (int64_t i = 0; i < rows; i++) {
        struct row row = make_row(parameters, i);
        t->cents += row.cents;
        t->quantity += row.quantity;
        t->value += row.cents * row.quantity;
        t->count[row.category]++;
        t->max_quantity = row.quantity > t->max_quantity ? row.quantity : t->max_quantity;
        t->min_quantity = row.quantity < t->min_quantity ? row.quantity : t->min_quantity;
        t->max_cents = row.cents > t->max_cents ? row.cents : t->max_cents;
        t->min_cents = row.cents < t->min_cents ? row.cents : t->min_cents;
    }
}

static struct json *total_fact(const struct totals *t, bool any, struct bytes name, struct arena *a)
{
    const struct {
        const char *name;
        int64_t value;
        unsigned digits;
        bool always; /* also of an empty table */
    } table[] = {
        {"sum.price", t->cents, 2, true},
        {"sum.quantity", t->quantity, 0, true},
        {"sum.value", t->value, 2, true},
        {"max.quantity", t->max_quantity, 0, false},
        {"min.quantity", t->min_quantity, 0, false},
        {"max.price", t->max_cents, 2, false},
        {"min.price", t->min_cents, 2, false},
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        if (bytes_equal_string(name, table[i].name) && (any || table[i].always))
            return table[i].digits ? recipe_decimal_fact(a, table[i].value, table[i].digits)
                                   : json_integer(a, table[i].value);
    struct bytes prefix = BYTES_LITERAL("count.");
    for (size_t i = 0; i < CATEGORIES && bytes_starts(name, prefix); i++)
        if (bytes_equal_string(bytes_slice(name, prefix.len, name.len), categories[i]))
            return json_integer(a, t->count[i]);
    return NULL;
}

static struct json *csv_fact(const struct json *parameters, struct bytes name, struct arena *a)
{
    int64_t rows = recipe_int(parameters, "rows");
    if (bytes_equal_string(name, "rows"))
        return json_integer(a, rows);
    if (bytes_equal_string(name, "columns"))
        return json_integer(a, 6);
    if (bytes_equal_string(name, "header")) {
        struct buf header;
        buf_init(&header, 128);
        put_header(parameters, &header);
        struct json *fact = json_string(a, buf_bytes(&header));
        buf_release(&header);
        return fact;
    }
    struct totals totals;
    add_up(parameters, rows, &totals);
    return total_fact(&totals, rows > 0, name, a);
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

static const char *const facts[] = {
    "rows",         "columns",    "header",    "sum.price",   "sum.quantity", "sum.value",    "max.quantity",
    "min.quantity", "max.price",  "min.price", "count.books", "count.food",   "count.garden", "count.paper",
    "count.tools",  "count.toys", NULL};

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
