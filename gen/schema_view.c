/* What holds for one value: a schema, what it refers to, its allOf, and the branches that were chosen of its
 * anyOf, oneOf and if, as one list of conjuncts; and what they ask for together.
 *
 * The list is worked off in order while it grows, so nothing here recurses, and a schema that is on it
 * already is not added again, so references may go in circles. */
#include <math.h>
#include <string.h>

#include "gen/schema_internal.h"

enum { BRANCHES_MAX = 64, ANCHOR_STEPS = 10000, MEMBERS_A_STEP = 4, PATTERNS_TRIED = 32 };

static const struct {
    const char *name;
    unsigned types;
} type_names[] = {
    {"string", VALUE_STRING}, {"integer", VALUE_INTEGER}, {"number", VALUE_NUMBER | VALUE_INTEGER},
    {"boolean", VALUE_BOOL},  {"array", VALUE_ARRAY},     {"object", VALUE_OBJECT},
    {"null", VALUE_NULL},
};

static unsigned one_named_type(const struct json *name)
{
    for (size_t i = 0; i < sizeof type_names / sizeof *type_names; i++)
        if (json_is(name, JSON_STRING) && bytes_equal_string(name->text, type_names[i].name))
            return type_names[i].types;
    return 0;
}

unsigned schema_named_types(const struct json *type)
{
    unsigned types = one_named_type(type);
    for (const struct json *one = json_is(type, JSON_ARRAY) ? type->first : NULL; one; one = one->next)
        types |= one_named_type(one);
    return types;
}

unsigned schema_type_of(const struct json *value)
{
    static const unsigned types[] = {
        [JSON_NULL] = VALUE_NULL,     [JSON_FALSE] = VALUE_BOOL,    [JSON_TRUE] = VALUE_BOOL,
        [JSON_NUMBER] = VALUE_NUMBER, [JSON_STRING] = VALUE_STRING, [JSON_ARRAY] = VALUE_ARRAY,
        [JSON_OBJECT] = VALUE_OBJECT, [JSON_RAW] = VALUE_ANY,
    };
    double number;
    if (json_is(value, JSON_NUMBER) && json_as_real(value, &number) && floor(number) == number)
        return VALUE_INTEGER;
    return types[value->kind];
}

/* --- references --- */

static const struct json *find_anchor(const struct json *root, struct bytes name)
{
    size_t steps = 0;
    for (const struct json *node = root; node && steps < ANCHOR_STEPS; steps++) {
        bool is_anchor = bytes_equal_string(node->key, "$anchor") ||
                         bytes_equal_string(node->key, "$dynamicAnchor");
        if (is_anchor && json_is(node, JSON_STRING) && bytes_equal(node->text, name))
            return node->parent;
        node = json_next(root, node, true);
    }
    return NULL;
}

const struct json *schema_follow_ref(const struct json *root, const struct json *ref)
{
    ptrdiff_t hash = bytes_find(ref->text, BYTES_LITERAL("#"), 0);
    struct bytes own = json_as_text(json_get(root, "$id"));
    size_t document = hash < 0 ? ref->text.len : (size_t)hash;
    if (document && !bytes_equal(bytes_slice(ref->text, 0, document), own))
        return NULL; /* another document: never fetched */
    struct bytes part = hash < 0 ? BYTES_NONE : bytes_slice(ref->text, (size_t)hash + 1, ref->text.len);
    if (!part.len || part.data[0] == '/')
        return json_pointer(root, part);
    return find_anchor(root, part);
}

/* --- collecting --- */

void seeds_add(struct seeds *s, const struct json *schema)
{
    if (json_is(schema, JSON_FALSE))
        s->forbidden = true;
    else if (json_is(schema, JSON_OBJECT) && s->count < CONJUNCTS_MAX)
        s->items[s->count++] = schema;
}

static void take(struct schema_view *v, const struct json *schema)
{
    if (json_is(schema, JSON_FALSE))
        v->types = 0;
    if (!json_is(schema, JSON_OBJECT) || v->count == CONJUNCTS_MAX)
        return;
    for (size_t i = 0; i < v->count; i++)
        if (v->conjuncts[i] == schema)
            return;
    v->conjuncts[v->count++] = schema;
}

/* How welcome a branch is: a value that is deep already wants one that ends. */
static double branch_weight(const struct drawing *d, const struct schema_view *v, const struct json *branch)
{
    if (json_is(branch, JSON_FALSE))
        return 0;
    const struct json *type = json_get(branch, "type");
    unsigned types = type ? schema_named_types(type) : VALUE_ANY;
    if (!(types & v->types))
        return 0.001;
    bool holds = json_get(branch, "$ref") || json_get(branch, "properties") || json_get(branch, "items") ||
                 !(types & ~(unsigned)(VALUE_ARRAY | VALUE_OBJECT));
    if (types == VALUE_NULL)
        return draw_is_full(d) ? 1 : 0.3;
    return holds && draw_is_full(d) ? 0.01 : 1;
}

static void choose_branch(struct drawing *d, struct schema_view *v, const struct json *list)
{
    double weights[BRANCHES_MAX], total = 0;
    const struct json *branches[BRANCHES_MAX];
    size_t count = 0;
    for (const struct json *one = json_is(list, JSON_ARRAY) ? list->first : NULL; one && count < BRANCHES_MAX;
         one = one->next) {
        branches[count] = one;
        weights[count] = branch_weight(d, v, one);
        total += weights[count++];
    }
    if (!count)
        return;
    if (!(total > 0)) {
        v->types = 0;
        return;
    }
    take(v, branches[chooser_weighted(d->c, schema_site(list, ROLE_BRANCH), weights, count)]);
}

/* Either the condition and what then holds, or what else holds; whether the condition really fails then is
 * the check's. */
static void choose_if(struct drawing *d, struct schema_view *v, const struct json *schema,
                      const struct json *condition)
{
    if (draw_below(d, condition, ROLE_IF, 2) == 0) {
        take(v, condition);
        take(v, json_get(schema, "then"));
    } else {
        take(v, json_get(schema, "else"));
    }
}

/* --- keywords --- */

static void at_least(uint64_t *bound, const struct json *value)
{
    double number;
    if (json_as_real(value, &number) && number > 0 && number < 1e18 && (uint64_t)number > *bound)
        *bound = (uint64_t)number;
}

static void at_most(uint64_t *bound, const struct json *value)
{
    double number;
    if (json_as_real(value, &number) && number >= 0 && number < 1e18 && (uint64_t)number < *bound)
        *bound = (uint64_t)number;
}

static void raise_low(struct schema_view *v, const struct json *value, bool open)
{
    double number;
    if (!json_as_real(value, &number) || number < v->low || (number == v->low && !open))
        return;
    v->low = number;
    v->low_open = open;
}

static void lower_high(struct schema_view *v, const struct json *value, bool open)
{
    double number;
    if (!json_as_real(value, &number) || number > v->high || (number == v->high && !open))
        return;
    v->high = number;
    v->high_open = open;
}

/* Draft 4 says whether a bound is exclusive, later ones give the bound. */
static void read_bounds(struct schema_view *v, const struct json *s)
{
    const struct json *low = json_get(s, "exclusiveMinimum"), *high = json_get(s, "exclusiveMaximum");
    raise_low(v, json_get(s, "minimum"), json_is(low, JSON_TRUE));
    lower_high(v, json_get(s, "maximum"), json_is(high, JSON_TRUE));
    raise_low(v, low, true);
    lower_high(v, high, true);
}

/* Not a type, not required: those can be obeyed; whatever else not says is the check's. */
static void read_not(struct schema_view *v, const struct json *denied)
{
    if (json_is(denied, JSON_OBJECT) && denied->count == 1 && json_get(denied, "type"))
        v->types &= ~schema_named_types(json_get(denied, "type"));
    if (json_is(denied, JSON_TRUE) || (json_is(denied, JSON_OBJECT) && !denied->count))
        v->types = 0;
}

static void read_text(struct bytes *out, const struct json *value)
{
    if (json_is(value, JSON_STRING) && !out->len)
        *out = value->text;
}

static const struct {
    const char *name;
    unsigned types;
} hints[] = {
    {"properties", VALUE_OBJECT}, {"required", VALUE_OBJECT},         {"additionalProperties", VALUE_OBJECT},
    {"items", VALUE_ARRAY},       {"prefixItems", VALUE_ARRAY},       {"minItems", VALUE_ARRAY},
    {"pattern", VALUE_STRING},    {"format", VALUE_STRING},           {"minLength", VALUE_STRING},
    {"maxLength", VALUE_STRING},  {"minimum", VALUE_NUMBER},          {"maximum", VALUE_NUMBER},
    {"multipleOf", VALUE_NUMBER}, {"exclusiveMinimum", VALUE_NUMBER},
};

static void read_keywords(struct schema_view *v, const struct json *s)
{
    const struct json *type = json_get(s, "type"), *values = json_get(s, "enum");
    if (type)
        v->types &= schema_named_types(type) |
                    (json_is(type, JSON_STRING) || json_is(type, JSON_ARRAY) ? 0 : VALUE_ANY);
    if (json_is(values, JSON_ARRAY) && (!v->values || values->count < v->values->count))
        v->values = values;
    if (json_get(s, "const"))
        v->constant = json_get(s, "const");
    read_bounds(v, s);
    if (json_get(s, "multipleOf"))
        v->multiple = json_get(s, "multipleOf");
    at_least(&v->min_length, json_get(s, "minLength"));
    at_most(&v->max_length, json_get(s, "maxLength"));
    at_least(&v->min_items, json_get(s, "minItems"));
    at_most(&v->max_items, json_get(s, "maxItems"));
    at_least(&v->min_members, json_get(s, "minProperties"));
    at_most(&v->max_members, json_get(s, "maxProperties"));
    v->unique |= json_is(json_get(s, "uniqueItems"), JSON_TRUE);
    if (json_is(json_get(s, "pattern"), JSON_STRING))
        v->pattern = json_get(s, "pattern");
    v->contains = json_get(s, "contains") ? json_get(s, "contains") : v->contains;
    v->names = json_get(s, "propertyNames") ? json_get(s, "propertyNames") : v->names;
    read_text(&v->format, json_get(s, "format"));
    read_text(&v->description, json_get(s, "description"));
    read_text(&v->description, json_get(s, "title"));
    read_not(v, json_get(s, "not"));
    for (size_t i = 0; i < sizeof hints / sizeof *hints; i++)
        v->hinted |= json_get(s, hints[i].name) ? hints[i].types : 0;
}

void schema_view_make(struct drawing *d, const struct seeds *seeds, struct schema_view *v)
{
    *v = (struct schema_view){.types = seeds->forbidden ? 0 : VALUE_ANY,
                              .low = -INFINITY,
                              .high = INFINITY,
                              .max_length = UINT64_MAX,
                              .max_items = UINT64_MAX,
                              .max_members = UINT64_MAX};
    for (size_t i = 0; i < seeds->count; i++)
        take(v, seeds->items[i]);
    for (size_t i = 0; i < v->count; i++) {
        const struct json *s = v->conjuncts[i], *ref = json_get(s, "$ref"), *all = json_get(s, "allOf");
        read_keywords(v, s);
        d->work += VIEW_WORK + s->count / MEMBERS_A_STEP;
        d->effort += VIEW_WORK + s->count / MEMBERS_A_STEP;
        if (!ref)
            ref = json_get(s, "$dynamicRef");
        if (json_is(ref, JSON_STRING))
            take(v, schema_follow_ref(d->root, ref));
        for (const struct json *one = json_is(all, JSON_ARRAY) ? all->first : NULL; one; one = one->next)
            take(v, one);
        choose_branch(d, v, json_get(s, "anyOf"));
        choose_branch(d, v, json_get(s, "oneOf"));
        if (json_get(s, "if"))
            choose_if(d, v, s, json_get(s, "if"));
    }
    if (v->types & VALUE_NUMBER)
        v->types |= VALUE_INTEGER;
}

/* --- what is below --- */

static void member_of(const struct schema_book *book, const struct json *s, struct bytes name,
                      struct seeds *out)
{
    const struct json *own = json_get_bytes(json_get(s, "properties"), name),
                      *patterns = json_get(s, "patternProperties");
    bool found = own != NULL;
    if (own)
        seeds_add(out, own);
    size_t tried = 0;
    for (const struct json *one = json_is(patterns, JSON_OBJECT) ? patterns->first : NULL;
         one && tried++ < PATTERNS_TRIED; one = one->next)
        if (schema_pattern_matches(book, one->key, name) == SCHEMA_ACCEPTS) {
            seeds_add(out, one);
            found = true;
        }
    if (!found)
        seeds_add(out, json_get(s, "additionalProperties"));
}

void schema_view_member(const struct schema_book *book, const struct schema_view *v, struct bytes name,
                        struct seeds *out)
{
    *out = (struct seeds){0};
    for (size_t i = 0; i < v->count; i++)
        member_of(book, v->conjuncts[i], name, out);
}

void schema_view_item(const struct schema_view *v, size_t index, struct seeds *out)
{
    *out = (struct seeds){0};
    for (size_t i = 0; i < v->count; i++) {
        const struct json *s = v->conjuncts[i], *items = json_get(s, "items"),
                          *prefix = json_get(s, "prefixItems");
        if (json_is(items, JSON_ARRAY)) { /* as older drafts have it */
            prefix = items;
            items = json_get(s, "additionalItems");
        }
        const struct json *own = json_is(prefix, JSON_ARRAY) ? json_at(prefix, index) : NULL;
        seeds_add(out, own ? own : items);
    }
}

static size_t add_name(struct bytes *out, size_t count, struct bytes name)
{
    for (size_t i = 0; i < count; i++)
        if (bytes_equal(out[i], name))
            return count;
    if (count < NAMES_MAX)
        out[count++] = name;
    return count;
}

size_t schema_view_names(const struct schema_view *v, struct bytes *out)
{
    size_t count = 0;
    for (size_t i = 0; i < v->count; i++) {
        const struct json *required = json_get(v->conjuncts[i], "required");
        for (const struct json *one = json_is(required, JSON_ARRAY) ? required->first : NULL;
             one && count < NAMES_MAX; one = one->next)
            if (json_is(one, JSON_STRING))
                count = add_name(out, count, one->text);
    }
    for (size_t i = 0; i < v->count; i++) {
        const struct json *properties = json_get(v->conjuncts[i], "properties");
        for (const struct json *one = json_is(properties, JSON_OBJECT) ? properties->first : NULL;
             one && count < NAMES_MAX; one = one->next)
            count = add_name(out, count, one->key);
    }
    return count;
}

bool schema_view_requires(const struct schema_view *v, struct bytes name)
{
    for (size_t i = 0; i < v->count; i++) {
        const struct json *required = json_get(v->conjuncts[i], "required");
        for (const struct json *one = json_is(required, JSON_ARRAY) ? required->first : NULL; one;
             one = one->next)
            if (json_is(one, JSON_STRING) && bytes_equal(one->text, name))
                return true;
    }
    return false;
}

enum schema_verdict schema_view_check(const struct drawing *d, const struct schema_view *v,
                                      const struct json *value, size_t *spent)
{
    enum schema_verdict verdict = SCHEMA_ACCEPTS;
    for (size_t i = 0; i < v->count && verdict != SCHEMA_REJECTS; i++) {
        size_t left = WORK_JUDGE;
        enum schema_verdict one = schema_judge(d->book, d->root, v->conjuncts[i], value, &left);
        *spent += WORK_JUDGE - left;
        verdict = one == SCHEMA_ACCEPTS ? verdict : one;
    }
    return verdict;
}
