/* replace-alternative: another step, alternative or way of a rule, and what belongs to it drawn anew. */
#include "mutate/tree/tree_internal.h"

/* How many of the site's values are alternatives of each other: that a walk stops is none. */
static uint64_t alternatives(const struct site *site)
{
    switch (site->kind) {
    case SITE_ONE_OF:
    case SITE_OPTIONAL:
    case SITE_DO:
    case SITE_PRODUCE:
    case SITE_ALTERNATIVE:
        return site->choices;
    case SITE_WALK:
        return site->choices - 1;
    default:
        return 0;
    }
}

static bool has_others(const struct tree_edit *e, size_t entry, const struct site *site)
{
    return alternatives(site) > 1 && e->from->items[entry].value < alternatives(site);
}

static bool edit(struct tree_edit *e)
{
    struct site site;
    size_t entry = tree_draw(e, has_others);
    if (entry == SIZE_MAX || !domain_site(e->domain, e->from->items[entry].site, &site))
        return false;
    uint64_t count = alternatives(&site), old = e->from->items[entry].value;
    uint64_t value = (old + 1 + rng_below(e->rng, count - 1)) % count;
    struct buf name;
    buf_init(&name, 1024);
    tree_set(e->from, entry, value, e->to);
    tree_describe_entry(e, entry);
    if (tree_is_value_level(site.kind) || site.kind == SITE_ONE_OF) {
        buf_addf(e->detail, " takes alternative %llu, not %llu", (unsigned long long)value + 1,
                 (unsigned long long)old + 1);
    } else {
        domain_site_value(e->domain, e->from->items[entry].site, value, &name);
        buf_addf(e->detail, " becomes: %s, it was: ", buf_string(&name));
        domain_site_value(e->domain, e->from->items[entry].site, old, &name);
        buf_add(e->detail, buf_bytes(&name));
    }
    buf_release(&name);
    return true;
}

const struct tree_mutator tree_replace_alternative = {
    .name = "replace-alternative",
    .group = "tree",
    .summary = "take another step, alternative or way of a rule",
    .details = "In a one-of, a do, a walk, an optional, or the step that makes a missing handle; or in a "
               "rule of the grammar. What belongs to the new alternative is drawn.",
    .edit = edit,
};
