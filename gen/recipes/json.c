/* json: records with nested objects. Amounts are cents, written with two decimals, so that their sum is
 * exact; with big-integers each record has numbers that a double cannot hold. */
#include <inttypes.h>

#include "gen/recipes/recipes.h"

static const char *const layouts[] = {"array", "lines", "object", NULL};
static const char *const cities[] = {"Zürich", "São Paulo", "東京",  "Kraków",
                                     "Oslo",   "Cairo",     "Αθήνα", "Lima"};
static const char *const tags[] = {"new", "paid", "late", "gift", "bulk"};

enum { CITIES = 8, TAGS = 5 };
#define BIG_FIRST UINT64_C(9007199254740993) /* 2^53 + 1, the first whole number a double does not have */

struct record {
    int64_t id, cents;
    bool active;
    unsigned city, tags[3], tag_count;
    int64_t zip, latitude;
    uint64_t serial;
};

static struct record make_record(const struct json *parameters, int64_t index)
{
    struct rng rng;
    recipe_rng(&rng, parameters, STREAM_JSON, (uint64_t)index);
    struct record r = {.id = index + 1};
    r.cents = rng_range(&rng, 1, 999999);
    r.active = rng_below(&rng, 2);
    r.city = (unsigned)rng_below(&rng, CITIES);
    r.tag_count = (unsigned)rng_below(&rng, 4);
    for (unsigned i = 0; i < r.tag_count; i++)
        r.tags[i] = (unsigned)rng_below(&rng, TAGS);
    r.zip = rng_range(&rng, 1000, 99999);
    r.latitude = rng_range(&rng, -90000, 90000);
    r.serial = BIG_FIRST + 2 * rng_below(&rng, UINT64_C(1) << 40);
    return r;
}

static void put_record(const struct record *r, bool big, struct buf *out)
{
    buf_addf(out, "{\"id\":%" PRId64 ",\"name\":\"record %" PRId64 "\",\"amount\":", r->id, r->id);
    recipe_decimal(out, r->cents, 2);
    buf_addf(out, ",\"active\":%s,\"tags\":[", r->active ? "true" : "false");
    for (unsigned i = 0; i < r->tag_count; i++)
        buf_addf(out, "%s\"%s\"", i ? "," : "", tags[r->tags[i]]);
    buf_addf(out,
             "],\"address\":{\"city\":\"%s\",\"zip\":\"%05" PRId64 "\",\"place\":{\"lat\":", cities[r->city],
             r->zip);
    recipe_decimal(out, r->latitude, 3);
    buf_add_string(out, "}},\"note\":null");
    if (big) /* the second has 30 digits */
        buf_addf(out, ",\"serial\":%" PRIu64 ",\"checksum\":%014" PRIu64 "%016" PRIu64, r->serial,
                 UINT64_C(10000000000000) + (uint64_t)r->zip, r->serial);
    buf_add_byte(out, '}');
}

static int json_make(const struct json *parameters, struct buf *out, struct error **err)
{
    int64_t records = recipe_int(parameters, "records");
    struct bytes layout = recipe_bytes(parameters, "layout");
    bool lines = bytes_equal_string(layout, "lines"), object = bytes_equal_string(layout, "object"),
         big = recipe_bool(parameters, "big-integers");
    buf_add_string(out, lines ? "" : object ? "{\"records\":[" : "[");
    for (int64_t i = 0; i < records && !out->overflow; i++) {
        struct record r = make_record(parameters, i);
        if (i && !lines)
            buf_add_byte(out, ',');
        put_record(&r, big, out);
        if (lines)
            buf_add_byte(out, '\n');
    }
    buf_add_string(out, lines ? "" : object ? "]}\n" : "]\n");
    return recipe_made(out, "json", err);
}

static struct json *keys_fact(const struct json *parameters, struct arena *a)
{
    static const char *const keys[] = {"id",      "name", "amount", "active",  "tags",
                                       "address", "note", "serial", "checksum"};
    size_t count = recipe_bool(parameters, "big-integers") ? 9 : 7;
    struct json *list = json_new(a, JSON_ARRAY);
    for (size_t i = 0; i < count; i++)
        json_add(list, json_text(a, keys[i]));
    return list;
}

/* All numbers in one pass. */
struct totals {
    int64_t cents, active, most, least, tags[TAGS];
    uint64_t serial;
};

static struct totals add_up(const struct json *parameters)
{
    int64_t records = recipe_int(parameters, "records");
    struct totals t = {.least = INT64_MAX};
    for (int64_t i = 0; i < records; i++) {
        struct record r = make_record(parameters, i);
        t.cents += r.cents;
        t.active += r.active;
        t.most = r.cents > t.most ? r.cents : t.most;
        t.least = r.cents < t.least ? r.cents : t.least;
        t.serial = r.serial > t.serial ? r.serial : t.serial;
        for (unsigned k = 0; k < TAGS; k++) { /* a record may have a tag twice */
            bool has = false;
            for (unsigned n = 0; n < r.tag_count; n++)
                has |= r.tags[n] == k;
            t.tags[k] += has;
        }
    }
    return t;
}

static struct json *sum_fact(const struct json *parameters, struct bytes name, struct arena *a)
{
    int64_t records = recipe_int(parameters, "records");
    struct bytes prefix = BYTES_LITERAL("count.");
    struct totals t = add_up(parameters);
    if (bytes_equal_string(name, "sum.amount"))
        return recipe_decimal_fact(a, t.cents, 2);
    if (bytes_equal_string(name, "count.active"))
        return json_integer(a, t.active);
    for (unsigned k = 0; k < TAGS && bytes_starts(name, prefix); k++)
        if (bytes_equal_string(bytes_slice(name, prefix.len, name.len), tags[k]))
            return json_integer(a, t.tags[k]);
    if (!records)
        return NULL;
    if (bytes_equal_string(name, "max.amount"))
        return recipe_decimal_fact(a, t.most, 2);
    if (bytes_equal_string(name, "min.amount"))
        return recipe_decimal_fact(a, t.least, 2);
    bool serial = recipe_bool(parameters, "big-integers") && bytes_equal_string(name, "max.serial");
    return serial ? json_text(a, arena_printf(a, "%" PRIu64, t.serial)) : NULL;
}

static struct json *json_fact(const struct json *parameters, struct bytes name, struct arena *a)
{
    if (bytes_equal_string(name, "records"))
        return json_integer(a, recipe_int(parameters, "records"));
    if (bytes_equal_string(name, "keys"))
        return keys_fact(parameters, a);
    return sum_fact(parameters, name, a);
}

static int json_utf8(const struct json *parameters)
{
    return 1;
}

static const struct recipe_parameter parameters_table[] = {
    {"records", "50", "number of records", RECIPE_INT, 0, 500000, NULL},
    {"layout", "\"array\"", "array; object: {\"records\":[...]}; lines: JSON Lines", RECIPE_ONE_OF, 0, 0,
     layouts},
    {"big-integers", "false", "adds serial (above 2^53) and checksum (30 digits) to each record", RECIPE_BOOL,
     0, 0, NULL},
    RECIPE_SEED,
};

static const char *const facts[] = {"records",      "keys",       "sum.amount", "max.amount", "min.amount",
                                    "count.active", "count.new",  "count.paid", "count.late", "count.gift",
                                    "count.bulk",   "max.serial", NULL};

const struct recipe recipe_json = {
    .name = "json",
    .doc = "records: id, name, amount, active, tags, address {city, zip, place {lat}}, note",
    .parameters = parameters_table,
    .parameter_count = sizeof parameters_table / sizeof *parameters_table,
    .facts = facts,
    .make = json_make,
    .fact = json_fact,
    .utf8 = json_utf8,
};
