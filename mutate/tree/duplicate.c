/* duplicate: one repetition stands there twice. */
#include "mutate/tree/tree_internal.h"

/* A count tells how many it may have at most; rounds and steps beyond theirs fall off in the repair. */
static bool has_room(const struct tree_row *row)
{
    return row->count > 0 && (!row->counted || row->count - row->site.least + 1 < row->site.choices);
}

static bool edit(struct tree_edit *e)
{
    struct tree_rows rows;
    tree_rows_find(&rows, e->domain, e->from);
    const struct tree_row *row = tree_draw_row(e, &rows, has_room);
    if (row) {
        size_t start, end, index = rng_below(e->rng, row->count);
        tree_row_item(e->from, row, index, &start, &end);
        tree_row_insert(e->from, row, index + 1, e->from, start, end, e->to);
        tree_describe_item(e, row, index);
        buf_add_string(e->detail, " doubled");
    }
    tree_rows_release(&rows);
    return row != NULL;
}

const struct tree_mutator tree_duplicate = {
    .name = "duplicate",
    .group = "step",
    .summary = "double a round of a repeat, a step of a walk or a repetition in a text",
    .details = "The copy makes handles of its own, with other names.",
    .edit = edit,
};
