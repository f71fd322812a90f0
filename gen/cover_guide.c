/* Leading a derivation to a k-path.
 *
 * Where a choice comes up, the guide looks for the open alternatives in the log (without a replay, an entry
 * is open as long as its end is not behind it), and so knows what path each value would make. It takes, in
 * this order: what brings the wanted path further, what leads to its first alternative by the fewest choices,
 * and beside the way what its manner says. While the choice that the path needs next may still come below an
 * open alternative, it waits for that instead of looking for another way.
 *
 * A value without weight cannot be taken at that moment, and is no way; so a guide never makes what the
 * template forbids. */
#include <stdlib.h>
#include <string.h>

#include "gen/cover_internal.h"
#include "grammar/site.h"

/* --- distances --- */

/* Calls `add` for every site that the alternative can have below it. */
static void each_site(struct cover_parents *p, const struct kpath_graph *g, uint32_t alternative,
                      void (*add)(struct cover_parents *p, uint32_t site, uint32_t alternative))
{
    const struct kpath_child *child;
    for (size_t i = 0; (child = kpath_child(g, alternative, i)); i++)
        if (child->count)
            add(p, child->site, alternative);
    for (size_t i = 0; (child = kpath_child(g, 0, i)); i++)
        if (child->count && kpath_may_make(g, alternative, child->site))
            add(p, child->site, alternative);
}

static void count_parent(struct cover_parents *p, uint32_t site, uint32_t alternative)
{
    p->first[site + 1]++;
}

static void add_parent(struct cover_parents *p, uint32_t site, uint32_t alternative)
{
    p->items[p->first[site]++] = alternative;
}

void cover_parents_init(struct cover_parents *p, const struct kpath_graph *g)
{
    uint32_t alternatives = kpath_alternative_count(g);
    p->sites = 0;
    for (uint32_t a = 1; a < alternatives; a++)
        if (kpath_alternative_site(g, a) >= p->sites)
            p->sites = kpath_alternative_site(g, a) + 1;
    p->first = xcalloc((size_t)p->sites + 2, sizeof *p->first);
    p->waiting = xcalloc(alternatives, sizeof *p->waiting);
    p->known = xcalloc((size_t)p->sites + 1, sizeof *p->known);
    for (uint32_t a = 1; a < alternatives; a++)
        each_site(p, g, a, count_parent);
    for (uint32_t site = 0; site < p->sites; site++)
        p->first[site + 1] += p->first[site];
    p->items = xcalloc((size_t)p->first[p->sites] + 1, sizeof *p->items);
    for (uint32_t a = 1; a < alternatives; a++)
        each_site(p, g, a, add_parent);
    /* Each has moved on to where the next one begins. */
    memmove(p->first + 1, p->first, p->sites * sizeof *p->first);
    p->first[0] = 0;
}

void cover_parents_release(struct cover_parents *p)
{
    free(p->first);
    free(p->items);
    free(p->waiting);
    free(p->known);
}

void cover_spread(const struct cover_parents *p, const struct kpath_graph *g, uint32_t *distance)
{
    uint32_t alternatives = kpath_alternative_count(g);
    size_t head = 0, tail = 0;
    memset(p->known, 0, p->sites * sizeof *p->known);
    for (uint32_t a = 1; a < alternatives; a++)
        if (distance[a] == 0)
            p->waiting[tail++] = a;
    while (head < tail) {
        uint32_t a = p->waiting[head++], site = kpath_alternative_site(g, a);
        if (p->known[site])
            continue;
        p->known[site] = true;
        for (uint32_t i = p->first[site]; i < p->first[site + 1]; i++) {
            if (distance[p->items[i]] != COVER_FAR)
                continue;
            distance[p->items[i]] = distance[a] + 1;
            p->waiting[tail++] = p->items[i];
        }
    }
}

/* --- one choice --- */

/* A choice that has come up. */
struct question {
    struct cover_guide *g;
    const struct kpath_place *parent; /* NULL: the root */
    uint32_t site;
    const double *weights; /* NULL: a number of repetitions */
    uint64_t n;
};

static bool can_be(const struct question *q, uint64_t value)
{
    return !q->weights || q->weights[value] > 0;
}

/* Numbers of repetitions are two: the least, and more. */
static uint64_t values_of(const struct question *q)
{
    return q->weights || q->n < 2 ? q->n : 2;
}

/* The best of what is possible, where less is better; SIZE_MAX: none at all. Which of equals, the guide's rng
 * says. */
static uint64_t best_of(const struct question *q,
                        uint32_t (*rate)(const struct question *q, const struct kpath_place *p))
{
    uint64_t best = SIZE_MAX, equals = 0;
    uint32_t least = COVER_FAR;
    for (uint64_t value = 0; value < values_of(q); value++) {
        struct kpath_place place;
        if (!can_be(q, value) || !kpath_enter(q->g->graph, q->parent, q->site, value, &place))
            continue;
        uint32_t rating = rate(q, &place);
        if (rating == COVER_FAR || rating > least)
            continue;
        equals = rating < least ? 1 : equals + 1;
        least = rating;
        if (rng_below(&q->g->rng, equals) == 0)
            best = value;
    }
    return best;
}

/* How many elements of the target end here. */
static unsigned progress_of(const struct cover_guide *g, const struct kpath_place *place)
{
    for (unsigned j = g->k; j > 1; j--)
        if (g->prefix[j] != KPATH_NO_PATH && place->path[j] == g->prefix[j])
            return j;
    return g->elements[0] && place->alternative == g->elements[0];
}

static uint32_t rate_progress(const struct question *q, const struct kpath_place *place)
{
    unsigned progress = progress_of(q->g, place);
    return progress ? q->g->k - progress : COVER_FAR;
}

static uint32_t rate_way(const struct question *q, const struct kpath_place *place)
{
    return q->g->to_target[place->alternative];
}

static uint32_t rate_any_way(const struct question *q, const struct kpath_place *place)
{
    return q->g->to_target[place->alternative] == COVER_FAR ? COVER_FAR : 1;
}

/* Something new at once comes before what leads to something new. */
static uint32_t rate_new(const struct question *q, const struct kpath_place *place)
{
    const struct cover_guide *g = q->g;
    uint64_t path = place->path[g->k];
    if (path != KPATH_NO_PATH && !cover_has(g->covered, path) && !cover_has(g->now, path))
        return 0;
    uint32_t distance = g->to_any[place->alternative];
    return distance == COVER_FAR ? COVER_FAR : distance + 1;
}

/* The choice that the target ends with has come up in its place. */
static void note_target(const struct question *q)
{
    struct cover_guide *g = q->g;
    if (q->site != kpath_alternative_site(g->graph, g->elements[g->k - 1]))
        return;
    for (uint64_t value = 0; value < values_of(q); value++) {
        struct kpath_place place;
        if (!kpath_enter(g->graph, q->parent, q->site, value, &place) || place.path[g->k] != g->target)
            continue;
        g->asked++;
        g->possible += can_be(q, value);
        g->refused |= !can_be(q, value);
    }
}

static bool is_waiting(const struct cover_guide *g, size_t depth)
{
    for (size_t i = 0; i < depth && !g->refused; i++)
        if (g->open[i].alternative != KPATH_NONE && g->to_target[g->open[i].alternative] == 0)
            return true;
    return false;
}

static uint64_t beside(const struct question *q)
{
    struct cover_guide *g = q->g;
    if (g->manner == COVER_GREEDY)
        return best_of(q, rate_new);
    uint64_t cheapest = q->weights ? domain_site_cheapest(kpath_domain(g->graph), q->site) : 0;
    return g->manner == COVER_SHORT && can_be(q, cheapest) ? cheapest : SIZE_MAX;
}

static uint64_t on_the_way(const struct question *q, size_t depth)
{
    struct cover_guide *g = q->g;
    if (g->reached)
        return beside(q);
    note_target(q);
    uint64_t value = best_of(q, rate_progress);
    if (value == SIZE_MAX && !is_waiting(g, depth)) {
        bool strays = g->stray > 0 && (double)rng_below(&g->rng, 1000) < g->stray * 1000;
        value = best_of(q, strays ? rate_any_way : rate_way);
    }
    return value == SIZE_MAX ? beside(q) : value;
}

static void note_path(struct cover_guide *g, const struct kpath_place *place)
{
    uint64_t path = place->path[g->k];
    if (path == KPATH_NO_PATH)
        return;
    g->reached |= path == g->target;
    if (cover_has(g->now, path))
        return;
    if (g->noted_count == g->noted_room) {
        g->noted_room = g->noted_room ? 2 * g->noted_room : 256;
        g->noted = xrealloc(g->noted, g->noted_room * sizeof *g->noted);
    }
    g->noted[g->noted_count++] = path;
    cover_mark(g->now, path);
}

/* The places of all open entries; returns how many there are. */
static size_t find_open(struct cover_guide *g, const struct derivation *log)
{
    size_t depth = 0;
    for (size_t i = 0; i < log->count;) {
        const struct choice *c = &log->items[i];
        if (c->end > i) { /* closed */
            i = c->end;
            continue;
        }
        if (depth == g->open_room) {
            g->open_room = g->open_room ? 2 * g->open_room : 64;
            g->open = xrealloc(g->open, g->open_room * sizeof *g->open);
        }
        if (!kpath_enter(g->graph, depth ? &g->open[depth - 1] : NULL, c->site, c->value, &g->open[depth]))
            g->open[depth].alternative = KPATH_NONE;
        depth++;
        i++;
    }
    return depth;
}

static void start_anew(struct cover_guide *g)
{
    for (size_t i = 0; i < g->noted_count; i++)
        g->now[g->noted[i] / 64] = 0;
    g->noted_count = 0;
    g->reached = g->refused = false;
}

static bool wish(struct chooser_guide *guide, const struct chooser *c, uint32_t site, const double *weights,
                 uint64_t n, uint64_t *value)
{
    struct cover_guide *g = (struct cover_guide *)guide;
    size_t depth = find_open(g, c->log);
    struct question q = {g, depth ? &g->open[depth - 1] : NULL, site, weights, n};
    struct kpath_place place;
    if (!depth) /* also when a task that got too long is derived again */
        start_anew(g);
    if (!kpath_counts(g->graph, site))
        return false;
    *value = on_the_way(&q, depth);
    if (*value == SIZE_MAX)
        return false;
    if (kpath_enter(g->graph, q.parent, site, *value, &place))
        note_path(g, &place);
    return true;
}

/* --- the guide --- */

void cover_guide_init(struct cover_guide *g, const struct kpath_graph *graph, unsigned k)
{
    *g = (struct cover_guide){.guide.wish = wish, .graph = graph, .k = k};
    g->now = cover_bits_new(kpath_count(graph, k));
}

void cover_guide_release(struct cover_guide *g)
{
    free(g->now);
    free(g->noted);
    free(g->open);
}

void cover_guide_aim(struct cover_guide *g, uint64_t target, enum cover_manner manner, double stray,
                     uint64_t seed, uint64_t index)
{
    g->target = target;
    g->manner = manner;
    g->stray = stray;
    rng_seed(&g->rng, seed, index);
    start_anew(g);
    kpath_elements(g->graph, g->k, target, g->elements);
    g->prefix[0] = g->prefix[1] = KPATH_NO_PATH;
    for (unsigned j = 2; j <= g->k; j++)
        g->prefix[j] = j == g->k ? target : kpath_number(g->graph, j, g->elements);
}
