/* Numbers of paths, places of logged choices in the graph, and accounting.
 *
 * A path of j + 1 alternatives has the number of the path of its first j, as an index into start[j], plus the
 * place of the last among all that can stand below the one before; so finding a number takes one search in a
 * short list, whatever k is, and nothing is hashed. The parent of properties made when read is alternative 0,
 * and its paths of one element are counted from alternative 1 on: start[1] has an entry for each alternative,
 * start[j] for each path. */
#include "grammar/kpath.h"

#include <stdlib.h>
#include <string.h>

#include "grammar/kpath_internal.h"

const struct domain *kpath_domain(const struct kpath_graph *g)
{
    return g->domain;
}

uint64_t kpath_count(const struct kpath_graph *g, unsigned k)
{
    return k >= 1 && k <= g->longest ? g->count[k] : 0;
}

uint32_t kpath_alternative_count(const struct kpath_graph *g)
{
    return (uint32_t)g->alternatives.count;
}

bool kpath_counts(const struct kpath_graph *g, uint32_t site)
{
    return site < domain_site_end(g->domain) && g->rows[site].value_count;
}

static inline uint32_t alternative_of(const struct kpath_graph *g, const struct kpath_row *row,
                                      uint64_t value)
{
    /* Numbers of repetitions: all above the least are one. */
    uint64_t last = row->value_count - 1;
    return g->numbers.items[row->values + (value < last ? value : last)];
}

uint32_t kpath_alternative(const struct kpath_graph *g, uint32_t site, uint64_t value)
{
    return kpath_counts(g, site) ? alternative_of(g, &g->rows[site], value) : KPATH_NONE;
}

uint32_t kpath_alternative_site(const struct kpath_graph *g, uint32_t alternative)
{
    return g->alternatives.items[alternative].site;
}

void kpath_point(const struct kpath_graph *g, uint32_t site, uint32_t *first, uint32_t *count)
{
    *first = g->rows[site].first;
    *count = g->rows[site].count;
}

const struct kpath_child *kpath_child(const struct kpath_graph *g, uint32_t alternative, size_t index)
{
    const struct kpath_alternative *a = &g->alternatives.items[alternative];
    return index < a->child_count ? &g->kids.items[a->child + index] : NULL;
}

static bool makes(const struct kpath_graph *g, const uint32_t *reads, uint32_t count, uint32_t site,
                  unsigned depth)
{
    for (uint32_t r = 0; r < count; r++)
        for (size_t i = 0; i < g->properties.count; i++) {
            const struct kpath_property *p = &g->properties.items[i];
            if (p->name != reads[r])
                continue;
            for (uint32_t s = 0; s < p->site_count; s++)
                if (g->sites.items[p->site + s] == site)
                    return true;
            if (depth && p->read_count && makes(g, g->reads.items + p->read, p->read_count, site, depth - 1))
                return true;
        }
    return false;
}

bool kpath_may_make(const struct kpath_graph *g, uint32_t alternative, uint32_t site)
{
    enum { IN_A_ROW = 4 /* properties made of others, of others … */ };
    const struct kpath_alternative *a = &g->alternatives.items[alternative];
    return a->read_count && makes(g, g->reads.items + a->read, a->read_count, site, IN_A_ROW);
}

/* The last entry of start that is at most `path`, of those that begin a path. */
static uint64_t find_start(const uint64_t *start, uint64_t count, uint64_t path)
{
    uint64_t low = 0, high = count; /* start[low] <= path < start[high] */
    while (high - low > 1) {
        uint64_t middle = low + (high - low) / 2;
        if (start[middle] <= path)
            low = middle;
        else
            high = middle;
    }
    return low;
}

static uint32_t nth_below(const struct kpath_graph *g, uint32_t alternative, uint64_t n)
{
    const struct kpath_alternative *a = &g->alternatives.items[alternative];
    uint32_t k = a->child_count - 1;
    while (g->kids.items[a->child + k].offset > n || !g->kids.items[a->child + k].count)
        k--;
    return g->kids.items[a->child + k].first + (uint32_t)(n - g->kids.items[a->child + k].offset);
}

void kpath_elements(const struct kpath_graph *g, unsigned k, uint64_t path, uint32_t *alternatives)
{
    if (k == 1) {
        alternatives[0] = (uint32_t)path + 1;
        return;
    }
    const uint64_t *start = g->start[k - 1];
    uint64_t shorter = find_start(start, k == 2 ? g->alternatives.count : g->count[k - 1], path);
    if (k == 2)
        alternatives[0] = (uint32_t)shorter;
    else
        kpath_elements(g, k - 1, shorter, alternatives);
    alternatives[k - 1] = nth_below(g, alternatives[k - 2], path - start[shorter]);
}

/* --- places --- */

static inline const struct kpath_child *find_child(const struct kpath_graph *g, uint32_t alternative,
                                                   uint32_t site)
{
    const struct kpath_alternative *a = &g->alternatives.items[alternative];
    const struct kpath_child *kids = g->kids.items + a->child;
    uint32_t low = 0, high = a->child_count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (kids[middle].site == site)
            return &kids[middle];
        if (kids[middle].site < site)
            low = middle + 1;
        else
            high = middle;
    }
    return NULL;
}

uint64_t kpath_number(const struct kpath_graph *g, unsigned k, const uint32_t *alternatives)
{
    uint64_t path = alternatives[0];
    for (unsigned j = 1; j < k; j++) {
        uint32_t site = g->alternatives.items[alternatives[j]].site;
        const struct kpath_child *child = find_child(g, alternatives[j - 1], site);
        path = g->start[j][path] + child->offset + (alternatives[j] - child->first);
    }
    return path;
}

static inline void extend(const struct kpath_graph *g, const struct kpath_place *parent,
                          const struct kpath_child *child, struct kpath_place *out)
{
    uint64_t local = child->offset + (out->alternative - child->first);
    if (g->longest > 1)
        out->path[2] = g->start[1][parent->alternative] + local;
    for (unsigned j = 3; j <= g->longest; j++)
        if (parent->path[j - 1] != KPATH_NO_PATH)
            out->path[j] = g->start[j - 1][parent->path[j - 1]] + local;
}

static const struct kpath_place nowhere = {KPATH_NONE,
                                           {KPATH_NO_PATH, KPATH_NO_PATH, KPATH_NO_PATH, KPATH_NO_PATH}};

bool kpath_enter(const struct kpath_graph *g, const struct kpath_place *parent, uint32_t site, uint64_t value,
                 struct kpath_place *out)
{
    static const struct kpath_place made = {KPATH_MADE,
                                            {KPATH_NO_PATH, KPATH_NO_PATH, KPATH_NO_PATH, KPATH_NO_PATH}};
    *out = nowhere;
    out->alternative = kpath_alternative(g, site, value);
    if (out->alternative == KPATH_NONE)
        return false;
    out->path[1] = out->alternative - 1;
    if (!parent)
        return site == PLAN_SITE_WORKFLOW;
    if (parent->alternative == KPATH_NONE) /* below something unknown */
        return true;
    const struct kpath_child *child = find_child(g, parent->alternative, site);
    if (!child) {
        child = find_child(g, KPATH_MADE, site);
        parent = &made;
    }
    if (!child)
        return false;
    extend(g, parent, child, out);
    return true;
}

struct open_entry {
    uint32_t end;
    struct kpath_place place;
};

enum { FEW = 64 };

size_t kpath_walk(const struct kpath_graph *g, const struct derivation *d,
                  void (*see)(void *context, const struct kpath_place *place), void *context,
                  size_t *stranger)
{
    struct open_entry few[FEW], *open = few;
    size_t depth = 0, room = FEW, strangers = 0;
    uint32_t end = domain_site_end(g->domain);
    for (size_t i = 0; i < d->count; i++) {
        const struct choice *c = &d->items[i];
        if (c->site < end && !g->rows[c->site].opens)
            continue;
        while (depth && open[depth - 1].end <= i)
            depth--;
        if (depth == room) {
            struct open_entry *bigger = xmalloc(2 * room * sizeof *bigger);
            memcpy(bigger, open, room * sizeof *bigger);
            if (open != few)
                free(open);
            open = bigger;
            room *= 2;
        }
        open[depth].end = c->end;
        if (!kpath_enter(g, depth ? &open[depth - 1].place : NULL, c->site, c->value, &open[depth].place)) {
            if (strangers++ == 0)
                *stranger = i;
            open[depth].place = nowhere;
        } else {
            see(context, &open[depth].place);
        }
        depth++;
    }
    if (open != few)
        free(open);
    return strangers;
}

/* --- accounting --- */

enum { WORD = 64 };

void kpath_seen_init(struct kpath_seen *s, const struct kpath_graph *g)
{
    *s = (struct kpath_seen){.graph = g};
    for (unsigned k = 1; k <= g->longest; k++)
        s->bits[k] = xcalloc(g->count[k] / WORD + 1, sizeof *s->bits[k]);
}

void kpath_seen_release(struct kpath_seen *s)
{
    for (unsigned k = 1; k <= KPATH_LONGEST; k++)
        free(s->bits[k]);
    *s = (struct kpath_seen){0};
}

bool kpath_seen_has(const struct kpath_seen *s, unsigned k, uint64_t path)
{
    return s->bits[k][path / WORD] >> path % WORD & 1;
}

static void account(void *context, const struct kpath_place *place)
{
    struct kpath_seen *s = context;
    for (unsigned k = 1; k <= s->graph->longest; k++) {
        uint64_t path = place->path[k];
        if (path == KPATH_NO_PATH)
            break;
        uint64_t *word = &s->bits[k][path / WORD], bit = (uint64_t)1 << path % WORD;
        s->count[k] += !(*word & bit);
        *word |= bit;
    }
}

bool kpath_seen_add(struct kpath_seen *s, const struct derivation *d)
{
    uint64_t before = s->count[s->graph->longest];
    size_t stranger;
    s->strangers += kpath_walk(s->graph, d, account, s, &stranger);
    return s->count[s->graph->longest] > before;
}
