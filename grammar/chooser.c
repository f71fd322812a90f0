/* Making choices: from a replayed log while it agrees, else from the rng; and logging them.
 *
 * A subtree that is open needs to remember where the replay of its parent ends. That is parked in the `end`
 * of its own log entry, which is not known before the subtree closes anyway; so opening and closing cost no
 * storage and no release. Invariants: at <= limit <= replay->count; within an open subtree that was not
 * replayed at == limit, so that everything below it comes from the rng; after a close, at is where the
 * replayed subtree ended. */
#include "grammar/chooser_internal.h"

#include <stdlib.h>

enum {
    FIRST_CAPACITY = 64,
    EVEN_MOST = 16,    /* possibilities up to which counts are drawn evenly */
    SIBLINGS_MOST = 64 /* that are looked at for an entry of the site that is asked for */
};

void chooser_init(struct chooser *c, struct rng *rng, const struct derivation *replay, struct derivation *log)
{
    *c = (struct chooser){.rng = rng, .replay = replay, .log = log, .limit = replay ? replay->count : 0};
}

void chooser_grow_log(struct derivation *log)
{
    if (log->count == UINT32_MAX)
        BUG("a derivation of more than 2^32 choices");
    log->capacity = log->capacity ? 2 * log->capacity : FIRST_CAPACITY;
    log->items = xrealloc(log->items, log->capacity * sizeof *log->items);
}

/* Entries that nobody asks for any more are passed over, and a choice that is missing from the log leaves
 * those behind it for who comes next. An end that points back, in a damaged log, ends the search. */
const struct choice *chooser_find(struct chooser *c, uint32_t site)
{
    size_t at = c->at;
    c->diverged = true;
    for (int looked = 0; looked < SIBLINGS_MOST && at < c->limit; looked++) {
        const struct choice *entry = &c->replay->items[at];
        if (entry->site == site) {
            c->at = at + 1;
            return entry;
        }
        if (entry->end <= at)
            return NULL;
        at = entry->end;
    }
    return NULL;
}

void chooser_close(struct chooser *c, size_t handle)
{
    chooser_shut(c, handle);
}

uint64_t chooser_uniform(struct chooser *c, uint32_t site, uint64_t n)
{
    return n == 1 ? 0 : chooser_among(c, site, n);
}

uint64_t chooser_among(struct chooser *c, uint32_t site, uint64_t n)
{
    const struct choice *recalled = chooser_recall(c, site);
    uint64_t value;
    if (recalled)
        value = n ? recalled->value % n : recalled->value;
    else
        value = n ? rng_below(c->rng, n) : rng_next(c->rng);
    chooser_log(c->log, site, value);
    return value;
}

bool chooser_recalls(const struct chooser *c, uint32_t site)
{
    struct chooser asked = *c;
    return chooser_recall(&asked, site) != NULL;
}

void chooser_note(struct chooser *c, uint32_t site, uint64_t value)
{
    if (chooser_recalls(c, site))
        chooser_recall(c, site);
    chooser_log(c->log, site, value);
}

static size_t draw_weighted(struct rng *rng, const double *weights, size_t n)
{
    double total = 0;
    for (size_t i = 0; i < n; i++)
        total += weights[i];
    double left = (double)(rng_next(rng) >> 11) * 0x1p-53 * total;
    size_t last = 0; /* rounding may leave a rest behind the last positive weight */
    for (size_t i = 0; i < n; i++) {
        if (!(weights[i] > 0))
            continue;
        if (left < weights[i])
            return i;
        left -= weights[i];
        last = i;
    }
    return last;
}

static size_t wished_or_drawn(struct chooser *c, uint32_t site, const double *weights, size_t n)
{
    uint64_t wished;
    if (c->guide && c->guide->wish(c->guide, c, site, weights, n, &wished))
        return (size_t)wished;
    return draw_weighted(c->rng, weights, n);
}

static size_t recalled_weighted(const struct choice *recalled, const double *weights, size_t n)
{
    size_t index = recalled->value % n;
    for (size_t tried = 0; tried < n && !(weights[index] > 0); tried++)
        index = index + 1 < n ? index + 1 : 0;
    return index;
}

size_t chooser_weighted(struct chooser *c, uint32_t site, const double *weights, size_t n)
{
    if (n == 1)
        return 0;
    const struct choice *recalled = chooser_recall(c, site);
    size_t index = recalled ? recalled_weighted(recalled, weights, n) : draw_weighted(c->rng, weights, n);
    chooser_log(c->log, site, index);
    return index;
}

size_t chooser_open_weighted(struct chooser *c, uint32_t site, const double *weights, size_t n,
                             size_t *handle)
{
    const struct choice *recalled = chooser_recall(c, site);
    size_t index = recalled ? recalled_weighted(recalled, weights, n) : wished_or_drawn(c, site, weights, n);
    *handle = chooser_open(c, site, index, recalled);
    return index;
}

/* Of a share below 1. Only what has no weight at all gets 0: that is how a replay knows it. */
static uint32_t keep_of(double share, double weight)
{
    uint32_t keep = (uint32_t)(share * 0x1p32);
    return keep == 0 && weight > 0 ? 1 : keep;
}

/* Vose's way of filling the slots: one that has less than its even share is topped up by one that has more.
 */
void weight_slots_fill(struct weight_slot *slots, const double *weights, size_t n)
{
    double *share = xmalloc(n * sizeof *share);
    uint32_t *small = xmalloc(n * sizeof *small), *large = xmalloc(n * sizeof *large);
    size_t smalls = 0, larges = 0;
    uint32_t heaviest = 0;
    double total = 0;
    for (size_t i = 0; i < n; i++)
        total += weights[i];
    for (uint32_t i = 0; i < n; i++) {
        heaviest = weights[i] > weights[heaviest] ? i : heaviest;
        share[i] = weights[i] / total * (double)n;
        if (share[i] < 1)
            small[smalls++] = i;
        else
            large[larges++] = i;
    }
    while (smalls && larges) {
        uint32_t poor = small[--smalls], rich = large[larges - 1];
        slots[poor] = (struct weight_slot){.keep = keep_of(share[poor], weights[poor]), .other = rich};
        share[rich] -= 1 - share[poor];
        if (share[rich] < 1) {
            larges--;
            small[smalls++] = rich;
        }
    }
    /* What is left on either side is a full share, but for rounding, which must not let in what has no
     * weight. */
    while (larges) {
        uint32_t full = large[--larges];
        slots[full] = (struct weight_slot){.keep = UINT32_MAX, .other = full};
    }
    while (smalls) {
        uint32_t full = small[--smalls];
        bool any = weights[full] > 0;
        slots[full] = (struct weight_slot){.keep = any ? UINT32_MAX : 0, .other = any ? full : heaviest};
    }
    free(share);
    free(small);
    free(large);
}

size_t chooser_open_slots(struct chooser *c, uint32_t site, const struct weight_slot *slots, size_t n,
                          size_t *handle)
{
    return chooser_open_by_slots(c, site, slots, n, handle);
}

/* Pairs of random bits until one is 00: each further repetition has the chance 3/4. */
static uint64_t draw_geometric(struct rng *rng)
{
    uint64_t count = 0;
    while (count < CHOOSER_OPEN_MOST) {
        uint64_t draw = rng_next(rng);
        uint64_t stops = ~(draw | draw >> 1) & 0x5555555555555555u;
        if (stops)
            return count + (uint64_t)__builtin_ctzll(stops) / 2;
        count += 32;
    }
    return CHOOSER_OPEN_MOST;
}

static uint64_t draw_count(struct rng *rng, uint64_t n, enum count_shape shape)
{
    if (shape == COUNT_OPEN) {
        uint64_t count = draw_geometric(rng);
        return count < n ? count : rng_below(rng, n);
    }
    if (n <= EVEN_MOST)
        return rng_below(rng, n);
    /* 0, then the ranges 1, 2..3, 4..7 … each alike; the last one is cut at n-1. */
    unsigned ranges = 1 + (64 - (unsigned)__builtin_clzll(n - 1));
    unsigned range = (unsigned)rng_below(rng, ranges);
    if (range == 0)
        return 0;
    uint64_t low = (uint64_t)1 << (range - 1);
    uint64_t high = low - 1 + low < n - 1 ? low - 1 + low : n - 1;
    return low + rng_below(rng, high - low + 1);
}

uint64_t chooser_open_count(struct chooser *c, uint32_t site, uint64_t n, enum count_shape shape,
                            size_t *handle)
{
    const struct choice *recalled = chooser_recall(c, site);
    uint64_t value;
    if (recalled)
        value = recalled->value % n;
    else if (!c->guide || !c->guide->wish(c->guide, c, site, NULL, n, &value))
        value = draw_count(c->rng, n, shape);
    *handle = chooser_open(c, site, value, recalled);
    return value;
}
