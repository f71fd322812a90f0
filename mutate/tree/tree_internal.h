/* What tree mutators share: drawing an entry, rows of repetitions, words for people.
 *
 * Half of a domain's choices are letters of names, so what is drawn is drawn by level first: the plan's
 * entries together get as much as all below them. */
#ifndef MUTATE_TREE_TREE_INTERNAL_H
#define MUTATE_TREE_TREE_INTERNAL_H

#include "mutate/tree/tree.h"

extern const struct tree_mutator tree_regenerate, tree_replace_alternative, tree_splice, tree_recurse,
    tree_hoist, tree_drop, tree_duplicate, tree_swap, tree_move, tree_insert, tree_rebind_handle;

/* --- drawing --- */

/* Draws one of the pairs offered, each alike within its level. */
struct tree_pick {
    struct rng *rng;
    uint64_t seen[2]; /* plan, grammar */
    size_t pair[2][2];
};

void tree_pick_init(struct tree_pick *p, struct rng *rng);
void tree_offer(struct tree_pick *p, enum site_kind kind, size_t first, size_t second);
bool tree_pick_take(struct tree_pick *p, size_t *first, size_t *second); /* false: nothing was offered */

bool tree_is_value_level(enum site_kind kind);
/* Draws an entry below the root that fits; SIZE_MAX: there is none. */
size_t tree_draw(const struct tree_edit *e,
                 bool (*fits)(const struct tree_edit *e, size_t entry, const struct site *site));
/* The parent of every entry, SIZE_MAX for none; free it. */
size_t *tree_parents(const struct derivation *d);
/* Same sites and values in the same shape. */
bool tree_same(const struct derivation *a, size_t entry, const struct derivation *b, size_t other);

/* --- rows: the rounds of a repeat, the steps of a walk, the repetitions of a grammar's count --- */

struct tree_row {
    uint32_t number; /* of the site */
    struct site site;
    size_t parent;     /* of the repetitions; of a count: the entry itself */
    size_t first, end; /* entries of the repetitions, without the one that says stop */
    size_t count;
    bool counted; /* of a count: its value says how many */
    bool stopped; /* an entry that says stop follows */
};

struct tree_rows {
    struct tree_row *items;
    size_t count, capacity;
};

/* All rows of the log in preorder of their first entries; release in any case. Counts whose repetitions
 * cannot be told apart are no rows. */
void tree_rows_find(struct tree_rows *rows, const struct domain *domain, const struct derivation *d);
void tree_rows_release(struct tree_rows *rows);
uint64_t tree_stop_value(const struct site *site); /* of rounds and walks */
void tree_row_item(const struct derivation *d, const struct tree_row *row, size_t index, size_t *start,
                   size_t *end);
/* Draws a row that fits; NULL: there is none. */
const struct tree_row *tree_draw_row(const struct tree_edit *e, const struct tree_rows *rows,
                                     bool (*fits)(const struct tree_row *row));
/* Puts the stretch [first, last) of `other` before repetition `index`; index count: behind the last. */
void tree_row_insert(const struct derivation *from, const struct tree_row *row, size_t index,
                     const struct derivation *other, size_t first, size_t last, struct derivation *to);
/* Takes repetition `index` out. */
void tree_row_remove(const struct derivation *from, const struct tree_row *row, size_t index,
                     struct derivation *to);

/* --- words --- */
void tree_describe(struct buf *out, const struct site *site);      /* "the repeat at ml.xml:40" */
void tree_describe_entry(const struct tree_edit *e, size_t entry); /* of from, into the detail */
void tree_describe_item(const struct tree_edit *e, const struct tree_row *row,
                        size_t index); /* "round 2 of 4 of …" */

#endif
