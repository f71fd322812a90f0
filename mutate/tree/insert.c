/* insert: one more round of a repeat or step of a walk, of the donor, of the task itself, or drawn by the
 * repair; or what is optional is done. */
#include "mutate/tree/tree_internal.h"

static const double drawn_share = 0.3, optional_share = 0.2;

static bool takes_more(const struct tree_row *row)
{
    return !row->counted && row->site.choices > 1; /* those beyond the maximum fall off in the repair */
}

static bool is_left_out(const struct tree_edit *e, size_t entry, const struct site *site)
{
    return site->kind == SITE_OPTIONAL && e->from->items[entry].value % 2 == 0;
}

static bool do_optional(struct tree_edit *e)
{
    size_t entry = tree_draw(e, is_left_out);
    if (entry == SIZE_MAX)
        return false;
    tree_set(e->from, entry, 1, e->to);
    tree_describe_entry(e, entry);
    buf_add_string(e->detail, " done");
    return true;
}

/* One of the log's repetitions of that site; SIZE_MAX: it has none. */
static size_t draw_item(const struct tree_edit *e, const struct derivation *d, const struct tree_row *row)
{
    uint64_t seen = 0;
    size_t chosen = SIZE_MAX;
    for (size_t i = 1; i < d->count; i++)
        if (d->items[i].site == row->number && d->items[i].value != tree_stop_value(&row->site) &&
            rng_below(e->rng, ++seen) == 0)
            chosen = i;
    return chosen;
}

static bool insert(struct tree_edit *e, const struct tree_row *row)
{
    size_t index = rng_below(e->rng, row->count + 1);
    const struct derivation *source = e->donor ? e->donor : e->from;
    size_t item = rng_chance(e->rng, drawn_share) ? SIZE_MAX : draw_item(e, source, row);
    struct choice bare = {.site = row->number, .end = 1, .value = rng_below(e->rng, row->site.choices - 1)};
    struct derivation drawn = {.items = &bare, .count = 1, .capacity = 1};
    if (item == SIZE_MAX)
        tree_row_insert(e->from, row, index, &drawn, 0, 1, e->to);
    else
        tree_row_insert(e->from, row, index, source, item, tree_end(source, item), e->to);
    buf_addf(e->detail, "%s put in as number %zu of ",
             item == SIZE_MAX    ? "a new one"
             : source == e->from ? "one of the task's own"
                                 : "one of another task",
             index + 1);
    tree_describe(e->detail, &row->site);
    return true;
}

static bool edit(struct tree_edit *e)
{
    struct tree_rows rows;
    if (rng_chance(e->rng, optional_share) && do_optional(e))
        return true;
    tree_rows_find(&rows, e->domain, e->from);
    const struct tree_row *row = tree_draw_row(e, &rows, takes_more);
    bool done = row ? insert(e, row) : do_optional(e);
    tree_rows_release(&rows);
    return done;
}

const struct tree_mutator tree_insert = {
    .name = "insert",
    .group = "step",
    .summary = "put in one more round of a repeat or step of a walk, or do what is optional",
    .details =
        "One of another task of the domain, if there is one, or of the task itself; three of ten are drawn.",
    .needs_donor = true,
    .edit = edit,
};
