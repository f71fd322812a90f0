/* drop: one repetition is taken out, or what is optional is left out. */
#include "mutate/tree/tree_internal.h"

static bool has_spare(const struct tree_row *row)
{
    return row->count > row->site.least;
}

static bool is_done(const struct tree_edit *e, size_t entry, const struct site *site)
{
    return site->kind == SITE_OPTIONAL && e->from->items[entry].value % 2;
}

static bool leave_out(struct tree_edit *e)
{
    size_t entry = tree_draw(e, is_done);
    if (entry == SIZE_MAX)
        return false;
    tree_set(e->from, entry, 0, e->to);
    tree_describe_entry(e, entry);
    buf_add_string(e->detail, " left out");
    return true;
}

static bool drop_item(struct tree_edit *e, const struct tree_rows *rows)
{
    const struct tree_row *row = tree_draw_row(e, rows, has_spare);
    if (!row)
        return false;
    size_t index = rng_below(e->rng, row->count);
    tree_row_remove(e->from, row, index, e->to);
    tree_describe_item(e, row, index);
    buf_add_string(e->detail, " dropped");
    return true;
}

static bool edit(struct tree_edit *e)
{
    struct tree_rows rows;
    tree_rows_find(&rows, e->domain, e->from);
    bool first = rng_chance(e->rng, 0.25);
    bool done = (first && leave_out(e)) || drop_item(e, &rows) || leave_out(e);
    tree_rows_release(&rows);
    return done;
}

const struct tree_mutator tree_drop = {
    .name = "drop",
    .group = "step",
    .summary = "take out a round of a repeat, a step of a walk, what is optional, or a repetition in a text",
    .details =
        "Steps that used what is gone use another handle, or the cheapest step that makes one is done first.",
    .edit = edit,
};
