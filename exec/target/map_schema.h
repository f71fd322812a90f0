/* Reading JSON Schemas as far as the mapping of ops to tools needs them: which types a parameter takes,
 * which values it is limited to, what it is said to be. Schemas come from servers: any shape, depth or
 * loop of $ref is met with limits, never followed outside the document. */
#ifndef EXEC_TARGET_MAP_SCHEMA_H
#define EXEC_TARGET_MAP_SCHEMA_H

#include "base/json.h"

enum schema_type {
    TYPE_STRING = 1, TYPE_INTEGER = 2, TYPE_NUMBER = 4, TYPE_BOOL = 8, TYPE_ARRAY = 16, TYPE_OBJECT = 32,
    TYPE_NULL = 64, TYPE_ANY = 127, TYPE_NUMERIC = TYPE_INTEGER | TYPE_NUMBER
};

/* The schema itself, with a local $ref followed; NULL stays NULL. `root` is the tool's whole inputSchema. */
const struct json *schema_follow(const struct json *root, const struct json *schema);
unsigned schema_types(const struct json *root, const struct json *schema); /* set of enum schema_type */
/* The values it is limited to by enum, const, or alternatives of const; an array, or NULL when it is not. */
const struct json *schema_values(const struct json *root, const struct json *schema, struct arena *a);
const struct json *schema_items(const struct json *root, const struct json *schema); /* of arrays; NULL */
const struct json *schema_properties(const struct json *root,
                                     const struct json *schema); /* object, or NULL */
bool schema_requires(const struct json *schema, struct bytes name);
struct bytes schema_description(const struct json *root, const struct json *schema);

#endif
