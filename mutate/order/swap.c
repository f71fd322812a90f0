/* swap: two neighbouring steps change places. */
#include "mutate/order/order.h"

static bool apply(struct mutation *m)
{
    if (!order_fits(m, 2))
        return false;
    size_t places = m->task->step_count - 1, first = (size_t)rng_below(m->rng, places);
    for (size_t i = 0; i < places; i++) {
        size_t at = (first + i) % places;
        if (order_move(m, "swap", at + 1, at))
            return true;
    }
    return false;
}

const struct mutator mutator_swap = {
    .name = "swap",
    .group = "step",
    .summary = "two neighbouring steps of an imported task change places",
    .details = "Of a task without a derivation. Only where neither needs what the other gives; what hangs on their order is no longer "
               "expected.",
    .places = "",
    .kinds = "",
    .apply = apply,
};
