/* The parts of a chooser that making a choice consists of, inline for chooser.c and for the deriving loop, which spends much
 * of its time here. See chooser.c for how they work together. */
#ifndef GRAMMAR_CHOOSER_INTERNAL_H
#define GRAMMAR_CHOOSER_INTERNAL_H

#include "grammar/derivation.h"

void chooser_grow_log(struct derivation *log);
/* The next entry of that site among the siblings ahead, when the one at hand is of another; NULL: there is none near. */
const struct choice *chooser_find(struct chooser *c, uint32_t site);

static inline size_t chooser_log(struct derivation *log, uint32_t site, uint64_t value)
{
    if (log->count == log->capacity)
        chooser_grow_log(log);
    size_t index = log->count++;
    log->items[index] = (struct choice){.site = site, .end = (uint32_t)log->count, .value = value};
    return index;
}

/* The next replayed entry, when it answers a question of this site; NULL: ask the rng. */
static inline const struct choice *chooser_recall(struct chooser *c, uint32_t site)
{
    if (c->at >= c->limit)
        return NULL;
    const struct choice *entry = &c->replay->items[c->at];
    if (entry->site != site)
        return chooser_find(c, site);
    c->at++;
    return entry;
}

/* Logs an opening and narrows the replay to its subtree. A damaged end is brought back into the parent's part. */
static inline size_t chooser_open(struct chooser *c, uint32_t site, uint64_t value, const struct choice *recalled)
{
    size_t handle = chooser_log(c->log, site, value);
    c->log->items[handle].end = (uint32_t)c->limit;
    size_t end = recalled ? recalled->end : c->at;
    if (end < c->limit)
        c->limit = end > c->at ? end : c->at;
    return handle;
}

static inline void chooser_shut(struct chooser *c, size_t handle)
{
    struct choice *entry = &c->log->items[handle];
    c->at = c->limit;
    c->limit = entry->end;
    entry->end = (uint32_t)c->log->count;
}

/* The upper half of a random word gives the slot, the lower one whether to stay. The select is arithmetic, since a branch
 * on it would be mispredicted half of the time. */
static inline size_t chooser_draw_slot(struct rng *rng, const struct weight_slot *slots, size_t n)
{
    uint64_t draw = rng_next(rng);
    size_t slot = (size_t)((draw >> 32) * n >> 32);
    size_t other = slots[slot].other;
    size_t move = (uint32_t)draw >= slots[slot].keep;
    return slot ^ ((slot ^ other) & -move);
}

static inline size_t chooser_open_by_slots(struct chooser *c, uint32_t site, const struct weight_slot *slots, size_t n,
                                           size_t *handle)
{
    const struct choice *recalled = chooser_recall(c, site);
    size_t index = recalled ? recalled->value % n : chooser_draw_slot(c->rng, slots, n);
    if (recalled && slots[index].keep == 0)
        index = slots[index].other;
    *handle = chooser_open(c, site, index, recalled);
    return index;
}

#endif
