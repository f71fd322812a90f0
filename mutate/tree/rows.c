/* Rows of repetitions in a log. Rounds and steps of a walk are siblings in a row, ended by one that says stop
 * unless their maximum was reached; a grammar's count holds its repetitions as children, `width` each.
 *
 * Invariant: what tree_row_insert and tree_row_remove leave is a row again, with one more or one less. */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "mutate/tree/tree_internal.h"

uint64_t tree_stop_value(const struct site *site)
{
    return site->kind == SITE_WALK ? site->choices - 1 : 1;
}

static void add_row(struct tree_rows *rows, const struct tree_row *row)
{
    if (rows->count == rows->capacity) {
        rows->capacity = rows->capacity ? 2 * rows->capacity : 16;
        rows->items = xrealloc(rows->items, rows->capacity * sizeof *rows->items);
    }
    rows->items[rows->count++] = *row;
}

/* The row that starts at this entry; returns where its last sibling ends, the one that says stop included. */
static size_t add_siblings(struct tree_rows *rows, const struct derivation *d, size_t head, size_t parent,
                           const struct site *site)
{
    size_t limit = parent == SIZE_MAX ? d->count : d->items[parent].end, i = head;
    struct tree_row row = {.number = d->items[head].site, .site = *site, .parent = parent, .first = head};
    while (i < limit && d->items[i].site == row.number && !row.stopped) {
        row.stopped = d->items[i].value == tree_stop_value(site);
        row.count += !row.stopped;
        row.end = row.stopped ? i : d->items[i].end;
        i = d->items[i].end;
    }
    add_row(rows, &row);
    return i;
}

static void add_counted(struct tree_rows *rows, const struct derivation *d, size_t entry,
                        const struct site *site)
{
    if (!site->width)
        return;
    struct tree_row row = {.number = d->items[entry].site,
                           .site = *site,
                           .parent = entry,
                           .counted = true,
                           .first = entry + 1,
                           .end = entry + 1,
                           .count = tree_child_count(d, entry) / site->width};
    if (d->items[entry].value > SIZE_MAX - site->least || row.count != site->least + d->items[entry].value)
        return; /* a foreign log */
    size_t last, unused;
    if (row.count) {
        tree_row_item(d, &row, row.count - 1, &unused, &last);
        row.end = last;
    }
    add_row(rows, &row);
}

void tree_rows_find(struct tree_rows *rows, const struct domain *domain, const struct derivation *d)
{
    *rows = (struct tree_rows){0};
    size_t *parents = tree_parents(d);
    bool *done = xcalloc(d->count + 1, sizeof *done); /* siblings of a row that is known */
    for (size_t i = 0; i < d->count; i++) {
        struct site site;
        if (done[i] || !domain_site(domain, d->items[i].site, &site))
            continue;
        if (site.kind == SITE_COUNT)
            add_counted(rows, d, i, &site);
        if (site.kind != SITE_ROUND && site.kind != SITE_WALK)
            continue;
        size_t end = add_siblings(rows, d, i, parents[i], &site);
        for (size_t k = i; k < end; k = d->items[k].end)
            done[k] = true;
    }
    free(done);
    free(parents);
}

void tree_rows_release(struct tree_rows *rows)
{
    free(rows->items);
    *rows = (struct tree_rows){0};
}

void tree_row_item(const struct derivation *d, const struct tree_row *row, size_t index, size_t *start,
                   size_t *end)
{
    size_t each = row->counted ? row->site.width : 1, at = row->first;
    for (size_t i = 0; i < index * each; i++)
        at = d->items[at].end;
    *start = at;
    for (size_t i = 0; i < each; i++)
        at = d->items[at].end;
    *end = at;
}

const struct tree_row *tree_draw_row(const struct tree_edit *e, const struct tree_rows *rows,
                                     bool (*fits)(const struct tree_row *row))
{
    struct tree_pick pick;
    size_t chosen, none;
    tree_pick_init(&pick, e->rng);
    for (size_t i = 0; i < rows->count; i++)
        if (fits(&rows->items[i]))
            tree_offer(&pick, rows->items[i].site.kind, i, 0);
    return tree_pick_take(&pick, &chosen, &none) ? &rows->items[chosen] : NULL;
}

void tree_row_insert(const struct derivation *from, const struct tree_row *row, size_t index,
                     const struct derivation *other, size_t first, size_t last, struct derivation *to)
{
    size_t place = row->end, unused;
    if (index < row->count)
        tree_row_item(from, row, index, &place, &unused);
    tree_replace(from, row->parent, place, place, other, first, last, to);
    if (row->counted)
        to->items[row->parent].value++;
}

/* A row at its maximum says nowhere that it ends; one shorter, it has to. */
static void say_stop(const struct tree_row *row, size_t place, const struct derivation *from,
                     struct derivation *to)
{
    struct choice stop = {.site = row->number, .end = 1, .value = tree_stop_value(&row->site)};
    struct derivation one = {.items = &stop, .count = 1, .capacity = 1};
    tree_replace(from, row->parent, place, place, &one, 0, 1, to);
}

void tree_row_remove(const struct derivation *from, const struct tree_row *row, size_t index,
                     struct derivation *to)
{
    size_t start, end;
    tree_row_item(from, row, index, &start, &end);
    if (row->counted || row->stopped) {
        tree_replace(from, row->parent, start, end, NULL, 0, 0, to);
        if (row->counted)
            to->items[row->parent].value--;
        return;
    }
    struct derivation shorter;
    derivation_init(&shorter);
    tree_replace(from, row->parent, start, end, NULL, 0, 0, &shorter);
    say_stop(row, row->end - (end - start), &shorter, to);
    derivation_release(&shorter);
}
