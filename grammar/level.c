/* Sixth step of compile: tables that draw an alternative in constant time, whatever the budget leaves room
 * for.
 *
 * Alternatives differ in how much they cost above the cheapest, and there are few such differences in a
 * choice; so for each of them there is a table of those that cost no more. Where that would be too many
 * tables there is only the one of all alternatives, and where costs depend on parameters none: then deriving
 * finds out what fits. */
#include <stdlib.h>

#include "grammar/grammar_internal.h"

enum { SLOTS_OF_CHOICE_MOST = 4096 };

static const struct cost *cost_of(const struct grammar *g, const struct node *n, uint32_t index)
{
    return &g->nodes.items[g->kids.items[n->first + index]].cost;
}

static uint64_t surplus_of(const struct grammar *g, const struct node *n, uint32_t index)
{
    uint64_t bytes = cost_of(g, n, index)->bytes;
    return bytes > n->cost.bytes ? bytes - n->cost.bytes : 0;
}

static bool depends_on_parameters(const struct grammar *g, const struct node *n)
{
    bool depends = n->cost.coefficients != NONE;
    for (uint32_t i = 0; !depends && i < n->count; i++)
        depends = cost_of(g, n, i)->coefficients != NONE;
    return depends;
}

static int compare(const void *a, const void *b)
{
    const uint64_t *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

/* The different surpluses, ascending; returns how many. */
static size_t find_surpluses(const struct grammar *g, const struct node *n, uint64_t *surpluses)
{
    for (uint32_t i = 0; i < n->count; i++)
        surpluses[i] = surplus_of(g, n, i);
    qsort(surpluses, n->count, sizeof *surpluses, compare);
    size_t count = 0;
    for (uint32_t i = 0; i < n->count; i++)
        if (count == 0 || surpluses[count - 1] != surpluses[i])
            surpluses[count++] = surpluses[i];
    return count;
}

static void add_level(struct grammar *g, const struct node *n, uint64_t surplus, double *weights)
{
    for (uint32_t i = 0; i < n->count; i++)
        weights[i] = surplus_of(g, n, i) <= surplus ? g->weights.items[n->u.choice.weights + i] : 0;
    POOL_ADD(g->levels, ((struct level){.surplus = surplus, .slots = (uint32_t)g->slots.count}));
    POOL_ROOM(g->slots, n->count);
    weight_slots_fill(g->slots.items + g->slots.count, weights, n->count);
    g->slots.count += n->count;
}

static void add_levels(struct grammar *g, struct node *n)
{
    n->u.choice.levels = (uint32_t)g->levels.count;
    n->u.choice.level_count = 0;
    if (depends_on_parameters(g, n))
        return;
    uint64_t *surpluses = xmalloc(n->count * sizeof *surpluses);
    double *weights = xmalloc(n->count * sizeof *weights);
    size_t count = find_surpluses(g, n, surpluses);
    size_t first = count > 1 && count * n->count > SLOTS_OF_CHOICE_MOST ? count - 1 : 0;
    for (size_t i = first; i < count; i++)
        add_level(g, n, surpluses[i], weights);
    n->u.choice.level_count = (uint32_t)(count - first);
    free(surpluses);
    free(weights);
}

void grammar_make_levels(struct grammar *g)
{
    POOL_ROOM(g->levels, 1); /* a choice without levels needs an address too */
    for (size_t i = 0; i < g->nodes.count; i++)
        if (g->nodes.items[i].kind == NODE_CHOICE)
            add_levels(g, &g->nodes.items[i]);
}
