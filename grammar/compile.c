/* grammar_compile: the order of its steps, and the small ones. After it the tables are never written again.
 */
#include <stdlib.h>

#include "grammar/grammar_internal.h"

/* Nodes with no rule below them. */
static void mark_flat(struct grammar *g)
{
    for (size_t i = 0; i < g->nodes.count; i++) {
        struct node *n = &g->nodes.items[i];
        n->flat = n->kind != NODE_RULE && n->kind != NODE_CALL;
        for (uint32_t k = 0; n->flat && n->kind > NODE_LAST_LEAF && k < n->count; k++)
            n->flat = g->nodes.items[g->kids.items[n->first + k]].flat;
    }
}

/* How many sites a node has: a packed field one for each part, all others one if they choose. */
static uint32_t sites_of(const struct node *n)
{
    switch (n->kind) {
    case NODE_SET:
    case NODE_CHARS:
    case NODE_INT: /* constant ones are texts by now */
    case NODE_FIELD:
    case NODE_CHOICE:
        return 1;
    case NODE_BITS:
        return n->count;
    case NODE_REPEAT:
        return n->u.repeat.min < n->u.repeat.max;
    default:
        return 0;
    }
}

static int number_sites(struct grammar *g, uint32_t first_site, struct error **err)
{
    g->site_end = first_site;
    for (size_t i = 0; i < g->nodes.count; i++) {
        struct node *n = &g->nodes.items[i];
        uint32_t sites = sites_of(n);
        if (sites > UINT32_MAX - g->site_end)
            return error_set(err, ERR_LIMIT, "the grammar has more sites than numbers are left from %u on",
                             first_site);
        n->site = g->site_end;
        g->site_end += sites;
    }
    return 0;
}

/* A reference becomes a copy of the body it refers to, so that deriving never has to follow one. Bodies that
 * are references themselves are followed; that ends, since rules that only need each other were refused. */
static void replace_references(struct grammar *g)
{
    for (size_t i = 0; i < g->nodes.count; i++) {
        struct node *n = &g->nodes.items[i], body = *n;
        uint32_t deeper = 0;
        while (body.kind == NODE_RULE) {
            body = g->nodes.items[g->rules.items[body.target].body];
            deeper += 1 + body.deeper;
        }
        body.deeper = deeper;
        body.referred = n->referred;
        body.cost = n->cost;
        body.place = n->place;
        if (n->kind == NODE_RULE)
            *n = body;
    }
}

/* What needs every node's children first, in the order in which they were settled. */
static int settle(struct grammar *g, uint32_t first_site, struct error **err)
{
    uint32_t *order = NULL;
    size_t count = 0;
    TRY(grammar_find_cheapest(g, &order, &count, err));
    int status = grammar_price(g, order, count, err);
    if (status == 0)
        status = number_sites(g, first_site, err);
    if (status == 0)
        grammar_list_sites(g, first_site, order, count);
    free(order);
    return status;
}

int grammar_compile(struct grammar *g, uint32_t first_site, struct error **err)
{
    if (g->compiled)
        BUG("a grammar compiled twice");
    for (size_t i = 0; i < g->rules.count; i++)
        if (g->rules.items[i].body == NONE)
            BUG("a grammar compiled although reading it failed");
    TRY(grammar_resolve(g, err));
    TRY(grammar_fold(g, err));
    mark_flat(g);
    grammar_bound_functions(g);
    TRY(settle(g, first_site, err));
    grammar_make_levels(g);
    replace_references(g);
    g->compiled = true;
    return 0;
}
