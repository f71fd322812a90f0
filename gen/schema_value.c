/* Drawing one value: what holds for it, which type it gets, and whether it comes out of an enum, a default,
 * or is made.
 *
 * It calls itself through objects and arrays, never deeper than DEPTH_MAX. Each value is tried a few times
 * until what holds for it accepts it; an attempt that did not do leaves no trace in the log. */
#include <string.h>

#include "gen/schema_internal.h"

enum {
    TRIES_WHOLE = 12,
    TRIES_PLAIN = 6,
    TRIES_HOLDING = 3,
    GIVEN_ONE_IN = 4,
    GIVEN_MAX = 16,
    VALUES_MAX = 256
};

static struct json *of_type(struct drawing *d, const struct schema_view *v, unsigned type, struct bytes name)
{
    switch (type) {
    case VALUE_NULL:
        return json_new(d->a, JSON_NULL);
    case VALUE_BOOL:
        return json_bool(d->a, draw_below(d, v->count ? v->conjuncts[0] : NULL, ROLE_TYPE, 2));
    case VALUE_INTEGER:
    case VALUE_NUMBER:
        return draw_number(d, v, type == VALUE_INTEGER, name);
    case VALUE_ARRAY:
        return draw_array(d, v, name);
    case VALUE_OBJECT:
        return draw_object(d, v);
    default:
        return draw_string(d, v, name);
    }
}

static unsigned choose_type(struct drawing *d, const struct schema_view *v)
{
    static const unsigned kinds[] = {VALUE_STRING, VALUE_NUMBER, VALUE_INTEGER, VALUE_BOOL,
                                     VALUE_OBJECT, VALUE_ARRAY,  VALUE_NULL};
    unsigned types = v->types & v->hinted ? v->types & v->hinted : v->types;
    double weights[sizeof kinds / sizeof *kinds], total = 0;
    bool any = types == VALUE_ANY;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        bool holds = kinds[i] & (VALUE_OBJECT | VALUE_ARRAY);
        double weight = kinds[i] == VALUE_NULL || (any && kinds[i] != VALUE_STRING) ? 0.2 : 1;
        if (kinds[i] == VALUE_INTEGER && types & VALUE_NUMBER)
            weight = 0; /* numbers are integers often enough */
        weights[i] = !(types & kinds[i]) ? 0 : holds && draw_is_full(d) ? 0.001 : weight;
        total += weights[i];
    }
    if (!(total > 0))
        return VALUE_STRING;
    return kinds[chooser_weighted(d->c, schema_site(v->count ? v->conjuncts[0] : NULL, ROLE_TYPE), weights,
                                  sizeof kinds / sizeof *kinds)];
}

/* One of the values that an enum or const leaves; NULL when there is no such keyword, with *none when nothing
 * is left. */
static struct json *of_values(struct drawing *d, const struct schema_view *v, bool *none)
{
    const struct json *left[VALUES_MAX];
    size_t count = 0, spent = 0;
    *none = false;
    if (v->constant)
        return json_copy(d->a, v->constant);
    if (!v->values)
        return NULL;
    for (const struct json *one = v->values->first; one && count < VALUES_MAX; one = one->next)
        if (schema_view_check(d, v, one, &spent) != SCHEMA_REJECTS)
            left[count++] = one;
    d->work += spent;
    d->effort += spent;
    *none = count == 0;
    if (!count)
        return NULL;
    uint64_t last = d->boundary && count > 2 ? draw_below(d, v->values, ROLE_ENUM, 2) * (count - 1)
                                             : draw_below(d, v->values, ROLE_ENUM, count);
    return json_copy(d->a, left[last]);
}

/* A default or an example, now and then. */
static struct json *of_given(struct drawing *d, const struct schema_view *v, struct bytes name)
{
    const struct json *given[GIVEN_MAX];
    size_t count = 0;
    if (d->boundary || schema_takes_time(name))
        return NULL;
    for (size_t i = 0; i < v->count; i++) {
        const struct json *fallback = json_get(v->conjuncts[i], "default"),
                          *examples = json_get(v->conjuncts[i], "examples");
        if (fallback && count < GIVEN_MAX)
            given[count++] = fallback;
        for (const struct json *one = json_is(examples, JSON_ARRAY) ? examples->first : NULL;
             one && count < GIVEN_MAX; one = one->next)
            given[count++] = one;
    }
    if (!count || draw_below(d, v->conjuncts[0], ROLE_GIVEN, GIVEN_ONE_IN))
        return NULL;
    const struct json *one = given[draw_below(d, v->conjuncts[0], ROLE_GIVEN, count)];
    size_t spent = 0;
    bool fine = schema_view_check(d, v, one, &spent) == SCHEMA_ACCEPTS;
    d->work += spent;
    d->effort += spent;
    return fine ? json_copy(d->a, one) : NULL;
}

static void note_place(struct drawing *d, const struct schema_view *v, struct json *value, struct bytes name)
{
    if (d->place_count == PLACES_MAX)
        return;
    bool held = v->values || v->constant || v->pattern || v->format.len;
    d->places[d->place_count++] = (struct schema_place){
        .value = value, .name = name, .view = v, .free_text = json_is(value, JSON_STRING) && !held};
}

/* Nothing satisfies the schema: the name decides. */
static struct json *contradicted(struct drawing *d, struct schema_view *v, struct bytes name)
{
    static const struct json nothing = {.kind = JSON_OBJECT};
    struct schema_view bare = {.conjuncts = {v->count ? v->conjuncts[0] : &nothing},
                               .count = 1,
                               .max_length = UINT64_MAX,
                               .description = v->description};
    d->contradicted = true;
    return draw_string(d, &bare, name);
}

static bool impossible(const struct schema_view *v)
{
    return !v->types || v->low > v->high || v->min_length > v->max_length || v->min_items > v->max_items ||
           v->min_members > v->max_members;
}

static struct json *one_attempt(struct drawing *d, const struct seeds *seeds, struct bytes name,
                                struct schema_view *v)
{
    bool none;
    schema_view_make(d, seeds, v);
    if (impossible(v))
        return contradicted(d, v, name);
    struct json *value = of_values(d, v, &none);
    if (none)
        return contradicted(d, v, name);
    if (!value)
        value = of_given(d, v, name);
    return value ? value : of_type(d, v, choose_type(d, v), name);
}

/* Is this attempt the one to keep? */
static bool keep(struct drawing *d, const struct json *schema, const struct schema_view *v,
                 const struct json *value, int tries)
{
    bool holds = json_is(value, JSON_OBJECT) || json_is(value, JSON_ARRAY);
    int most = d->depth == 1 ? TRIES_WHOLE : holds ? TRIES_HOLDING : TRIES_PLAIN;
    if (d->contradicted || attempt_was_settled(d, schema))
        return true;
    if (d->effort < WORK_TOTAL && schema_view_check(d, v, value, &d->effort) != SCHEMA_REJECTS)
        return true;
    if (tries < most && d->effort < WORK_TOTAL)
        return false;
    attempt_settle(d, schema);
    return true;
}

struct json *draw_value(struct drawing *d, const struct seeds *seeds, struct bytes name)
{
    static const double one = 1;
    struct schema_view *v = arena_alloc(d->a, sizeof *v);
    struct json *value = NULL;
    size_t handle;
    d->nodes++;
    d->depth++;
    const struct json *schema = seeds->count ? seeds->items[0] : NULL;
    chooser_open_weighted(d->c, schema_site(schema, ROLE_VALUE), &one, 1, &handle);
    for (int tries = 1;; tries++) {
        struct attempt begin = attempt_begin(d);
        value = one_attempt(d, seeds, name, v);
        if (keep(d, schema, v, value, tries))
            break;
        attempt_undo(d, &begin);
    }
    note_place(d, v, value, name);
    chooser_close(d->c, handle);
    d->depth--;
    return value;
}
