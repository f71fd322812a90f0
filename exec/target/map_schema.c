/* The part of JSON Schema that the mapping needs; see map_schema.h. Depth of $ref and of alternatives is
 * limited, so a loop ends as "any type". */
#include "exec/target/map_schema.h"

#include <string.h>

enum { REF_DEPTH = 16, ALTERNATIVE_DEPTH = 6, SCHEMA_BUDGET = 1000 };

static const struct {
    const char *name;
    unsigned types;
} type_names[] = {
    {"string", TYPE_STRING}, {"integer", TYPE_INTEGER}, {"number", TYPE_NUMBER | TYPE_INTEGER},
    {"boolean", TYPE_BOOL},  {"array", TYPE_ARRAY},     {"object", TYPE_OBJECT},
    {"null", TYPE_NULL},
};

static const unsigned kind_types[] = {
    [JSON_NULL] = TYPE_NULL,     [JSON_FALSE] = TYPE_BOOL,   [JSON_TRUE] = TYPE_BOOL,
    [JSON_NUMBER] = TYPE_NUMBER | TYPE_INTEGER, [JSON_STRING] = TYPE_STRING, [JSON_ARRAY] = TYPE_ARRAY,
    [JSON_OBJECT] = TYPE_OBJECT, [JSON_RAW] = TYPE_ANY,
};

static const char *const alternatives[] = {"anyOf", "oneOf"};

const struct json *schema_follow(const struct json *root, const struct json *schema)
{
    for (int i = 0; i < REF_DEPTH; i++) {
        const struct json *ref = json_get(schema, "$ref");
        if (!json_is(ref, JSON_STRING))
            return schema;
        if (!ref->text.len || ref->text.data[0] != '#')
            return NULL; /* another document: never fetched */
        schema = json_pointer(root, bytes_slice(ref->text, 1, ref->text.len));
    }
    return NULL;
}

static unsigned named_types(const struct json *type)
{
    unsigned types = 0;
    if (json_is(type, JSON_ARRAY)) {
        for (const struct json *one = type->first; one; one = one->next)
            types |= json_is(one, JSON_STRING) ? named_types(one) : 0;
        return types;
    }
    for (size_t i = 0; i < sizeof type_names / sizeof *type_names; i++)
        if (bytes_equal_string(json_as_text(type), type_names[i].name))
            types |= type_names[i].types;
    return types;
}

/* What the members beside "type" and the alternatives say. */
static unsigned implied_types(const struct json *schema)
{
    const struct json *value = json_get(schema, "const");
    if (value)
        return kind_types[value->kind];
    const struct json *values = json_get(schema, "enum");
    if (json_is(values, JSON_ARRAY)) {
        unsigned types = 0;
        for (value = values->first; value; value = value->next)
            types |= kind_types[value->kind];
        return types;
    }
    if (json_get(schema, "properties") || json_get(schema, "additionalProperties"))
        return TYPE_OBJECT;
    if (json_get(schema, "items"))
        return TYPE_ARRAY;
    return TYPE_ANY;
}

/* `budget` is how many more schemas may be looked at: alternatives that refer to each other multiply. */
static unsigned types_at(const struct json *root, const struct json *schema, int depth, int *budget)
{
    schema = schema_follow(root, schema);
    if (!json_is(schema, JSON_OBJECT) || depth > ALTERNATIVE_DEPTH || --*budget < 0)
        return TYPE_ANY;
    const struct json *type = json_get(schema, "type");
    unsigned types = type ? named_types(type) : implied_types(schema);
    for (size_t i = 0; i < sizeof alternatives / sizeof *alternatives; i++) {
        const struct json *list = json_get(schema, alternatives[i]);
        unsigned any = 0;
        for (const struct json *one = json_is(list, JSON_ARRAY) ? list->first : NULL; one; one = one->next)
            any |= types_at(root, one, depth + 1, budget);
        types &= any ? any : TYPE_ANY;
    }
    const struct json *all = json_get(schema, "allOf");
    for (const struct json *one = json_is(all, JSON_ARRAY) ? all->first : NULL; one; one = one->next)
        types &= types_at(root, one, depth + 1, budget);
    return types;
}

unsigned schema_types(const struct json *root, const struct json *schema)
{
    int budget = SCHEMA_BUDGET;
    return types_at(root, schema, 0, &budget);
}

const struct json *schema_values(const struct json *root, const struct json *schema, struct arena *a)
{
    schema = schema_follow(root, schema);
    const struct json *values = json_get(schema, "enum");
    if (json_is(values, JSON_ARRAY))
        return values;
    struct json *found = json_new(a, JSON_ARRAY);
    const struct json *one = json_get(schema, "const");
    if (one)
        json_add(found, json_copy(a, one));
    for (size_t i = 0; !one && i < sizeof alternatives / sizeof *alternatives; i++) {
        const struct json *list = json_get(schema, alternatives[i]);
        for (const struct json *each = json_is(list, JSON_ARRAY) ? list->first : NULL; each;
             each = each->next) {
            const struct json *value = json_get(schema_follow(root, each), "const");
            if (!value)
                return NULL; /* one free alternative is enough */
            json_add(found, json_copy(a, value));
        }
    }
    return found->count ? found : NULL;
}

const struct json *schema_items(const struct json *root, const struct json *schema)
{
    schema = schema_follow(root, schema);
    const struct json *items = schema_follow(root, json_get(schema, "items"));
    for (size_t i = 0; !items && i < sizeof alternatives / sizeof *alternatives; i++) {
        const struct json *list = json_get(schema, alternatives[i]);
        for (const struct json *one = json_is(list, JSON_ARRAY) ? list->first : NULL; one && !items;
             one = one->next)
            items = schema_follow(root, json_get(schema_follow(root, one), "items"));
    }
    return json_is(items, JSON_OBJECT) ? items : NULL;
}

const struct json *schema_properties(const struct json *root, const struct json *schema)
{
    const struct json *properties = json_get(schema_follow(root, schema), "properties");
    return json_is(properties, JSON_OBJECT) ? properties : NULL;
}

bool schema_requires(const struct json *schema, struct bytes name)
{
    const struct json *required = json_get(schema, "required");
    for (const struct json *one = json_is(required, JSON_ARRAY) ? required->first : NULL; one;
         one = one->next)
        if (json_is(one, JSON_STRING) && bytes_equal(one->text, name))
            return true;
    return false;
}

struct bytes schema_description(const struct json *root, const struct json *schema)
{
    const struct json *own = json_get(schema, "description");
    const struct json *text = json_is(own, JSON_STRING)
                                  ? own
                                  : json_get(schema_follow(root, schema), "description");
    return json_is(text, JSON_STRING) ? text->text : BYTES_NONE;
}
