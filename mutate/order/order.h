/* Edits of a task's row of steps, for tasks without a derivation: imported ones. Those that were derived are edited there
 * (mutate/tree), where the grammar repairs what follows from it; here what might follow is no longer expected. */
#ifndef MUTATE_ORDER_ORDER_H
#define MUTATE_ORDER_ORDER_H

#include "mutate/mutate_internal.h"

/* Is it such a task, with at least so many steps? */
bool order_fits(const struct mutation *m, size_t least);
/* The step may be done at another time, or once more: it stands in no group, and is not about a session. */
bool order_is_free(const struct task_step *s);
/* Moves step `from` to where `to` stands now. False: a step would use what is not there yet, or a group would be torn; then nothing is
 * changed. */
bool order_move(struct mutation *m, const char *mutator, size_t from, size_t to);

#endif
