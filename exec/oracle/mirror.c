/* Annotations x-mcp-header; see mirror.h. The schema is a server's: nesting is followed for a bounded depth only. */
#include "exec/oracle/mirror.h"

#include <string.h>
#include <strings.h>

#define KEY "x-mcp-header"

struct reading {
    struct arena *arena;
    struct mirror_param *list;
    struct mirror_param at; /* the path so far */
    const char *why;
};

/* A character of a header's name, RFC 9110 section 5.6.2. */
static bool is_token(struct bytes text)
{
    for (size_t i = 0; i < text.len; i++) {
        uint8_t c = text.data[i];
        bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
        if (!letter && (!c || !strchr("!#$%&'*+-.^_`|~", c)))
            return false;
    }
    return text.len > 0;
}

static bool is_primitive(const struct json *type)
{
    struct bytes name = json_as_text(type);
    if (json_is(type, JSON_ARRAY)) {
        for (const struct json *one = type->first; one; one = one->next)
            if (!bytes_equal_string(json_as_text(one), "null") && !is_primitive(one))
                return false;
        return type->first != NULL;
    }
    return !type || bytes_equal_string(name, "string") || bytes_equal_string(name, "integer") ||
           bytes_equal_string(name, "boolean");
}

static void take(struct reading *r, const struct json *schema, const struct json *name)
{
    if (!json_is(name, JSON_STRING) || !is_token(name->text)) {
        r->why = "a name that no header can have";
        return;
    }
    if (!is_primitive(json_get(schema, "type"))) {
        r->why = "on an argument that is no text, integer or boolean";
        return;
    }
    struct mirror_param *p = arena_alloc(r->arena, sizeof *p);
    *p = r->at;
    p->name = arena_string(r->arena, name->text);
    for (const struct mirror_param *other = r->list; other; other = other->next)
        if (strcasecmp(other->name, p->name) == 0)
            r->why = "one name for two arguments";
    p->next = r->list;
    r->list = p;
}

static void walk(struct reading *r, const struct json *schema, bool reachable, unsigned depth);

/* The schemas below one keyword: a map of them, a list, or one. */
static void walk_below(struct reading *r, const struct json *value, bool map, unsigned depth)
{
    if (!map && json_is(value, JSON_OBJECT)) {
        walk(r, value, false, depth + 1);
        return;
    }
    bool many = json_is(value, map ? JSON_OBJECT : JSON_ARRAY);
    for (const struct json *one = many ? value->first : NULL; one; one = one->next)
        walk(r, one, false, depth + 1);
}

static void walk_properties(struct reading *r, const struct json *properties, bool reachable, unsigned depth)
{
    for (const struct json *one = json_is(properties, JSON_OBJECT) ? properties->first : NULL; one; one = one->next) {
        bool fits = reachable && r->at.depth < MIRROR_DEPTH;
        if (fits)
            r->at.path[r->at.depth++] = one->key;
        walk(r, one, fits, depth + 1);
        if (fits)
            r->at.depth--;
    }
}

/* `reachable`: by a chain of `properties` alone. */
static void walk(struct reading *r, const struct json *schema, bool reachable, unsigned depth)
{
    static const struct {
        const char *keyword;
        bool map;
    } rows[] = {{"items", false}, {"prefixItems", false}, {"additionalItems", false}, {"contains", false}, {"allOf", false},
                {"anyOf", false}, {"oneOf", false}, {"not", false}, {"if", false}, {"then", false}, {"else", false},
                {"additionalProperties", false}, {"propertyNames", false}, {"unevaluatedItems", false},
                {"unevaluatedProperties", false}, {"patternProperties", true}, {"dependentSchemas", true}, {"$defs", true},
                {"definitions", true}};
    if (!json_is(schema, JSON_OBJECT) || depth > 2 * MIRROR_DEPTH)
        return;
    const struct json *name = json_get(schema, KEY);
    if (name && reachable && r->at.depth)
        take(r, schema, name);
    else if (name)
        r->why = "on what is not always one argument";
    walk_properties(r, json_get(schema, "properties"), reachable, depth);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        walk_below(r, json_get(schema, rows[i].keyword), rows[i].map, depth);
}

bool mirror_read(const struct json *schema, struct arena *a, struct mirror_param **list, const char **why)
{
    struct reading r = {.arena = a};
    walk(&r, schema, true, 0);
    *list = r.list;
    *why = r.why;
    return !r.why;
}

bool mirror_value(const struct mirror_param *p, const struct json *arguments, struct bytes *text)
{
    const struct json *value = arguments;
    for (size_t i = 0; i < p->depth; i++)
        value = json_is(value, JSON_OBJECT) ? json_get_bytes(value, p->path[i]) : NULL;
    if (json_is(value, JSON_TRUE) || json_is(value, JSON_FALSE))
        *text = bytes_of_string(json_is(value, JSON_TRUE) ? "true" : "false");
    else if (json_is(value, JSON_STRING) || json_is(value, JSON_NUMBER))
        *text = value->text;
    else
        return false;
    return true;
}
