/* splice: a subtree is replaced by another one of the same site, of the donor or of the task itself. */
#include <stdlib.h>

#include "base/error.h"
#include "mutate/tree/tree_internal.h"

static const double own_share = 0.25; /* of splices, when there is a donor */

/* Which sites the donor has, by number. */
static bool *sites_of(const struct domain *domain, const struct derivation *donor)
{
    uint32_t end = domain_site_end(domain);
    bool *has = xcalloc((size_t)end + 1, sizeof *has);
    for (size_t i = 1; i < donor->count; i++)
        if (donor->items[i].site < end)
            has[donor->items[i].site] = true;
    return has;
}

/* One of the donor's subtrees of that site that is another one than the entry's; SIZE_MAX: there is none. */
static size_t draw_donated(const struct tree_edit *e, const struct derivation *donor, size_t entry)
{
    uint64_t seen = 0;
    size_t chosen = SIZE_MAX;
    for (size_t i = 1; i < donor->count; i++)
        if (donor->items[i].site == e->from->items[entry].site && !tree_same(e->from, entry, donor, i) &&
            rng_below(e->rng, ++seen) == 0)
            chosen = i;
    return chosen;
}

static bool splice_from(struct tree_edit *e, const struct derivation *donor)
{
    struct tree_pick pick;
    size_t entry, donated, none;
    bool *has = sites_of(e->domain, donor);
    tree_pick_init(&pick, e->rng);
    for (size_t i = 1; i < e->from->count; i++) {
        struct site site;
        if (domain_site(e->domain, e->from->items[i].site, &site) && site_opens(site.kind) &&
            has[e->from->items[i].site])
            tree_offer(&pick, site.kind, i, 0);
    }
    free(has);
    if (!tree_pick_take(&pick, &entry, &none) || (donated = draw_donated(e, donor, entry)) == SIZE_MAX)
        return false;
    tree_replace(e->from, tree_parent(e->from, entry), entry, tree_end(e->from, entry), donor, donated,
                 tree_end(donor, donated), e->to);
    tree_describe_entry(e, entry);
    buf_addf(e->detail, " taken from %s", donor == e->from ? "elsewhere in the task" : "another task");
    return true;
}

static bool edit(struct tree_edit *e)
{
    bool own = !e->donor || rng_chance(e->rng, own_share);
    return splice_from(e, own ? e->from : e->donor);
}

const struct tree_mutator tree_splice = {
    .name = "splice",
    .group = "tree",
    .summary = "put a part of another task, or of another place, where the same choice is made",
    .details = "A subtree gives way to another one of the same place in the template. Three of four come "
               "from another task of the domain, if there is one.",
    .needs_donor = true,
    .edit = edit,
};
