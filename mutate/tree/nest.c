/* Which subtrees can take each other's place, and pairs of them of which one stands within the other.
 *
 * A step is done at a site of its own wherever a template asks for it, but what stands below depends on the
 * step alone. So steps are compared by name. */
#include <stdlib.h>

#include "mutate/tree/tree_nest.h"

static bool does_step(const struct site *site, uint64_t value)
{
    return site->kind == SITE_DO || site->kind == SITE_PRODUCE ||
           (site->kind == SITE_WALK && value != tree_stop_value(site));
}

/* The value with which a site does the step of that name. */
static bool find_step(const struct domain *d, uint32_t number, const struct site *site, struct bytes name,
                      uint64_t *value)
{
    struct buf other;
    bool found = false;
    buf_init(&other, 1024);
    uint64_t count = site->kind == SITE_WALK ? site->choices - 1 : site->choices;
    for (uint64_t i = 0; i < count && !found; i++) {
        domain_site_value(d, number, i, &other);
        found = bytes_equal(buf_bytes(&other), name);
        *value = i;
    }
    buf_release(&other);
    return found;
}

bool tree_can_take(const struct domain *d, const struct derivation *log, size_t taker, size_t giver,
                   uint64_t *value)
{
    const struct choice *t = &log->items[taker], *g = &log->items[giver];
    struct site taking, giving;
    if (!domain_site(d, t->site, &taking) || !domain_site(d, g->site, &giving) || !site_opens(giving.kind))
        return false;
    *value = g->value;
    if (t->site == g->site)
        return true;
    if (!does_step(&taking, t->value) || !does_step(&giving, g->value))
        return false;
    struct buf name;
    buf_init(&name, 1024);
    domain_site_value(d, g->site, g->value, &name);
    bool found = find_step(d, t->site, &taking, buf_bytes(&name), value);
    buf_release(&name);
    return found;
}

void tree_give(const struct derivation *log, size_t taker, uint64_t value, const struct derivation *from,
               size_t giver, struct derivation *to)
{
    tree_replace(log, taker, taker + 1, tree_end(log, taker), from, giver + 1, tree_end(from, giver), to);
    to->items[taker].value = value;
}

bool tree_draw_nested(const struct tree_edit *e, bool outer_takes, struct tree_nested *nested)
{
    struct tree_pick pick;
    size_t *parents = tree_parents(e->from);
    tree_pick_init(&pick, e->rng);
    for (size_t i = 1; i < e->from->count; i++)
        for (size_t up = parents[i]; up != SIZE_MAX && up > 0; up = parents[up]) {
            struct site site;
            uint64_t value;
            size_t taker = outer_takes ? up : i, giver = outer_takes ? i : up;
            if (tree_can_take(e->domain, e->from, taker, giver, &value) &&
                domain_site(e->domain, e->from->items[i].site, &site))
                tree_offer(&pick, site.kind, up, i);
        }
    free(parents);
    if (!tree_pick_take(&pick, &nested->outer, &nested->inner))
        return false;
    size_t taker = outer_takes ? nested->outer : nested->inner,
           giver = outer_takes ? nested->inner : nested->outer;
    return tree_can_take(e->domain, e->from, taker, giver, &nested->value);
}
