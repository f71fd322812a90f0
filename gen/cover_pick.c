/* Few tasks that cover what many do: again and again the one that covers most of what is still open is taken.
 * How much a task has to give only gets less, so its old figure is a bound, and a task is counted again only
 * when its bound is the greatest. In the end those that the later ones have made needless go. */
#include <stdlib.h>

#include "gen/cover_internal.h"

struct paths {
    uint64_t *items;
    size_t count, room;
    unsigned k;
};

static void add_path(void *context, const struct kpath_place *place)
{
    struct paths *p = context;
    if (place->path[p->k] == KPATH_NO_PATH)
        return;
    if (p->count == p->room) {
        p->room = p->room ? 2 * p->room : 64;
        p->items = xrealloc(p->items, p->room * sizeof *p->items);
    }
    p->items[p->count++] = place->path[p->k];
}

static int by_number(const void *a, const void *b)
{
    const uint64_t *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

/* Each once. */
static struct paths paths_of(const struct kpath_graph *g, unsigned k, const struct derivation *d)
{
    struct paths p = {.k = k};
    size_t stranger, kept = 0;
    kpath_walk(g, d, add_path, &p, &stranger);
    if (p.count)
        qsort(p.items, p.count, sizeof *p.items, by_number);
    for (size_t i = 0; i < p.count; i++)
        if (!kept || p.items[kept - 1] != p.items[i])
            p.items[kept++] = p.items[i];
    p.count = kept;
    return p;
}

static size_t count_new(const struct paths *p, const uint32_t *times)
{
    size_t count = 0;
    for (size_t i = 0; i < p->count; i++)
        count += times[p->items[i]] == 0;
    return count;
}

static void count_in(const struct paths *p, uint32_t *times, int32_t by)
{
    for (size_t i = 0; i < p->count; i++)
        times[p->items[i]] += (uint32_t)by;
}

/* Fills `order` with those to keep; returns how many. */
static size_t choose(const struct paths *tasks, size_t count, uint32_t *times, size_t *order)
{
    size_t kept = 0, *bounds = xcalloc(count + 1, sizeof *bounds);
    for (size_t i = 0; i < count; i++)
        bounds[i] = tasks[i].count;
    for (;;) {
        size_t best = 0;
        for (size_t i = 1; i < count; i++)
            best = bounds[i] > bounds[best] ? i : best;
        if (!count || !bounds[best])
            break;
        size_t gain = count_new(&tasks[best], times);
        if (gain < bounds[best]) {
            bounds[best] = gain;
            continue;
        }
        count_in(&tasks[best], times, 1);
        order[kept++] = best;
        bounds[best] = 0;
    }
    free(bounds);
    return kept;
}

static bool is_needless(const struct paths *p, const uint32_t *times)
{
    for (size_t i = 0; i < p->count; i++)
        if (times[p->items[i]] < 2)
            return false;
    return true;
}

static size_t drop_needless(const struct paths *tasks, uint32_t *times, size_t *order, size_t count)
{
    size_t kept = 0;
    for (size_t i = 0; i < count; i++) {
        if (is_needless(&tasks[order[i]], times))
            count_in(&tasks[order[i]], times, -1);
        else
            order[kept++] = order[i];
    }
    return kept;
}

void cover_pick(const struct kpath_graph *g, unsigned k, struct derivation *tasks, size_t *count)
{
    struct paths *paths = xcalloc(*count + 1, sizeof *paths);
    for (size_t i = 0; i < *count; i++)
        paths[i] = paths_of(g, k, &tasks[i]);
    uint32_t *times = xcalloc((size_t)kpath_count(g, k) + 1, sizeof *times);
    size_t *order = xcalloc(*count + 1, sizeof *order);
    size_t kept = choose(paths, *count, times, order);
    kept = drop_needless(paths, times, order, kept);

    struct derivation *few = xcalloc(kept + 1, sizeof *few);
    for (size_t i = 0; i < kept; i++) {
        few[i] = tasks[order[i]];
        derivation_init(&tasks[order[i]]);
    }
    for (size_t i = 0; i < *count; i++) {
        derivation_release(&tasks[i]);
        free(paths[i].items);
    }
    for (size_t i = 0; i < kept; i++)
        tasks[i] = few[i];
    *count = kept;
    free(few);
    free(order);
    free(times);
    free(paths);
}
