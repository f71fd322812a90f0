/* Schemas that tools come with, held against what a schema is.
 *
 * Judged by a schema of schemas, in words of our own, that asks no more than all drafts from 6 to 2020-12 do
 * (so `items` may be a list), and only where the schema names none of the others. A part that $ref names has
 * to be there. */
#include <string.h>

#include "exec/oracle/duty_internal.h"

enum { PARTS_MAX = 20000 };

#define SCHEMA  "{\"$ref\":\"#\"}"
#define SCHEMAS "{\"type\":\"object\",\"additionalProperties\":" SCHEMA "}"
#define LIST    "{\"type\":\"array\",\"minItems\":1,\"items\":" SCHEMA "}"
#define COUNT   "{\"type\":\"integer\",\"minimum\":0}"
#define NAMES   "{\"type\":\"array\",\"items\":{\"type\":\"string\"}}"
#define KIND    "{\"enum\":[\"array\",\"boolean\",\"integer\",\"null\",\"number\",\"object\",\"string\"]}"

static const char of_schemas[] =
    "{\"type\":[\"object\",\"boolean\"],\"properties\":{"
    "\"$ref\":{\"type\":\"string\"},\"$id\":{\"type\":\"string\"},\"$schema\":{\"type\":\"string\"},"
    "\"$defs\":" SCHEMAS ",\"definitions\":" SCHEMAS ","
    "\"title\":{\"type\":\"string\"},\"description\":{\"type\":\"string\"},"
    "\"type\":{\"anyOf\":[" KIND ",{\"type\":\"array\",\"minItems\":1,\"uniqueItems\":true,\"items\":" KIND
    "}]},"
    "\"enum\":{\"type\":\"array\"},"
    "\"multipleOf\":{\"type\":\"number\",\"exclusiveMinimum\":0},"
    "\"maximum\":{\"type\":\"number\"},\"minimum\":{\"type\":\"number\"},"
    "\"exclusiveMaximum\":{\"type\":\"number\"},\"exclusiveMinimum\":{\"type\":\"number\"},"
    "\"maxLength\":" COUNT ",\"minLength\":" COUNT
    ",\"pattern\":{\"type\":\"string\"},\"format\":{\"type\":\"string\"},"
    "\"items\":{\"anyOf\":[" SCHEMA "," LIST "]},\"prefixItems\":" LIST ",\"additionalItems\":" SCHEMA ","
    "\"contains\":" SCHEMA ",\"maxItems\":" COUNT ",\"minItems\":" COUNT
    ",\"uniqueItems\":{\"type\":\"boolean\"},"
    "\"properties\":" SCHEMAS ",\"patternProperties\":" SCHEMAS ",\"additionalProperties\":" SCHEMA ","
    "\"propertyNames\":" SCHEMA ",\"unevaluatedProperties\":" SCHEMA ",\"unevaluatedItems\":" SCHEMA ","
    "\"maxProperties\":" COUNT ",\"minProperties\":" COUNT ",\"required\":" NAMES ","
    "\"dependentRequired\":{\"type\":\"object\",\"additionalProperties\":" NAMES
    "},\"dependentSchemas\":" SCHEMAS ","
    "\"allOf\":" LIST ",\"anyOf\":" LIST ",\"oneOf\":" LIST ",\"not\":" SCHEMA ","
    "\"if\":" SCHEMA ",\"then\":" SCHEMA ",\"else\":" SCHEMA "}}";

bool duty_schema_dialect_known(const struct json *schema)
{
    static const char *const known[] = {"2020-12/schema", "2019-09/schema", "draft-07/schema",
                                        "draft-06/schema"};
    const struct json *dialect = json_get(schema, "$schema");
    bool found = !dialect;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        found = found || bytes_find(json_as_text(dialect), bytes_of_string(known[i]), 0) >= 0;
    return found;
}

/* Members whose value is data, not a schema. */
static bool holds_data(const struct json *value)
{
    static const char *const names[] = {"enum", "const", "default", "examples"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (bytes_equal_string(value->key, names[i]))
            return true;
    return false;
}

/* A pointer within the document that leads nowhere. */
static bool is_lost(const struct json *root, struct bytes ref)
{
    return bytes_starts(ref, BYTES_LITERAL("#/")) && bytes_find(ref, BYTES_LITERAL("%"), 0) < 0 &&
           !json_pointer(root, bytes_slice(ref, 1, ref.len));
}

/* $ref as a keyword; as the name of a property it stands in an object of schemas, and is no string. An $id
 * moves what names within the document mean, so then nothing is said. */
static bool any_lost_reference(const struct json *root)
{
    size_t parts = 0;
    bool lost = false;
    for (const struct json *at = root; at && parts++ < PARTS_MAX;) {
        bool inside = at != root && json_is(at->parent, JSON_OBJECT);
        if (inside && bytes_equal_string(at->key, "$id") && json_is(at, JSON_STRING))
            return false;
        if (inside && bytes_equal_string(at->key, "$ref") && json_is(at, JSON_STRING))
            lost = lost || is_lost(root, at->text);
        at = json_next(root, at, !(inside && holds_data(at)));
    }
    return lost;
}

void duty_schema_look(struct duty_watch *w, const struct json *schema, struct bytes line)
{
    if (!duty_schema_dialect_known(schema) ||
        (!w->rules && schema_book_new(bytes_of_string(of_schemas), &w->rules, NULL) < 0))
        return;
    const struct json *rules = schema_book_document(w->rules);
    if (schema_check(w->rules, rules, rules, schema) == SCHEMA_REJECTS)
        duty_say(w, 11, "a schema that is not valid", line);
    else if (any_lost_reference(schema))
        duty_say(w, 11, "a schema that refers to a part that it does not have", line);
}
