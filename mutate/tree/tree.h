/* Edits of derivations: the tree mutators and what the shrinker's reductions are made of.
 *
 * An edit works on the log alone: it cuts out, changes, doubles, moves or puts in whole subtrees, and keeps
 * extents right. It never has to know what the result means: the repair pass is the derivation itself.
 * tree_repair replays the edited log through the plan's interpreter (generate_from), which rebinds handles by
 * their distance from the newest, does the cheapest producer for one that is missing, moves on from an
 * alternative that has become impossible, fills gaps from the stream of (seed, index), and writes the
 * complete log of what came out. So every mutant is a valid task of the grammar.
 *
 * Each mutator is one file and one row: tree_mutator_at. */
#ifndef MUTATE_TREE_TREE_H
#define MUTATE_TREE_TREE_H

#include "gen/generate.h"
#include "grammar/site.h"

struct tree_edit {
    const struct domain *domain;
    const struct derivation *from;  /* a complete log of the domain */
    const struct derivation *donor; /* another one of the same domain, for splice and insert; NULL: none */
    struct derivation *to;          /* the edited log; not from, not donor */
    struct rng *rng;
    struct buf *detail; /* what was done, for people: "round 2 of 4 of the repeat at ml.xml:40 dropped" */
};

struct tree_mutator {
    const char *name;    /* as in `taskgen mutators` */
    const char *group;   /* "tree": shapes; "step": repetitions, and handles that steps take */
    const char *summary; /* one line for `taskgen mutators` */
    const char *details; /* what it does where, a short paragraph */
    bool needs_donor; /* has more to draw from with another task's derivation; without one it uses its own */
    bool (*edit)(struct tree_edit *e); /* false: nothing here that it could edit; then `to` is undefined */
};

const struct tree_mutator *tree_mutator_at(size_t index); /* NULL past the end */
const struct tree_mutator *tree_mutator_find(const char *name);

/* --- what edits are made of; entries are indices into from --- */
size_t tree_end(const struct derivation *d, size_t entry);    /* one past its subtree */
size_t tree_parent(const struct derivation *d, size_t entry); /* SIZE_MAX: none */
size_t tree_child_count(const struct derivation *d, size_t entry);
size_t tree_child(const struct derivation *d, size_t entry, size_t index); /* SIZE_MAX: it has fewer */
/* to = from with [start, end) replaced by the stretch [first, last) of `other`; the extents of what they
 * stand in follow. [start, end) and [first, last) are rows of whole siblings, perhaps empty (then `other` may
 * be NULL). `parent` is the entry that the place stands in, SIZE_MAX: the root level. `other` may be `from`.
 */
void tree_replace(const struct derivation *from, size_t parent, size_t start, size_t end,
                  const struct derivation *other, size_t first, size_t last, struct derivation *to);
/* to = from with another value and nothing below the entry: the repair pass draws that anew. */
void tree_set(const struct derivation *from, size_t entry, uint64_t value, struct derivation *to);

/* --- a mutant --- */
/* Derives the task that an edited log means. As generate_from; the new, complete log stands in the task. */
int tree_repair(const struct generate_options *o, const struct domain *domain,
                const struct derivation *edited, uint64_t seed, uint64_t index, struct task **task,
                struct error **err);
/* One mutant of a task of this domain by a mutator drawn from rng, or by `only`: edited, repaired, different
 * from the task it came from, the mutation recorded in it. *task is NULL when nothing came of a bounded
 * number of tries.
 *
 * The mutant is a calm task of the grammar: mutations of the parent's steps are not in its derivation and so
 * not in the mutant. It keeps the parent's seed and index, but only its own derivation reproduces it. Its
 * record {mutator, "", "", detail, {"derivation": the parent's}} stands behind the parent's own records of
 * tree edits, of which the last TREE_RECORDS - 1 are kept. ERR_INPUT when the parent is not of this domain
 * and grammar. */
enum { TREE_RECORDS = 4 };
int tree_mutate(const struct generate_options *o, const struct domain *domain, const struct task *parent,
                const struct derivation *donor, const struct tree_mutator *only, struct rng *rng,
                struct task **task, struct error **err);
/* The task before its last tree edit, derived anew from the record: calm, with the earlier records. *task is
 * NULL when the last mutation of t is no tree edit (then that has to be undone first, by mutate_undo). */
int tree_undo(const struct generate_options *o, const struct domain *domain, const struct task *t,
              struct task **task, struct error **err);

#endif
