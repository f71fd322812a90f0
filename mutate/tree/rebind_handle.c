/* rebind-handle: a step takes another handle of those that fit. How many fit, only the repair knows; it
 * brings the number back into their range. */
#include "mutate/tree/tree_internal.h"

enum { FARTHEST = 8 };

static bool is_handle(const struct tree_edit *e, size_t entry, const struct site *site)
{
    return site->kind == SITE_HANDLE;
}

static bool edit(struct tree_edit *e)
{
    size_t entry = tree_draw(e, is_handle);
    if (entry == SIZE_MAX)
        return false;
    uint64_t old = e->from->items[entry].value, value = old + 1 + rng_below(e->rng, FARTHEST);
    tree_set(e->from, entry, value, e->to);
    tree_describe_entry(e, entry);
    buf_addf(e->detail, " is another one, %llu steps on", (unsigned long long)(value - old));
    return true;
}

const struct tree_mutator tree_rebind_handle = {
    .name = "rebind-handle",
    .group = "step",
    .summary = "let a step use another handle of those that fit",
    .details = "Which handles fit stays as it is: their kind and their state.",
    .edit = edit,
};
