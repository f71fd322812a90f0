/* move: a step is done at another time. */
#include "mutate/order/order.h"

enum { TRIES = 16 };

static bool apply(struct mutation *m)
{
    size_t count = m->task->step_count;
    for (int i = 0; i < TRIES && order_fits(m, 3); i++)
        if (order_move(m, "move", (size_t)rng_below(m->rng, count), (size_t)rng_below(m->rng, count)))
            return true;
    return false;
}

const struct mutator mutator_move = {
    .name = "move",
    .group = "step",
    .summary = "a step of an imported task is done at another time",
    .details = "Of a task without a derivation. Not before what it needs, not after what needs it, not into a group; what hangs on the "
               "order is no longer expected.",
    .places = "",
    .kinds = "",
    .apply = apply,
};
