/* Alternatives, paths and what is never taken, for people. */
#include <string.h>

#include "grammar/kpath_internal.h"

static const char *const kind_names[SITE_KINDS] = {
    [SITE_ONE_OF] = "one-of", [SITE_ROUND] = "repeat", [SITE_OPTIONAL] = "optional",
    [SITE_DO] = "do",         [SITE_WALK] = "walk",    [SITE_PRODUCE] = "made for with",
};

/* Without the folder: the file is one of the template's own. */
static void add_place(struct buf *out, struct plan_place place)
{
    const char *slash = strrchr(place.file, '/');
    buf_addf(out, "%s:%u ", slash ? slash + 1 : place.file, place.line);
}

static void name_plan_choice(const struct kpath_graph *g, uint32_t site, uint32_t value,
                             struct plan_place place, struct buf *out)
{
    struct buf text;
    uint8_t kind = g->rows[site].kind;
    buf_init(&text, 4096);
    domain_site_value(g->domain, site, value, &text);
    add_place(out, place);
    if (kind == SITE_ONE_OF)
        buf_addf(out, "alternative %u", value + 1);
    else if (kind == SITE_WORKFLOW)
        buf_addf(out, "workflow %s", buf_string(&text));
    else
        buf_addf(out, "%s: %s", kind_names[kind], buf_string(&text));
    buf_release(&text);
}

static void name_rule_choice(const struct kpath_graph *g, const struct kpath_alternative *a, struct buf *out)
{
    struct site row;
    domain_site(g->domain, a->site, &row);
    const char *slash = strrchr(row.place, '/');
    buf_addf(out, "%s rule %s", slash ? slash + 1 : row.place, row.name);
    if (row.kind == SITE_ALTERNATIVE && a->body.times > 1)
        buf_addf(out, " one of %u texts", a->body.times);
    else if (row.kind == SITE_ALTERNATIVE)
        buf_addf(out, " alternative %u", a->value + 1);
    else if (a->value)
        buf_addf(out, " more than %llu times", (unsigned long long)row.least);
    else if (row.least)
        buf_addf(out, " %llu times, the least", (unsigned long long)row.least);
    else
        buf_add_string(out, " none");
}

static struct plan_place place_of(const struct kpath_graph *g, uint32_t site, uint32_t value)
{
    const struct kpath_alternative *first = &g->alternatives.items[g->rows[site].first];
    const struct plan_node *n = first->body.choice;
    if (g->rows[site].kind == SITE_WORKFLOW)
        return g->domain->workflows[value]->place;
    if (g->rows[site].kind != SITE_ONE_OF)
        return n->place;
    const struct plan_node *alt = n->first;
    while (value--)
        alt = alt->next;
    return alt->place;
}

static void name_alternative(const struct kpath_graph *g, uint32_t alternative, struct buf *out)
{
    const struct kpath_alternative *a = &g->alternatives.items[alternative];
    if (alternative == KPATH_MADE)
        buf_add_string(out, "a property made when read");
    else if (a->site < g->domain->site_end)
        name_plan_choice(g, a->site, a->value, place_of(g, a->site, a->value), out);
    else
        name_rule_choice(g, a, out);
}

/* The kinds of handles and their properties that are made by choices of this site. */
static void name_properties(const struct kpath_graph *g, uint32_t site, struct buf *out)
{
    size_t found = 0;
    for (size_t i = 0; i < g->properties.count; i++) {
        const struct kpath_property *p = &g->properties.items[i];
        for (uint32_t k = 0; k < p->site_count; k++)
            if (g->sites.items[p->site + k] == site)
                buf_addf(out, "%s%s.%s", found++ ? ", " : " (", p->type->name, p->type->props[p->prop].name);
    }
    buf_add_string(out, found ? ")" : "");
}

void kpath_name_elements(const struct kpath_graph *g, unsigned k, const uint32_t *elements, struct buf *out)
{
    for (unsigned i = 0; i < k; i++) {
        buf_add_string(out, i ? " > " : "");
        name_alternative(g, elements[i], out);
        if (elements[i] == KPATH_MADE)
            name_properties(g, g->alternatives.items[elements[i + 1]].site, out);
    }
}

void kpath_name(const struct kpath_graph *g, unsigned k, uint64_t path, struct buf *out)
{
    uint32_t elements[KPATH_LONGEST];
    kpath_elements(g, k, path, elements);
    kpath_name_elements(g, k, elements, out);
}

size_t kpath_never_count(const struct kpath_graph *g)
{
    return g->nevers.count;
}

void kpath_never(const struct kpath_graph *g, size_t index, struct buf *out)
{
    static const char *const reasons[] = {
        [KPATH_WEIGHT] = "has weight 0",
        [KPATH_BUDGET] = "takes more steps, or nests deeper, than the template's limits admit",
    };
    const struct kpath_never *n = &g->nevers.items[index];
    name_plan_choice(g, n->site, n->value, n->place, out);
    buf_addf(out, ": %s", reasons[n->why]);
}
