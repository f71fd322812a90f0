/* swap: two repetitions of one row change places. */
#include "mutate/tree/tree_internal.h"

static bool has_two(const struct tree_row *row)
{
    return row->count > 1;
}

static void swap(struct tree_edit *e, const struct tree_row *row, size_t low, size_t high)
{
    size_t a, a_end, b, b_end;
    struct derivation half;
    derivation_init(&half);
    tree_row_item(e->from, row, low, &a, &a_end);
    tree_row_item(e->from, row, high, &b, &b_end);
    tree_replace(e->from, row->parent, b, b_end, e->from, a, a_end, &half);
    tree_replace(&half, row->parent, a, a_end, e->from, b, b_end, e->to);
    derivation_release(&half);
}

static bool edit(struct tree_edit *e)
{
    struct tree_rows rows;
    tree_rows_find(&rows, e->domain, e->from);
    const struct tree_row *row = tree_draw_row(e, &rows, has_two);
    if (row) {
        size_t low = rng_below(e->rng, row->count - 1);
        size_t high = low + 1 + rng_below(e->rng, row->count - 1 - low);
        swap(e, row, low, high);
        tree_describe_item(e, row, low);
        buf_addf(e->detail, " swapped with number %zu", high + 1);
    }
    tree_rows_release(&rows);
    return row != NULL;
}

const struct tree_mutator tree_swap = {
    .name = "swap",
    .group = "step",
    .summary = "let two rounds of a repeat, steps of a walk or repetitions in a text change places",
    .details = "Steps use the handles that are there when their turn comes.",
    .edit = edit,
};
