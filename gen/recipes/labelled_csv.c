/* labelled-csv: rows of numbers with a label, that any honest classifier tells apart.
 *
 * Feature x_j of class c lies within 4 of 10 * ((c + j) mod classes), so by each feature alone the classes do
 * not overlap. The first rows take the classes in turn, so each has a row when there are enough. */
#include <inttypes.h>

#include "gen/recipes/recipes.h"

enum { CLASSES_MAX = 16 };

static int64_t label_of(const struct json *parameters, int64_t row, struct rng *rng)
{
    int64_t classes = recipe_int(parameters, "classes");
    recipe_rng(rng, parameters, STREAM_LABELLED_CSV, (uint64_t)row);
    int64_t drawn = (int64_t)rng_below(rng, (uint64_t)classes);
    return row < classes ? row : drawn;
}

static void put_header(const struct json *parameters, struct buf *out)
{
    int64_t features = recipe_int(parameters, "features");
    for (int64_t j = 1; j <= features; j++)
        buf_addf(out, "x%" PRId64 ",", j);
    buf_add_string(out, "label");
}

static int labelled_csv_make(const struct json *parameters, struct buf *out, struct error **err)
{
    int64_t rows = recipe_int(parameters, "rows"), features = recipe_int(parameters, "features"),
            classes = recipe_int(parameters, "classes");
    put_header(parameters, out);
    buf_add_byte(out, '\n');
    for (int64_t i = 0; i < rows && !out->overflow; i++) {
        struct rng rng;
        int64_t label = label_of(parameters, i, &rng);
        for (int64_t j = 0; j < features; j++) {
            recipe_decimal(out, (label + j) % classes * 10000 + rng_range(&rng, -4000, 4000), 3);
            buf_add_byte(out, ',');
        }
        buf_addf(out, "%" PRId64 "\n", label);
    }
    return recipe_made(out, "labelled-csv", err);
}

/* "count.3": rows with label 3. */
static struct json *count_fact(const struct json *parameters, struct bytes digits, struct arena *a)
{
    int64_t wanted = 0, count = 0;
    if (!digits.len || digits.len > 2 || (digits.len == 2 && digits.data[0] == '0'))
        return NULL;
    for (size_t i = 0; i < digits.len; i++) {
        if (digits.data[i] < '0' || digits.data[i] > '9')
            return NULL;
        wanted = wanted * 10 + digits.data[i] - '0';
    }
    if (wanted >= recipe_int(parameters, "classes"))
        return NULL;
    int64_t rows = recipe_int(parameters, "rows");
    for (int64_t i = 0; i < rows; i++) {
        struct rng rng;
        count += label_of(parameters, i, &rng) == wanted;
    }
    return json_integer(a, count);
}

static struct json *labelled_csv_fact(const struct json *parameters, struct bytes name, struct arena *a)
{
    if (bytes_equal_string(name, "columns"))
        return json_integer(a, recipe_int(parameters, "features") + 1);
    if (bytes_equal_string(name, "rows") || bytes_equal_string(name, "features") ||
        bytes_equal_string(name, "classes"))
        return json_integer(a, recipe_int(parameters, arena_string(a, name)));
    if (bytes_equal_string(name, "header")) {
        struct buf header;
        buf_init(&header, 1024);
        put_header(parameters, &header);
        struct json *fact = json_string(a, buf_bytes(&header));
        buf_release(&header);
        return fact;
    }
    struct bytes prefix = BYTES_LITERAL("count.");
    return bytes_starts(name, prefix) ? count_fact(parameters, bytes_slice(name, prefix.len, name.len), a)
                                      : NULL;
}

static int labelled_csv_utf8(const struct json *parameters)
{
    return 1;
}

static const struct recipe_parameter parameters_table[] = {
    {"rows", "200", "number of rows, without the header", RECIPE_INT, 0, 1000000, NULL},
    {"features", "2", "columns x1, x2, ... before the label", RECIPE_INT, 1, 64, NULL},
    {"classes", "2", "labels 0, 1, ...", RECIPE_INT, 2, CLASSES_MAX, NULL},
    RECIPE_SEED,
};

static const char *const facts[] = {"rows", "columns", "features", "classes", "header", "count.*", NULL};

const struct recipe recipe_labelled_csv = {
    .name = "labelled-csv",
    .doc = "numbers with an integer label, classes far apart",
    .parameters = parameters_table,
    .parameter_count = sizeof parameters_table / sizeof *parameters_table,
    .facts = facts,
    .make = labelled_csv_make,
    .fact = labelled_csv_fact,
    .utf8 = labelled_csv_utf8,
};
