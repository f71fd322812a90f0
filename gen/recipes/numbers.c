/* npy and safetensors: arrays of numbers as NumPy and as machine learning models store them. Every number is
 * a whole number of quarters, so that all types hold it exactly and sums are exact. Numbers are
 * little-endian, IEEE 754. */
#include <inttypes.h>
#include <string.h>

#include "base/error.h"
#include "gen/recipes/octets.h"
#include "gen/recipes/recipes.h"

enum { ELEMENTS_MAX = 1 << 22, QUARTERS_MAX = 400000, HEADER_ALIGN = 64, TENSORS_ALIGN = 8 };

static void put_f4(struct buf *out, int64_t quarters)
{
    float value = (float)quarters / 4;
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    octets_u32le(out, bits);
}

static void put_f8(struct buf *out, int64_t quarters)
{
    double value = (double)quarters / 4;
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    octets_u64le(out, bits);
}

static void put_i4(struct buf *out, int64_t quarters)
{
    octets_u32le(out, (uint32_t)(quarters / 4));
}

static void put_i8(struct buf *out, int64_t quarters)
{
    octets_u64le(out, (uint64_t)(quarters / 4));
}

static const struct number_type {
    const char *name;
    bool whole; /* only numbers without a fraction */
    void (*put)(struct buf *out, int64_t quarters);
} types[] = {{"f4", false, put_f4}, {"f8", false, put_f8}, {"i4", true, put_i4}, {"i8", true, put_i8}};
static const char *const type_values[] = {"f4", "f8", "i4", "i8", NULL};

static const struct number_type *type_of(const struct json *parameters)
{
    size_t i = 0;
    while (!bytes_equal_string(recipe_bytes(parameters, "dtype"), types[i].name))
        i++;
    return &types[i];
}

static int64_t draw(struct rng *rng, bool whole)
{
    int64_t quarters = rng_range(rng, -QUARTERS_MAX, QUARTERS_MAX);
    return whole ? quarters / 4 * 4 : quarters;
}

/* --- npy --- */

static int64_t width_of(const struct json *parameters)
{
    int64_t columns = recipe_int(parameters, "columns");
    return columns ? columns : 1;
}

static void put_npy_header(const struct json *parameters, const struct number_type *type, struct buf *out)
{
    struct buf text;
    buf_init(&text, 256);
    int64_t rows = recipe_int(parameters, "rows"), columns = recipe_int(parameters, "columns");
    buf_addf(&text, "{'descr': '<%s', 'fortran_order': False, 'shape': (%" PRId64 ",", type->name, rows);
    if (columns)
        buf_addf(&text, " %" PRId64, columns);
    buf_add_string(&text, "), }");
    const size_t before = 10; /* magic, version, length */
    octets_fill(&text, ' ', (HEADER_ALIGN - (before + text.len + 1) % HEADER_ALIGN) % HEADER_ALIGN);
    buf_add_byte(&text, '\n');
    buf_add(out, BYTES_LITERAL("\x93NUMPY\1\0"));
    octets_u16le(out, (uint16_t)text.len);
    buf_add(out, buf_bytes(&text));
    buf_release(&text);
}

static int npy_make(const struct json *parameters, struct buf *out, struct error **err)
{
    const struct number_type *type = type_of(parameters);
    int64_t rows = recipe_int(parameters, "rows"), width = width_of(parameters);
    put_npy_header(parameters, type, out);
    for (int64_t i = 0; i < rows && !out->overflow; i++) {
        struct rng rng;
        recipe_rng(&rng, parameters, STREAM_NUMBERS, (uint64_t)i);
        for (int64_t j = 0; j < width; j++)
            type->put(out, draw(&rng, type->whole));
    }
    return recipe_made(out, "npy", err);
}

/* A whole number, or a decimal with two digits. */
static struct json *quarters_fact(const struct number_type *type, int64_t quarters, struct arena *a)
{
    return type->whole ? json_integer(a, quarters / 4) : recipe_decimal_fact(a, quarters * 25, 2);
}

static struct json *npy_fact(const struct json *parameters, struct bytes name, struct arena *a)
{
    const struct number_type *type = type_of(parameters);
    int64_t rows = recipe_int(parameters, "rows"), width = width_of(parameters), sum = 0, most = INT64_MIN,
            least = INT64_MAX;
    if (bytes_equal_string(name, "rows"))
        return json_integer(a, rows);
    if (bytes_equal_string(name, "columns"))
        return json_integer(a, recipe_int(parameters, "columns"));
    if (bytes_equal_string(name, "elements"))
        return json_integer(a, rows * width);
    if (bytes_equal_string(name, "dtype"))
        return json_text(a, type->name);
    for (int64_t i = 0; i < rows; i++) {
        struct rng rng;
        recipe_rng(&rng, parameters, STREAM_NUMBERS, (uint64_t)i);
        for (int64_t j = 0; j < width; j++) {
            int64_t quarters = draw(&rng, type->whole);
            sum += quarters;
            most = quarters > most ? quarters : most;
            least = quarters < least ? quarters : least;
        }
    }
    if (bytes_equal_string(name, "sum"))
        return quarters_fact(type, sum, a);
    if (rows && bytes_equal_string(name, "max"))
        return quarters_fact(type, most, a);
    return rows && bytes_equal_string(name, "min") ? quarters_fact(type, least, a) : NULL;
}

static int npy_check(const struct json *parameters, const char *where, struct error **err)
{
    if (recipe_int(parameters, "rows") * width_of(parameters) > ELEMENTS_MAX)
        return error_set(err, ERR_INPUT, "%s: rows: found an array of more than %d numbers, expected fewer",
                         where, ELEMENTS_MAX);
    return 0;
}

/* Its first byte is none of UTF-8. */
static int npy_utf8(const struct json *parameters)
{
    return 0;
}

static const struct recipe_parameter npy_parameters[] = {
    {"rows", "100", "length of the first axis", RECIPE_INT, 0, ELEMENTS_MAX, NULL},
    {"columns", "4", "length of the second axis; 0: there is none", RECIPE_INT, 0, 100000, NULL},
    {"dtype", "\"f8\"", "type of the numbers, as NumPy names it", RECIPE_ONE_OF, 0, 0, type_values},
    RECIPE_SEED,
};

static const char *const npy_facts[] = {"rows", "columns", "elements", "dtype", "sum", "max", "min", NULL};

const struct recipe recipe_npy = {
    .name = "npy",
    .doc =
        "an array of numbers as NumPy saves it; sums are decimals for f4 and f8, whole numbers for i4 and i8",
    .parameters = npy_parameters,
    .parameter_count = sizeof npy_parameters / sizeof *npy_parameters,
    .facts = npy_facts,
    .make = npy_make,
    .fact = npy_fact,
    .check = npy_check,
    .utf8 = npy_utf8,
};

/* --- safetensors: a weight of width x width and a bias of width for each layer --- */

static void put_tensor(struct buf *header, int64_t layer, const char *what, int64_t rows, int64_t columns,
                       int64_t *at)
{
    int64_t size = rows * columns * 4;
    buf_addf(header, ",\"layers.%" PRId64 ".%s\":{\"dtype\":\"F32\",\"shape\":[%" PRId64, layer, what, rows);
    if (columns > 1 || strcmp(what, "weight") == 0)
        buf_addf(header, ",%" PRId64, columns);
    buf_addf(header, "],\"data_offsets\":[%" PRId64 ",%" PRId64 "]}", *at, *at + size);
    *at += size;
}

static int safetensors_make(const struct json *parameters, struct buf *out, struct error **err)
{
    int64_t layers = recipe_int(parameters, "layers"), width = recipe_int(parameters, "width"), at = 0;
    struct buf header;
    buf_init(&header, 1 << 20);
    buf_add_string(&header, "{\"__metadata__\":{\"format\":\"pt\"}");
    for (int64_t i = 0; i < layers; i++) {
        put_tensor(&header, i, "weight", width, width, &at);
        put_tensor(&header, i, "bias", width, 1, &at);
    }
    buf_add_byte(&header, '}');
    octets_fill(&header, ' ', (TENSORS_ALIGN - header.len % TENSORS_ALIGN) % TENSORS_ALIGN);
    octets_u64le(out, header.len);
    buf_add(out, buf_bytes(&header));
    buf_release(&header);
    for (int64_t i = 0; i < layers; i++) {
        struct rng rng;
        recipe_rng(&rng, parameters, STREAM_NUMBERS, (uint64_t)i);
        for (int64_t j = 0; j < width * width + width && !out->overflow; j++)
            put_f4(out, draw(&rng, false));
    }
    return recipe_made(out, "safetensors", err);
}

static struct json *safetensors_fact(const struct json *parameters, struct bytes name, struct arena *a)
{
    int64_t layers = recipe_int(parameters, "layers"), width = recipe_int(parameters, "width"), sum = 0;
    int64_t each = width * width + width;
    if (bytes_equal_string(name, "tensors"))
        return json_integer(a, layers * 2);
    if (bytes_equal_string(name, "parameters"))
        return json_integer(a, layers * each);
    if (bytes_equal_string(name, "first-tensor"))
        return json_text(a, "layers.0.weight");
    if (!bytes_equal_string(name, "sum"))
        return NULL;
    for (int64_t i = 0; i < layers; i++) {
        struct rng rng;
        recipe_rng(&rng, parameters, STREAM_NUMBERS, (uint64_t)i);
        for (int64_t j = 0; j < each; j++)
            sum += draw(&rng, false);
    }
    return recipe_decimal_fact(a, sum * 25, 2);
}

static int safetensors_check(const struct json *parameters, const char *where, struct error **err)
{
    int64_t layers = recipe_int(parameters, "layers"), width = recipe_int(parameters, "width");
    if (layers * (width * width + width) > ELEMENTS_MAX)
        return error_set(err, ERR_INPUT, "%s: width: found a model of more than %d numbers, expected fewer",
                         where, ELEMENTS_MAX);
    return 0;
}

static const struct recipe_parameter safetensors_parameters[] = {
    {"layers", "2", "each with a weight and a bias", RECIPE_INT, 1, 200, NULL},
    {"width", "8", "a weight is a square matrix of this size", RECIPE_INT, 1, 1024, NULL},
    RECIPE_SEED,
};

static const char *const safetensors_facts[] = {"tensors", "parameters", "first-tensor", "sum", NULL};

const struct recipe recipe_safetensors = {
    .name = "safetensors",
    .doc = "a model's weights: layers.0.weight, layers.0.bias, ... of F32; parameters and sum are over all "
           "numbers",
    .parameters = safetensors_parameters,
    .parameter_count = sizeof safetensors_parameters / sizeof *safetensors_parameters,
    .facts = safetensors_facts,
    .make = safetensors_make,
    .fact = safetensors_fact,
    .check = safetensors_check,
};
