/* xml: records with attributes and elements; amounts are cents, so that their sum is exact. */
#include <inttypes.h>

#include "gen/recipes/recipes.h"

static const char *const cities[] = {"Zürich", "São Paulo", "東京",  "Kraków",
                                     "Oslo",   "Cairo",     "Αθήνα", "Lima"};
static const char *const currencies[] = {"EUR", "USD", "JPY"};
static const char *const notes[] = {"", "paid & closed", "1 < 2", "said \"later\"", ""};

struct order {
    int64_t id, cents;
    bool paid;
    unsigned city, currency, note;
};

static struct order order_at(const struct json *parameters, int64_t index)
{
    struct rng rng;
    recipe_rng(&rng, parameters, STREAM_XML, (uint64_t)index);
    struct order order = {.id = index + 1};
    order.cents = rng_range(&rng, 1, 999999);
    order.paid = rng_below(&rng, 2);
    order.city = (unsigned)rng_below(&rng, 8);
    order.currency = (unsigned)rng_below(&rng, 3);
    order.note = (unsigned)rng_below(&rng, 5);
    return order;
}

static void put_order(const struct order *order, struct buf *out)
{
    buf_addf(out,
             "  <record id=\"%" PRId64 "\" paid=\"%s\">\n    <name>record %" PRId64
             "</name>\n    <amount currency=\"%s\">",
             order->id, order->paid ? "true" : "false", order->id, currencies[order->currency]);
    recipe_decimal(out, order->cents, 2);
    buf_addf(out, "</amount>\n    <city>%s</city>\n", cities[order->city]);
    if (*notes[order->note]) {
        buf_add_string(out, "    <note>");
        recipe_escape(out, bytes_of_string(notes[order->note]));
        buf_add_string(out, "</note>\n");
    }
    buf_add_string(out, "  </record>\n");
}

static int xml_make(const struct json *parameters, struct buf *out, struct error **err)
{
    int64_t records = recipe_int(parameters, "records");
    buf_addf(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<records%s>\n",
             recipe_bool(parameters, "namespace") ? " xmlns=\"urn:example:records\"" : "");
    for (int64_t i = 0; i < records && !out->overflow; i++) {
        struct order order = order_at(parameters, i);
        put_order(&order, out);
    }
    buf_add_string(out, "</records>\n");
    return recipe_made(out, "xml", err);
}

static struct json *xml_fact(const struct json *parameters, struct bytes name, struct arena *a)
{
    int64_t records = recipe_int(parameters, "records"), cents = 0, paid = 0, most = 0, least = INT64_MAX,
            noted = 0;
    if (bytes_equal_string(name, "records"))
        return json_integer(a, records);
    if (bytes_equal_string(name, "root"))
        return json_text(a, "records");
    for (int64_t i = 0; i < records; i++) {
        struct order order = order_at(parameters, i);
        cents += order.cents;
        paid += order.paid;
        noted += *notes[order.note] != 0;
        most = order.cents > most ? order.cents : most;
        least = order.cents < least ? order.cents : least;
    }
    if (bytes_equal_string(name, "sum.amount"))
        return recipe_decimal_fact(a, cents, 2);
    if (bytes_equal_string(name, "count.paid"))
        return json_integer(a, paid);
    if (bytes_equal_string(name, "count.note"))
        return json_integer(a, noted);
    if (records && bytes_equal_string(name, "max.amount"))
        return recipe_decimal_fact(a, most, 2);
    return records && bytes_equal_string(name, "min.amount") ? recipe_decimal_fact(a, least, 2) : NULL;
}

static int xml_utf8(const struct json *parameters)
{
    return 1;
}

static const struct recipe_parameter parameters_table[] = {
    {"records", "20", "number of records", RECIPE_INT, 0, 200000, NULL},
    {"namespace", "false", "whether the elements are in one, urn:example:records", RECIPE_BOOL, 0, 0, NULL},
    RECIPE_SEED,
};

static const char *const facts[] = {"records",    "root",       "sum.amount", "max.amount",
                                    "min.amount", "count.paid", "count.note", NULL};

const struct recipe recipe_xml = {
    .name = "xml",
    .doc = "records: @id, @paid, name, amount with @currency, city, and in some a note",
    .parameters = parameters_table,
    .parameter_count = sizeof parameters_table / sizeof *parameters_table,
    .facts = facts,
    .make = xml_make,
    .fact = xml_fact,
    .utf8 = xml_utf8,
};
