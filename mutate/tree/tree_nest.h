/* Subtrees that may stand in each other's place: those of one site, and steps that the other site can do too.
 * For hoist, recurse and the shrinker. */
#ifndef MUTATE_TREE_TREE_NEST_H
#define MUTATE_TREE_TREE_NEST_H

#include "mutate/tree/tree_internal.h"

/* Whether what stands below `giver` may stand below `taker`; *value is what the taker has to say then. */
bool tree_can_take(const struct domain *d, const struct derivation *log, size_t taker, size_t giver,
                   uint64_t *value);
/* The taker gets the value and what stands below the giver, which is an entry of `from` as well. */
void tree_give(const struct derivation *log, size_t taker, uint64_t value, const struct derivation *from,
               size_t giver, struct derivation *to);

struct tree_nested {
    size_t outer, inner;
    uint64_t value; /* of the one that takes */
};

/* Draws a pair, one within the other, of which the outer one can take what the inner one has, or the other
 * way round. */
bool tree_draw_nested(const struct tree_edit *e, bool outer_takes,
                      struct tree_nested *nested); /* false: there is none */

#endif
