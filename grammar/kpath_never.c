/* Choices whose cheapest completion is more than the budgets of steps or of nesting admit in every place
 * where they can stand.
 *
 * The interpreter takes an alternative when what it costs and what is kept back for what follows fit, or when
 * it is the cheapest of those that can be taken. So an alternative never comes when that does not even fit
 * before the first step, and another one that has no guard is cheaper. */
#include <stdlib.h>
#include <string.h>

#include "grammar/kpath_internal.h"

/* For each alternative the least that is kept back where it stands, and the least nesting of steps there. */
struct surroundings {
    uint32_t *rest, *depth;
};

static bool lower(uint32_t *known, uint64_t value)
{
    if (value >= *known)
        return false;
    *known = (uint32_t)value;
    return true;
}

static void find_surroundings(const struct kpath_graph *g, struct surroundings *s)
{
    size_t count = g->alternatives.count;
    s->rest = xmalloc(count * sizeof *s->rest);
    s->depth = xmalloc(count * sizeof *s->depth);
    memset(s->rest, 0xff, count * sizeof *s->rest);
    memset(s->depth, 0xff, count * sizeof *s->depth);
    const struct kpath_row *root = &g->rows[PLAN_SITE_WORKFLOW];
    for (uint32_t i = 0; i < root->count; i++)
        s->rest[root->first + i] = s->depth[root->first + i] = 0;
    for (bool changed = true; changed;) {
        changed = false;
        for (size_t i = 1; i < count; i++) {
            const struct kpath_alternative *a = &g->alternatives.items[i];
            if (s->rest[i] == UINT32_MAX)
                continue;
            uint8_t kind = g->rows[a->site].kind;
            uint64_t depth = s->depth[i] + (kind == SITE_DO || kind == SITE_WALK || kind == SITE_PRODUCE);
            for (uint32_t k = 0; k < a->child_count; k++) {
                const struct kpath_child *child = &g->kids.items[a->child + k];
                for (uint32_t c = child->first; c < child->first + child->count; c++) {
                    changed |= lower(&s->rest[c], (uint64_t)s->rest[i] + child->rest);
                    changed |= lower(&s->depth[c], depth);
                }
            }
        }
    }
}

/* What taking an alternative costs, and whether it is only taken when that fits. */
struct price {
    struct plan_cost cost;
    bool needs_room, sure; /* sure: can be taken whatever guards say */
};

static struct price price_of(const struct kpath_graph *g, const struct kpath_alternative *a,
                             const struct plan_node *n)
{
    struct price p = {.sure = true};
    switch (n->kind) {
    case PLAN_ONE_OF: {
        const struct plan_node *alt = n->first;
        for (uint32_t i = a->value; i > 0; i--)
            alt = alt->next;
        p.cost = alt->cost;
        p.sure = !alt->when;
        break;
    }
    case PLAN_DO:
    case PLAN_WALK:
        if (a->value < n->u.call.step_count) { /* else: to stop */
            p.cost = n->u.call.steps[a->value]->cost;
            p.cost.height++;
            p.sure = !n->u.call.steps[a->value]->when;
            p.needs_room = n->kind == PLAN_WALK && n->u.call.min == 0;
        } else {
            p.sure = false;
        }
        break;
    case PLAN_REPEAT:
    case PLAN_OPTIONAL: {
        bool goes_on = a->value == (n->kind == PLAN_OPTIONAL);
        for (const struct plan_node *child = n->first; goes_on && child; child = child->next) {
            p.cost.steps += child->cost.steps;
            p.cost.height = child->cost.height > p.cost.height ? child->cost.height : p.cost.height;
        }
        p.needs_room = goes_on && (n->kind == PLAN_OPTIONAL || n->u.repeat.min == 0);
        p.sure = p.needs_room;
        break;
    }
    case PLAN_WITH:
        p.cost = n->u.with.producers[a->value]->cost;
        break;
    default:
        break;
    }
    return p;
}

static bool cheaper(struct plan_cost a, struct plan_cost b)
{
    return a.steps != b.steps ? a.steps < b.steps : a.height < b.height;
}

/* Not to go on, which is only asked when going on can be taken. */
static bool is_way_out(const struct kpath_alternative *a, const struct plan_node *n)
{
    return (n->kind == PLAN_REPEAT && n->u.repeat.min == 0 && a->value == 1) ||
           (n->kind == PLAN_OPTIONAL && a->value == 0) ||
           (n->kind == PLAN_WALK && n->u.call.min == 0 && a->value == n->u.call.step_count);
}

static bool is_over(const struct kpath_graph *g, uint32_t alternative, const struct plan_node *n,
                    const struct surroundings *s)
{
    const struct kpath_alternative *a = &g->alternatives.items[alternative];
    const struct kpath_row *row = &g->rows[a->site];
    if (is_way_out(a, n)) {
        bool all = true;
        for (uint32_t i = 0; i < row->count && all; i++)
            all = row->first + i == alternative || is_over(g, row->first + i, n, s);
        return all;
    }
    const struct plan_limits *limits = &g->domain->limits;
    struct price price = price_of(g, a, n);
    bool fits = (uint64_t)s->rest[alternative] + price.cost.steps <= limits->steps &&
                (uint64_t)s->depth[alternative] + price.cost.height <= limits->depth;
    if (fits || s->rest[alternative] == UINT32_MAX)
        return false;
    bool beaten = price.needs_room;
    for (uint32_t i = 0; i < row->count && !beaten; i++) {
        struct price other = price_of(g, &g->alternatives.items[row->first + i], n);
        beaten = other.sure && cheaper(other.cost, price.cost);
    }
    return beaten;
}

struct kpath_never *kpath_over_budget(const struct kpath_graph *g, size_t *count)
{
    POOL(struct kpath_never) found = {0};
    struct surroundings s;
    find_surroundings(g, &s);
    for (uint32_t i = 1; i < g->alternatives.count; i++) {
        const struct kpath_alternative *a = &g->alternatives.items[i];
        const struct plan_node *n = a->body.choice;
        if (!n || !is_over(g, i, n, &s))
            continue;
        enum kpath_why why = is_way_out(a, n) ? KPATH_SENSELESS : KPATH_BUDGET;
        POOL_ADD(found, ((struct kpath_never){why, a->site, a->value, n->place}));
    }
    free(s.rest);
    free(s.depth);
    *count = found.count;
    return found.items;
}

enum kpath_why kpath_banned(const struct kpath_builder *b, uint32_t site, uint32_t value)
{
    for (size_t i = 0; i < b->banned_count; i++)
        if (b->banned[i].site == site && b->banned[i].value == value)
            return b->banned[i].why;
    return KPATH_MAY;
}
