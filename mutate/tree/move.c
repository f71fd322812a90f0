/* move: a round or a step of a walk goes to another place, in its own row or in another one of the same site.
 */
#include "mutate/tree/tree_internal.h"

static bool has_some(const struct tree_row *row)
{
    return !row->counted && row->count > 0;
}

static bool is_within(const struct tree_row *row, size_t start, size_t end)
{
    return row->parent != SIZE_MAX && row->parent >= start && row->parent < end;
}

/* A row of the same site that does not stand in what is moved, as long as the old one keeps its least; else
 * the row itself, which has to have two then. NULL: there is none. */
static const struct tree_row *draw_target(const struct tree_edit *e, const struct tree_rows *rows,
                                          const struct tree_row *row, size_t start, size_t end)
{
    const struct tree_row *target = row->count > 1 ? row : NULL;
    uint64_t seen = row->count > 1;
    for (size_t i = 0; i < rows->count && row->count > row->site.least; i++) {
        const struct tree_row *other = &rows->items[i];
        if (other != row && other->number == row->number && !is_within(other, start, end) &&
            rng_below(e->rng, ++seen) == 0)
            target = other;
    }
    return target;
}

/* First it stands in both places; then the old one, which may have moved on, goes. */
static void move(struct tree_edit *e, const struct tree_row *row, size_t index, const struct tree_row *target,
                 size_t place)
{
    size_t start, end, at = target->end, unused;
    struct derivation both;
    struct tree_rows rows;
    derivation_init(&both);
    tree_row_item(e->from, row, index, &start, &end);
    if (place < target->count)
        tree_row_item(e->from, target, place, &at, &unused);
    tree_row_insert(e->from, target, place, e->from, start, end, &both);
    size_t old = at <= start ? start + (end - start) : start;
    tree_rows_find(&rows, e->domain, &both);
    for (size_t i = 0; i < rows.count; i++) {
        const struct tree_row *r = &rows.items[i];
        for (size_t k = 0, item = r->first; !r->counted && k < r->count; k++, item = tree_end(&both, item))
            if (item == old)
                tree_row_remove(&both, r, k, e->to);
    }
    tree_rows_release(&rows);
    derivation_release(&both);
}

/* Where it is put in. In its own row, in front of itself and behind itself are no other place. */
static size_t draw_place(const struct tree_edit *e, const struct tree_row *row, size_t index,
                         const struct tree_row *target)
{
    if (target != row)
        return rng_below(e->rng, target->count + 1);
    size_t place = rng_below(e->rng, row->count - 1);
    return place < index ? place : place + 2;
}

static bool edit(struct tree_edit *e)
{
    struct tree_rows rows;
    bool done = false;
    tree_rows_find(&rows, e->domain, e->from);
    const struct tree_row *row = tree_draw_row(e, &rows, has_some);
    if (row) {
        size_t start, end, index = rng_below(e->rng, row->count);
        tree_row_item(e->from, row, index, &start, &end);
        const struct tree_row *target = draw_target(e, &rows, row, start, end);
        done = target != NULL;
        if (done) {
            size_t place = draw_place(e, row, index, target);
            move(e, row, index, target, place);
            tree_describe_item(e, row, index);
            buf_addf(e->detail, " moved %s number %zu", target == row ? "before" : "to another one, before",
                     place + 1);
        }
    }
    tree_rows_release(&rows);
    return done;
}

const struct tree_mutator tree_move = {
    .name = "move",
    .group = "step",
    .summary = "move a round of a repeat or a step of a walk to another place",
    .details = "To another place in its row, or in another row of the same repeat or walk.",
    .edit = edit,
};
