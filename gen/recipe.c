/* The registry of recipes, and the completion of a recipe object: every parameter checked, defaults filled
 * in.
 *
 * Invariant: a complete object has all parameters, in the table's order, each of its type and in its range,
 * so recipes read them without checks. Completing a complete object changes nothing. */
#include "gen/recipe.h"

#include <inttypes.h>
#include <string.h>

#include "base/encode.h"
#include "base/error.h"
#include "gen/recipes/recipes.h"

static const struct recipe *const registry[] = {
    &recipe_text, &recipe_csv, &recipe_labelled_csv, &recipe_json, &recipe_ndjson, &recipe_xml,
    &recipe_config, &recipe_html, &recipe_svg, &recipe_png, &recipe_wav, &recipe_pdf, &recipe_docx,
    &recipe_xlsx, &recipe_pptx, &recipe_eml, &recipe_sqlite, &recipe_notebook, &recipe_source,
    &recipe_project, &recipe_npy, &recipe_safetensors, &recipe_zip, &recipe_tar, &recipe_gzip, &recipe_lines,
    &recipe_random, &recipe_zeros, &recipe_pattern, &recipe_splice, &recipe_recode,
};

const struct recipe *recipe_at(size_t index)
{
    return index < sizeof registry / sizeof *registry ? registry[index] : NULL;
}

const struct recipe *recipe_find(struct bytes name)
{
    for (size_t i = 0; recipe_at(i); i++)
        if (bytes_equal_string(name, registry[i]->name))
            return registry[i];
    return NULL;
}

static const struct recipe_parameter *find_parameter(const struct recipe *recipe, struct bytes name)
{
    for (size_t i = 0; i < recipe->parameter_count; i++)
        if (bytes_equal_string(name, recipe->parameters[i].name))
            return &recipe->parameters[i];
    return NULL;
}

bool recipe_parameter_known(const struct recipe *recipe, const char *parameter)
{
    return find_parameter(recipe, bytes_of_string(parameter)) != NULL;
}

bool recipe_fact_known(const struct recipe *recipe, const char *fact)
{
    if (strcmp(fact, "size") == 0 || strcmp(fact, "sha256") == 0)
        return true;
    for (size_t i = 0; recipe->facts && recipe->facts[i]; i++) {
        size_t len = strlen(recipe->facts[i]);
        bool family = len > 2 && strcmp(recipe->facts[i] + len - 2, ".*") == 0;
        if (family ? strncmp(fact, recipe->facts[i], len - 1) == 0 && fact[len - 1]
                   : strcmp(fact, recipe->facts[i]) == 0)
            return true;
    }
    return false;
}

/* Messages. */

static char *words_of(struct arena *a, const struct json *value)
{
    if (!value)
        return arena_printf(a, "nothing");
    if (json_is(value, JSON_STRING) && value->text.len <= 40)
        return arena_printf(a, "'%.*s'", BYTES_ARG(value->text));
    if (json_is(value, JSON_STRING))
        return arena_printf(a, "a string of %zu bytes", value->text.len);
    if (json_is(value, JSON_NUMBER) && value->text.len <= 40)
        return arena_printf(a, "%.*s", BYTES_ARG(value->text));
    return arena_printf(a, "%s", json_kind_name(value->kind));
}

static char *expected_of(struct arena *a, const struct recipe_parameter *p)
{
    char *list;
    switch (p->type) {
    case RECIPE_INT:
        return arena_printf(a, "a whole number from %" PRId64 " to %" PRId64, p->low, p->high);
    case RECIPE_BOOL:
        return arena_printf(a, "true or false");
    case RECIPE_BYTES:
        return arena_printf(a, "a string of %" PRId64 " to %" PRId64 " bytes", p->low, p->high);
    case RECIPE_CONTENT:
        return arena_printf(a, "a content: a string or a recipe");
    case RECIPE_ONE_OF:
        list = arena_printf(a, "one of");
        for (size_t i = 0; p->values[i]; i++)
            list = arena_printf(a, "%s%s %s", list, i ? "," : "", p->values[i]);
        return list;
    }
    BUG("a recipe parameter has no type");
}

static bool fits(const struct recipe_parameter *p, const struct json *value)
{
    int64_t n;
    switch (p->type) {
    case RECIPE_INT:
        return json_as_integer(value, &n) && n >= p->low && n <= p->high;
    case RECIPE_BOOL:
        return json_is(value, JSON_TRUE) || json_is(value, JSON_FALSE);
    case RECIPE_BYTES:
        return json_is(value, JSON_STRING) && value->text.len >= (uint64_t)p->low &&
               value->text.len <= (uint64_t)p->high;
    case RECIPE_CONTENT:
        return json_is(value, JSON_STRING) || json_is(value, JSON_OBJECT);
    case RECIPE_ONE_OF:
        for (size_t i = 0; json_is(value, JSON_STRING) && p->values[i]; i++)
            if (bytes_equal_string(value->text, p->values[i]))
                return true;
        return false;
    }
    BUG("a recipe parameter has no type");
}

/* Completion. */

static struct json *default_of(const struct recipe_parameter *p, struct arena *a)
{
    struct json *value;
    if (json_read(a, bytes_of_string(p->fallback), NULL, "a recipe's default", &value, NULL, NULL) < 0 ||
        !fits(p, value))
        BUG("a recipe's default is not what the recipe accepts");
    return value;
}

/* {"$bytes":…} inside a recipe, as values made in memory may have it, becomes the string it stands for. */
static struct json *plain_string(const struct json *value, struct arena *a)
{
    if (!json_is(value, JSON_OBJECT) || value->count != 1 || !json_is(json_get(value, "$bytes"), JSON_STRING))
        return NULL;
    struct buf decoded;
    buf_init(&decoded, SIZE_MAX);
    struct json *string = NULL;
    if (base64_decode(&decoded, value->first->text) == 0)
        string = json_string(a, buf_bytes(&decoded));
    buf_release(&decoded);
    return string;
}

static int complete(const struct json *object, const char *where, unsigned depth, struct arena *a,
                    struct json **out, struct error **err);

static int complete_value(const struct recipe_parameter *p, const struct json *value, const char *where,
                          unsigned depth, struct arena *a, struct json **out, struct error **err)
{
    struct json *string = plain_string(value, a);
    if (string)
        value = string;
    if (!fits(p, value))
        return error_set(err, ERR_INPUT, "%s: %s: found %s, expected %s", where, p->name, words_of(a, value),
                         expected_of(a, p));
    if (p->type == RECIPE_CONTENT && json_is(value, JSON_OBJECT))
        return complete(value, arena_printf(a, "%s: %s", where, p->name), depth + 1, a, out, err);
    *out = json_copy(a, value);
    return 0;
}

static int check_names(const struct recipe *recipe, const struct json *object, const char *where,
                       struct arena *a, struct error **err)
{
    for (const struct json *member = object->first; member; member = member->next) {
        if (bytes_equal_string(member->key, "$recipe") || find_parameter(recipe, member->key))
            continue;
        struct json name = {.kind = JSON_STRING, .text = member->key};
        char *list = arena_printf(a, "a parameter of %s:", recipe->name);
        for (size_t i = 0; i < recipe->parameter_count; i++)
            list = arena_printf(a, "%s%s %s", list, i ? "," : "", recipe->parameters[i].name);
        return error_set(err, ERR_INPUT, "%s: found %s, expected %s", where, words_of(a, &name), list);
    }
    return 0;
}

static int complete(const struct json *object, const char *where, unsigned depth, struct arena *a,
                    struct json **out, struct error **err)
{
    const struct json *name = json_get(object, "$recipe");
    const struct recipe *recipe = json_is(name, JSON_STRING) ? recipe_find(name->text) : NULL;
    if (!recipe)
        return error_set(err, ERR_INPUT,
                         "%s: $recipe: found %s, expected one of the recipes that 'taskgen domains "
                         "--recipes' lists",
                         where, words_of(a, name));
    if (depth > RECIPE_NESTING_MAX)
        return error_set(err, ERR_INPUT, "%s: found recipes nested more than %d deep, expected fewer", where,
                         RECIPE_NESTING_MAX);
    TRY(check_names(recipe, object, where, a, err));
    *out = json_new(a, JSON_OBJECT);
    json_set(a, *out, "$recipe", json_text(a, recipe->name));
    for (size_t i = 0; i < recipe->parameter_count; i++) {
        const struct recipe_parameter *p = &recipe->parameters[i];
        const struct json *given = json_get(object, p->name);
        struct json *value = NULL;
        if (!given && p->fallback)
            value = default_of(p, a);
        else
            TRY(complete_value(p, given, where, depth, a, &value, err));
        json_set(a, *out, p->name, value);
    }
    return recipe->check ? recipe->check(*out, where, err) : 0;
}

int recipe_complete(const struct json *object, const char *where, struct arena *a,
                    struct json **complete_object, struct error **err)
{
    return complete(object, where, 1, a, complete_object, err);
}

/* Tools of the recipes. */

static const struct json *parameter(const struct json *parameters, const char *name, enum json_kind kind)
{
    const struct json *value = json_get(parameters, name);
    if (!json_is(value, kind))
        BUG("a recipe reads a parameter that it does not have");
    return value;
}

int64_t recipe_int(const struct json *parameters, const char *name)
{
    int64_t n = 0;
    if (!json_as_integer(parameter(parameters, name, JSON_NUMBER), &n))
        BUG("a recipe's number is not whole");
    return n;
}

bool recipe_bool(const struct json *parameters, const char *name)
{
    return json_as_bool(json_get(parameters, name), false);
}

struct bytes recipe_bytes(const struct json *parameters, const char *name)
{
    return parameter(parameters, name, JSON_STRING)->text;
}

const struct json *recipe_content(const struct json *parameters, const char *name)
{
    return json_get(parameters, name);
}

const char *const recipe_newlines[] = {"lf", "crlf", "cr", NULL};

struct bytes recipe_newline(const struct json *parameters)
{
    struct bytes name = recipe_bytes(parameters, "newline");
    if (bytes_equal_string(name, "crlf"))
        return BYTES_LITERAL("\r\n");
    return bytes_equal_string(name, "cr") ? BYTES_LITERAL("\r") : BYTES_LITERAL("\n");
}

void recipe_rng(struct rng *r, const struct json *parameters, enum recipe_stream what, uint64_t index)
{
    rng_seed(r, (uint64_t)recipe_int(parameters, "seed") * 64 + what, index);
}

void recipe_decimal(struct buf *out, int64_t value, unsigned digits)
{
    uint64_t scale = 1, magnitude = value < 0 ? 0 - (uint64_t)value : (uint64_t)value;
    for (unsigned i = 0; i < digits; i++)
        scale *= 10;
    buf_addf(out, "%s%" PRIu64, value < 0 ? "-" : "", magnitude / scale);
    if (digits)
        buf_addf(out, ".%0*" PRIu64, (int)digits, magnitude % scale);
}

struct json *recipe_decimal_fact(struct arena *a, int64_t value, unsigned digits)
{
    struct buf text;
    buf_init(&text, 64);
    recipe_decimal(&text, value, digits);
    struct json *fact = json_string(a, buf_bytes(&text));
    buf_release(&text);
    return fact;
}

struct json *recipe_text_fact(struct arena *a, struct buf *text)
{
    struct json *fact = json_string(a, buf_bytes(text));
    buf_release(text);
    return fact;
}

size_t recipe_stage_max(const struct buf *out)
{
    return out->max < RECIPE_MAKE_MAX / 4 ? out->max * 4 : RECIPE_MAKE_MAX;
}

int recipe_made(const struct buf *out, const char *recipe, struct error **err)
{
    if (!out->overflow)
        return 0;
    return error_set(err, ERR_LIMIT, "content of recipe %s does not fit into %zu bytes", recipe, out->max);
}
