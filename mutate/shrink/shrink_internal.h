/* The shrinker's parts.
 *
 *   shrink.c    the iterator: passes, chunks, what was proposed
 *   order.c     the total order
 *   unit.c      what a pass may change in a derivation;  rebuild.c  several changes at once
 *   derive.c    the repair with cheap gaps
 *   record.c    steps and mutations of a record;  depend.c  what depends on a step;  forget.c  expectations
 * that go
 *
 * A pass sees the best task as a row of units, each of which can be changed on its own. The iterator tries
 * chunks of neighbouring units, from the end, all of them first, then half as many, down to single ones. */
#ifndef MUTATE_SHRINK_SHRINK_INTERNAL_H
#define MUTATE_SHRINK_SHRINK_INTERNAL_H

#include "mutate/shrink.h"
#include "mutate/tree/tree_internal.h"

enum unit_kind {
    UNIT_CUT,  /* the entries [entry, end), a repetition, go */
    UNIT_SET,  /* the entry gets a value, what is below it goes, or stays for a leaf */
    UNIT_HOIST /* the entry gets a value and what stands below `inner` */
};

struct unit {
    enum unit_kind kind;
    size_t entry, end;
    uint64_t value;
    size_t inner;
    size_t row;   /* UNIT_CUT: index of its row */
    size_t shift; /* UNIT_CUT: a handle behind it that is one less far from the newest then; SIZE_MAX: all; 0:
                     none */
};

struct units {
    const struct domain *domain;
    struct unit *items;
    size_t count, capacity;
    struct tree_rows rows;
};

/* --- unit.c --- */
typedef void gather_units(struct units *u, const struct domain *d, const struct derivation *log);
gather_units units_of_steps, units_of_shifts, units_of_step_alternatives, units_to_hoist,
    units_of_rule_alternatives, units_of_counts, units_of_repetitions, units_of_zeros, units_of_halves,
    units_of_eighths, units_of_decrements;
void units_release(struct units *u);

/* --- rebuild.c --- */
/* Makes the changes [first, last) of u, as far as they are not within one another: then the outer one. Rows
 * keep their least. */
void units_apply(const struct units *u, size_t first, size_t last, const struct derivation *from,
                 struct derivation *to);

/* --- derive.c --- */
/* tree_repair, but what the log does not say takes the cheapest alternatives and the first values. ERR_LIMIT:
 * a budget does not admit it. */
int shrink_derive(const struct shrink_options *o, const struct derivation *edited, uint64_t seed,
                  uint64_t index, struct task **task, struct error **err);

#endif
