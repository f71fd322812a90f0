/* regenerate: what stands below an entry, or the value of a leaf of the plan, is drawn anew. */
#include "mutate/tree/tree_internal.h"

static bool has_content(const struct tree_edit *e, size_t entry, const struct site *site)
{
    if (site_opens(site->kind))
        return tree_end(e->from, entry) > entry + 1;
    return site->kind == SITE_VALUE || site->kind == SITE_SWARM || site->kind == SITE_NUMBER;
}

static bool edit(struct tree_edit *e)
{
    struct site site;
    size_t entry = tree_draw(e, has_content);
    if (entry == SIZE_MAX || !domain_site(e->domain, e->from->items[entry].site, &site))
        return false;
    uint64_t value = e->from->items[entry].value;
    if (!site_opens(site.kind))
        value = site.choices ? rng_below(e->rng, site.choices) : rng_next(e->rng);
    tree_set(e->from, entry, value, e->to);
    tree_describe_entry(e, entry);
    buf_add_string(e->detail, " drawn anew");
    return true;
}

const struct tree_mutator tree_regenerate = {
    .name = "regenerate",
    .group = "tree",
    .summary = "draw a part of the plan or of a text anew",
    .details = "The alternatives stay; what was chosen below them is drawn again. A number, the seed of a "
               "content or the subset of steps that a task draws from is drawn again too.",
    .edit = edit,
};
