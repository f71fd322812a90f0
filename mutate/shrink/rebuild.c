/* Several changes of one log at once, in one pass over it.
 *
 * Invariants: a row that loses repetitions keeps its least, and says that it stops if it did not; a count
 * loses as many as are cut. Of changes within one another the outer one is made. */
#include <stdlib.h>

#include "base/error.h"
#include "mutate/shrink/shrink_internal.h"
#include "mutate/tree/tree_nest.h"

struct rebuild {
    const struct derivation *from;
    struct derivation *to;
    const struct unit **changes;   /* by entry; NULL: it stays */
    uint64_t *less;                /* by entry: repetitions that a count loses */
    const struct tree_row **stops; /* rows that have to say so, in order of their ends */
    size_t stop_count;
    size_t *open, *opened, depth; /* entries of from that are open, and where they stand in to */
};

static void append(struct rebuild *r, struct choice c)
{
    struct derivation *to = r->to;
    if (to->count == to->capacity) {
        to->capacity = to->capacity ? 2 * to->capacity : 64;
        to->items = xrealloc(to->items, to->capacity * sizeof *to->items);
    }
    c.end = (uint32_t)to->count + 1;
    to->items[to->count++] = c;
}

/* Chooses among the cuts of [first, last) as many of each row as its least admits. */
static void plan(struct rebuild *r, const struct units *u, size_t first, size_t last)
{
    size_t *taken = xcalloc(u->rows.count + 1, sizeof *taken);
    for (size_t i = first; i < last; i++) {
        const struct unit *unit = &u->items[i];
        if (r->changes[unit->entry])
            continue;
        if (unit->kind == UNIT_CUT) {
            const struct tree_row *row = &u->rows.items[unit->row];
            if (row->count - taken[unit->row] <= row->site.least)
                continue;
            taken[unit->row]++;
            if (row->counted)
                r->less[row->parent]++;
        }
        r->changes[unit->entry] = unit;
    }
    for (size_t i = 0; i < u->rows.count; i++)
        if (taken[i] && !u->rows.items[i].counted && !u->rows.items[i].stopped)
            r->stops[r->stop_count++] = &u->rows.items[i];
    free(taken);
}

static void say_stop(struct rebuild *r, size_t at)
{
    size_t parent = r->depth ? r->open[r->depth - 1] : SIZE_MAX;
    for (size_t i = 0; i < r->stop_count; i++)
        if (r->stops[i]->end == at && r->stops[i]->parent == parent)
            append(r, (struct choice){.site = r->stops[i]->number,
                                      .value = tree_stop_value(&r->stops[i]->site)});
}

/* Closes what ends before entry `at`. */
static void close_until(struct rebuild *r, size_t at)
{
    say_stop(r, at);
    while (r->depth && r->from->items[r->open[r->depth - 1]].end <= at) {
        r->depth--;
        r->to->items[r->opened[r->depth]].end = (uint32_t)r->to->count;
        say_stop(r, at);
    }
}

/* Copies the entry or makes its change; returns the entry to go on with. */
static size_t step(struct rebuild *r, size_t at)
{
    const struct unit *change = r->changes[at];
    struct choice c = r->from->items[at];
    size_t end = c.end;
    if (change && change->kind == UNIT_CUT)
        return change->end;
    if (change && change->kind == UNIT_SET) {
        c.value = change->value;
        append(r, c);
        return end;
    }
    c.value -= r->less[at];
    append(r, c);
    r->open[r->depth] = at;
    r->opened[r->depth++] = r->to->count - 1;
    return at + 1;
}

static void rebuild(const struct units *u, size_t first, size_t last, const struct derivation *from,
                    struct derivation *to)
{
    struct rebuild r = {.from = from, .to = to};
    r.changes = xcalloc(from->count + 1, sizeof *r.changes);
    r.less = xcalloc(from->count + 1, sizeof *r.less);
    r.stops = xcalloc(u->rows.count + 1, sizeof *r.stops);
    r.open = xcalloc(from->count + 1, sizeof *r.open);
    r.opened = xcalloc(from->count + 1, sizeof *r.opened);
    derivation_clear(to);
    plan(&r, u, first, last);
    for (size_t at = 0; at < from->count;) {
        close_until(&r, at);
        at = step(&r, at);
    }
    close_until(&r, from->count);
    free(r.changes);
    free(r.less);
    free(r.stops);
    free(r.open);
    free(r.opened);
}

/* The handles behind the cut, or one of them, one nearer to the newest. */
static void bring_nearer(const struct units *u, const struct unit *unit, struct derivation *d)
{
    for (size_t i = unit->end; i < d->count; i++) {
        struct site site;
        bool meant = unit->shift == SIZE_MAX || unit->shift == i;
        if (meant && d->items[i].value && domain_site(u->domain, d->items[i].site, &site) &&
            site.kind == SITE_HANDLE)
            d->items[i].value--;
    }
}

void units_apply(const struct units *u, size_t first, size_t last, const struct derivation *from,
                 struct derivation *to)
{
    const struct unit *only = &u->items[first];
    if (only->kind == UNIT_HOIST) {
        tree_give(from, only->entry, only->value, from, only->inner, to);
    } else if (only->shift) {
        struct derivation nearer;
        derivation_init(&nearer);
        derivation_copy(&nearer, from);
        bring_nearer(u, only, &nearer);
        rebuild(u, first, last, &nearer, to);
        derivation_release(&nearer);
    } else {
        rebuild(u, first, last, from, to);
    }
}
