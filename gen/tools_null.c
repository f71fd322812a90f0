/* One call three times: an optional argument left out, null, left out again. Only where the schema does not allow null, which would
 * then have a meaning of its own. */
#include "gen/tools_internal.h"

static bool is_required(const struct json *schema, struct bytes name)
{
    const struct json *required = json_get(schema, "required");
    for (const struct json *one = json_is(required, JSON_ARRAY) ? required->first : NULL; one; one = one->next)
        if (json_is(one, JSON_STRING) && bytes_equal(one->text, name))
            return true;
    return false;
}

/* May be left out, and may not be null. */
static bool is_optional(const struct toolset *t, const struct tool *tool, const struct json *property)
{
    static const struct json null = {.kind = JSON_NULL};
    return !is_required(tool->input, property->key) &&
           schema_check(t->book, tool->input, property, &null) == SCHEMA_REJECTS;
}

static const struct json *properties_of(const struct tool *tool)
{
    const struct json *properties = json_get(tool->input, "properties");
    return json_is(properties, JSON_OBJECT) ? properties->first : NULL;
}

static size_t count_optional(const struct toolset *t, const struct tool *tool)
{
    size_t count = 0;
    for (const struct json *one = properties_of(tool); one; one = one->next)
        count += is_optional(t, tool, one);
    return count;
}

static const struct json *nth_optional(const struct toolset *t, const struct tool *tool, uint64_t n)
{
    for (const struct json *one = properties_of(tool); one; one = one->next)
        if (is_optional(t, tool, one) && n-- == 0)
            return one;
    return NULL;
}

/* A tool with an optional argument, rather a calm one, since what changes things seldom says the same twice; NULL: there is
 * none. */
static const struct tool *choose(struct making *m)
{
    const struct toolset *t = m->tools;
    double *weights = arena_alloc(&m->scratch, t->count * sizeof *weights);
    bool any = false;
    for (size_t i = 0; i < t->count; i++) {
        weights[i] = count_optional(t, &t->items[i]) ? (t->items[i].calm ? 8 : 1) : 0;
        any = any || weights[i] > 0;
    }
    return any ? &t->items[chooser_weighted(&m->chooser, SITE_TOOL, weights, t->count)] : NULL;
}

bool tools_add_null(struct making *m, struct buf *said)
{
    const struct tool *tool = choose(m);
    if (!tool)
        return false;
    uint64_t which = chooser_uniform(&m->chooser, SITE_WHICH, count_optional(m->tools, tool));
    const struct json *property = nth_optional(m->tools, tool, which);
    struct arena *a = &m->task->arena;
    struct schema_value without, with;
    schema_draw(m->tools->book, tool->input, SCHEMA_VALID, &m->chooser, a, &without);
    if (!json_is(without.value, JSON_OBJECT))
        return false;
    struct json *given = json_get_bytes(without.value, property->key);
    if (given)
        json_remove(without.value, given);
    without.place_count = 0; /* what is in them may be gone */
    with = without;
    with.value = json_copy(a, without.value);
    json_set_bytes(a, with.value, property->key, json_new(a, JSON_NULL));
    with.kind = SCHEMA_INVALID;
    with.violation = "null";
    with.at = arena_printf(a, "/%.*s", BYTES_ARG(property->key));
    struct schema_value again = without;
    again.value = json_copy(a, without.value);
    return tools_add_step(m, tool, &without, false, said) && tools_add_step(m, tool, &with, false, said) &&
           tools_add_step(m, tool, &again, false, said);
}
