/* Arrays: as many items as the bounds allow, few of them as a rule; at a boundary the fewest or the most. */
#include "gen/schema_internal.h"

enum { USUAL_MORE = 3, BOUNDARY_MOST = 256, UNIQUE_TRIES = 12 };

static bool is_new(const struct json *array, const struct json *item)
{
    for (const struct json *one = array->first; one; one = one->next)
        if (json_equal(one, item))
            return false;
    return true;
}

/* How many prefixItems there are beyond which nothing may follow; UINT64_MAX: any number may. */
static uint64_t closed_at(const struct schema_view *v)
{
    struct seeds seeds;
    for (size_t i = 0; i <= CONJUNCTS_MAX; i++) {
        schema_view_item(v, i, &seeds);
        if (seeds.forbidden)
            return i;
    }
    return UINT64_MAX;
}

static uint64_t prefix_length(const struct schema_view *v)
{
    uint64_t most = 0;
    for (size_t i = 0; i < v->count; i++) {
        const struct json *prefix = json_get(v->conjuncts[i], "prefixItems");
        if (json_is(prefix, JSON_ARRAY) && prefix->count > most)
            most = prefix->count;
    }
    return most;
}

static uint64_t how_many(struct drawing *d, const struct schema_view *v)
{
    const struct json *schema = v->count ? v->conjuncts[0] : NULL;
    uint64_t least = v->min_items, most = v->max_items, closed = closed_at(v), usual = least + USUAL_MORE;
    if (v->contains && least == 0)
        least = 1;
    most = closed < most ? closed : most;
    if (draw_is_full(d) || most <= least)
        return least;
    if (d->boundary) {
        uint64_t end = most < BOUNDARY_MOST ? most : least + USUAL_MORE;
        return draw_below(d, schema, ROLE_COUNT, 2) ? end : least;
    }
    if (prefix_length(v) > usual)
        usual = prefix_length(v);
    return least + draw_below(d, schema, ROLE_COUNT, (usual < most ? usual : most) - least + 1);
}

static bool add_item(struct drawing *d, const struct schema_view *v, struct json *array, struct bytes name)
{
    const struct json *array_schema = v->count ? v->conjuncts[0] : NULL;
    if (attempt_was_settled(d, array_schema))
        return false;
    for (int tries = 0; tries < UNIQUE_TRIES && (tries == 0 || d->effort < WORK_TOTAL); tries++) {
        struct seeds seeds;
        struct attempt begin = attempt_begin(d);
        schema_view_item(v, array->count, &seeds);
        if (v->contains && array->count == 0)
            seeds_add(&seeds, v->contains);
        struct json *item = draw_value(d, &seeds, name);
        if (!v->unique || is_new(array, item)) {
            json_add(array, item);
            return true;
        }
        attempt_undo(d, &begin);
    }
    attempt_settle(d, array_schema);
    return false;
}

struct json *draw_array(struct drawing *d, const struct schema_view *v, struct bytes name)
{
    struct json *array = json_new(d->a, JSON_ARRAY);
    if (draw_is_spent(d)) {
        d->contradicted = d->contradicted || v->min_items;
        return array;
    }
    for (uint64_t left = how_many(d, v); left > 0 && !draw_is_spent(d); left--)
        if (!add_item(d, v, array, name))
            break;
    return array;
}
