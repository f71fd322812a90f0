/* Drawing what to edit, and saying what it is. */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "mutate/tree/tree_internal.h"

static const double plan_share = 0.6; /* of draws, when both levels have something */

bool tree_is_value_level(enum site_kind kind)
{
    return kind >= SITE_ALTERNATIVE;
}

void tree_pick_init(struct tree_pick *p, struct rng *rng)
{
    *p = (struct tree_pick){.rng = rng};
}

/* The n-th one offered takes the place with the chance 1/n, so all are alike in the end. */
void tree_offer(struct tree_pick *p, enum site_kind kind, size_t first, size_t second)
{
    int level = tree_is_value_level(kind);
    if (rng_below(p->rng, ++p->seen[level]) == 0) {
        p->pair[level][0] = first;
        p->pair[level][1] = second;
    }
}

bool tree_pick_take(struct tree_pick *p, size_t *first, size_t *second)
{
    if (!p->seen[0] && !p->seen[1])
        return false;
    int level = !p->seen[0] || (p->seen[1] && !rng_chance(p->rng, plan_share));
    *first = p->pair[level][0];
    *second = p->pair[level][1];
    return true;
}

size_t tree_draw(const struct tree_edit *e,
                 bool (*fits)(const struct tree_edit *e, size_t entry, const struct site *site))
{
    struct tree_pick pick;
    size_t chosen = SIZE_MAX, none;
    tree_pick_init(&pick, e->rng);
    for (size_t i = 1; i < e->from->count; i++) {
        struct site site;
        if (domain_site(e->domain, e->from->items[i].site, &site) && fits(e, i, &site))
            tree_offer(&pick, site.kind, i, 0);
    }
    tree_pick_take(&pick, &chosen, &none);
    return chosen;
}

/* --- words --- */

static const char *const nouns[SITE_KINDS] = {
    [SITE_WORKFLOW] = "workflow",
    [SITE_SWARM] = "choice of a subset",
    [SITE_ROOM] = "room to be left",
    [SITE_ONE_OF] = "one-of",
    [SITE_ROUND] = "repeat",
    [SITE_OPTIONAL] = "optional",
    [SITE_DO] = "do",
    [SITE_WALK] = "walk",
    [SITE_PRODUCE] = "step for a missing handle",
    [SITE_HANDLE] = "handle",
    [SITE_VALUE] = "value",
    [SITE_ALTERNATIVE] = "choice",
    [SITE_COUNT] = "repetition",
    [SITE_LETTER] = "letter",
    [SITE_NUMBER] = "number",
};

/* A record must not depend on where templates are installed. */
static const char *base_name(const char *place)
{
    const char *slash = strrchr(place, '/');
    return slash ? slash + 1 : place;
}

void tree_describe(struct buf *out, const struct site *site)
{
    buf_addf(out, "the %s", nouns[site->kind]);
    if (site->name && *site->name)
        buf_addf(out, " in %s", site->name);
    if (site->place && *site->place)
        buf_addf(out, " at %s", base_name(site->place));
}

void tree_describe_entry(const struct tree_edit *e, size_t entry)
{
    struct site site;
    if (domain_site(e->domain, e->from->items[entry].site, &site))
        tree_describe(e->detail, &site);
}

void tree_describe_item(const struct tree_edit *e, const struct tree_row *row, size_t index)
{
    const char *noun = row->site.kind == SITE_ROUND ? "round" : row->site.kind == SITE_WALK ? "step" : "item";
    buf_addf(e->detail, "%s %zu of %zu of ", noun, index + 1, row->count);
    tree_describe(e->detail, &row->site);
}
