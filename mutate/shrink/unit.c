/* What may be changed in a derivation, by pass. Units stand in preorder of their entries; a change that would
 * leave the log as it is, is no unit. */
#include <stdlib.h>

#include "base/error.h"
#include "mutate/shrink/shrink_internal.h"
#include "mutate/tree/tree_nest.h"

static struct unit *add(struct units *u, struct unit unit)
{
    if (u->count == u->capacity) {
        u->capacity = u->capacity ? 2 * u->capacity : 32;
        u->items = xrealloc(u->items, u->capacity * sizeof *u->items);
    }
    u->items[u->count] = unit;
    return &u->items[u->count++];
}

void units_release(struct units *u)
{
    free(u->items);
    tree_rows_release(&u->rows);
    *u = (struct units){0};
}

static int compare(size_t a, size_t b)
{
    return (a > b) - (a < b);
}

static int by_entry(const void *a, const void *b)
{
    const struct unit *x = a, *y = b;
    int order = compare(x->entry, y->entry);
    order = order ? order : compare(x->kind, y->kind);
    order = order ? order : compare(x->inner, y->inner);
    return order ? order : compare(x->shift, y->shift);
}

static void sort(struct units *u)
{
    if (u->count)
        qsort(u->items, u->count, sizeof *u->items, by_entry);
}

/* The repetitions of rows that have more than they must. */
static void add_spare(struct units *u, const struct derivation *log, bool counted)
{
    for (size_t r = 0; r < u->rows.count; r++) {
        const struct tree_row *row = &u->rows.items[r];
        for (size_t i = 0; row->counted == counted && row->count > row->site.least && i < row->count; i++) {
            struct unit unit = {.kind = UNIT_CUT, .row = r};
            tree_row_item(log, row, i, &unit.entry, &unit.end);
            add(u, unit);
        }
    }
}

static void add_set(struct units *u, const struct derivation *log, size_t entry, uint64_t value)
{
    add(u, (struct unit){.kind = UNIT_SET, .entry = entry, .end = log->items[entry].end, .value = value});
}

void units_of_steps(struct units *u, const struct domain *d, const struct derivation *log)
{
    tree_rows_find(&u->rows, d, log);
    add_spare(u, log, false);
    for (size_t i = 1; i < log->count; i++) {
        struct site site;
        if (domain_site(d, log->items[i].site, &site) && site.kind == SITE_OPTIONAL &&
            log->items[i].value % 2)
            add_set(u, log, i, 0);
    }
    sort(u);
}

/* Handles are counted from the newest: a step that goes takes the one that it made out of that count, and
 * steps behind it would take another one. So single steps are cut with the handles behind them brought
 * nearer, all and one by one. */
void units_of_shifts(struct units *u, const struct domain *d, const struct derivation *log)
{
    enum { NEAREST = 8 };
    tree_rows_find(&u->rows, d, log);
    add_spare(u, log, false);
    for (size_t i = 0, cuts = u->count; i < cuts; i++) {
        struct unit cut = u->items[i];
        size_t found = 0;
        u->items[i].shift = SIZE_MAX;
        for (size_t k = cut.end; k < log->count && found < NEAREST; k++) {
            struct site site;
            if (log->items[k].value && domain_site(d, log->items[k].site, &site) &&
                site.kind == SITE_HANDLE) {
                cut.shift = k;
                add(u, cut);
                found++;
            }
        }
    }
    sort(u);
}

/* The cheapest value of the entry's site, in as far as it is an alternative of what stands there. */
static uint64_t cheapest(const struct domain *d, uint32_t number, const struct site *site)
{
    if (site->kind != SITE_WALK)
        return domain_site_cheapest(d, number);
    return 0; /* the cheapest of all is to stop, which is for the pass over steps */
}

static bool is_step_choice(const struct site *site, uint64_t value)
{
    return site->kind == SITE_ONE_OF || site->kind == SITE_DO || site->kind == SITE_PRODUCE ||
           (site->kind == SITE_WALK && value != tree_stop_value(site));
}

static void add_alternatives(struct units *u, const struct domain *d, const struct derivation *log, bool plan)
{
    for (size_t i = 1; i < log->count; i++) {
        struct site site;
        const struct choice *c = &log->items[i];
        if (!domain_site(d, c->site, &site))
            continue;
        bool fits = plan ? is_step_choice(&site, c->value) : site.kind == SITE_ALTERNATIVE;
        uint64_t value = cheapest(d, c->site, &site);
        if (fits && (value != c->value || c->end > i + 1))
            add_set(u, log, i, value);
    }
}

void units_of_step_alternatives(struct units *u, const struct domain *d, const struct derivation *log)
{
    add_alternatives(u, d, log, true);
}

void units_of_rule_alternatives(struct units *u, const struct domain *d, const struct derivation *log)
{
    add_alternatives(u, d, log, false);
}

/* For each entry the nearest of those around it whose place it can take; what stands deeper is reached in
 * several steps. */
void units_to_hoist(struct units *u, const struct domain *d, const struct derivation *log)
{
    size_t *parents = tree_parents(log);
    for (size_t i = 1; i < log->count; i++) {
        uint64_t value = 0;
        size_t up = parents[i];
        while (up != SIZE_MAX && up > 0 && !tree_can_take(d, log, up, i, &value))
            up = parents[up];
        if (up != SIZE_MAX && up > 0)
            add(u,
                (struct unit){
                    .kind = UNIT_HOIST, .entry = up, .end = log->items[up].end, .inner = i, .value = value});
    }
    free(parents);
    sort(u);
}

/* Counts to their least, all repetitions that there may be. */
void units_of_counts(struct units *u, const struct domain *d, const struct derivation *log)
{
    for (size_t i = 1; i < log->count; i++) {
        struct site site;
        if (domain_site(d, log->items[i].site, &site) && site.kind == SITE_COUNT && log->items[i].value)
            add_set(u, log, i, 0);
    }
}

void units_of_repetitions(struct units *u, const struct domain *d, const struct derivation *log)
{
    tree_rows_find(&u->rows, d, log);
    add_spare(u, log, true);
    sort(u);
}

/* --- leaves --- */

/* Letters only become the first one: to halve a letter means nothing. What a subset or the room left is, is
 * no part of the task. */
static bool is_terminal(const struct site *site, bool letters)
{
    return site->kind == SITE_VALUE || site->kind == SITE_NUMBER || site->kind == SITE_HANDLE ||
           (letters && site->kind == SITE_LETTER);
}

void units_of_zeros(struct units *u, const struct domain *d, const struct derivation *log)
{
    for (size_t i = 1; i < log->count; i++) {
        struct site site;
        if (domain_site(d, log->items[i].site, &site) && is_terminal(&site, true) && log->items[i].value)
            add_set(u, log, i, 0);
    }
}

/* Every number less its 2^-shift-th part; when that is nothing, less `least`. */
static void lower(struct units *u, const struct domain *d, const struct derivation *log, unsigned shift,
                  uint64_t least)
{
    for (size_t i = 1; i < log->count; i++) {
        struct site site;
        uint64_t value = log->items[i].value, less = value >> shift ? value >> shift : least;
        if (domain_site(d, log->items[i].site, &site) && is_terminal(&site, false) && value > less && less)
            add_set(u, log, i, value - less);
    }
}

void units_of_halves(struct units *u, const struct domain *d, const struct derivation *log)
{
    lower(u, d, log, 1, 0);
}

void units_of_eighths(struct units *u, const struct domain *d, const struct derivation *log)
{
    lower(u, d, log, 3, 0);
}

void units_of_decrements(struct units *u, const struct domain *d, const struct derivation *log)
{
    lower(u, d, log, 6, 1);
}
