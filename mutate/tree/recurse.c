/* recurse: where a subtree holds one that could be it, what is between them is repeated, 2, 4, 8 … times. */
#include "base/error.h"
#include "mutate/tree/tree_nest.h"

enum {
    DOUBLINGS_MOST = 6,
    ENTRIES_MOST = 4096 /* of an edited log; what the budget of the plan allows is less */
};

/* How often the way from outer to inner can be put in, a power of two less the one that is there. */
static size_t draw_times(const struct tree_edit *e, size_t between)
{
    size_t times = ((size_t)2 << rng_below(e->rng, DOUBLINGS_MOST)) - 1;
    size_t room = e->from->count < ENTRIES_MOST ? ENTRIES_MOST - e->from->count : 0;
    return times * between <= room ? times : room / between;
}

static bool edit(struct tree_edit *e)
{
    struct tree_nested n;
    if (!tree_draw_nested(e, false, &n))
        return false;
    /* Each time the inner one's place, which moves inwards, takes what stands below the outer one. */
    size_t place = n.inner, extent = tree_end(e->from, n.outer) - n.outer;
    size_t times = draw_times(e, extent - (tree_end(e->from, n.inner) - n.inner));
    if (!times)
        return false;
    struct derivation previous;
    derivation_init(&previous);
    derivation_copy(&previous, e->from);
    for (size_t i = 0; i < times; i++) {
        tree_give(&previous, place, n.value, e->from, n.outer, e->to);
        place += n.inner - n.outer;
        derivation_copy(&previous, e->to);
    }
    derivation_release(&previous);
    tree_describe_entry(e, n.outer);
    buf_addf(e->detail, " nested in itself, %zu levels more", times);
    return true;
}

const struct tree_mutator tree_recurse = {
    .name = "recurse",
    .group = "tree",
    .summary = "nest a part that holds one of its own kind in itself, up to 64 times",
    .details = "What stands between the outer and the inner one is put in 1, 3, 7 … 63 more times, as far as "
               "the budgets of the template admit.",
    .edit = edit,
};
