/* Shrinking: smaller and smaller tasks that still do what somebody wants of them, such as fail alike.
 *
 * The shrinker proposes candidates one by one; the caller runs each, or asks a predicate, and says whether it
 * will do:
 *
 *     struct shrink *s = shrink_new(&options, task);
 *     while ((more = shrink_next(s, &candidate, &err)) > 0)
 *         if (still_fails(candidate)) shrink_accept(s); else shrink_reject(s);
 *     use(shrink_best(s));
 *
 * Order. Tasks are ordered by (steps, recorded mutations, entries of the derivation, bytes of the canonical
 * task, its text). A candidate is always strictly smaller than the best so far, and none is proposed twice,
 * so shrinking ends.
 *
 * What is reduced. A task whose derivation makes it, byte for byte, is reduced as a derivation: rounds, steps
 * of walks and what is optional go, halves first, then alternatives become the cheapest, nested parts are
 * hoisted, repetitions get fewer, values smaller. Each edit is repaired by deriving again, with gaps filled
 * as cheaply as can be, so dependencies hold by construction, and a candidate is a task of the grammar. What
 * the repair adds counts: an edit that does not pay is not proposed. All other tasks - imported ones, those
 * whose steps were mutated, those whose domain is not at hand - are reduced as records: mutations are undone,
 * last first, then steps go together with all that depends on them (results and files that they use), and
 * expectations that may no longer be true go too. Such a candidate has no derivation any more, since none
 * makes it; its instruction still speaks of the whole task. When all mutations could be undone, the task goes
 * on as a derivation.
 *
 * Passes run in a fixed order until a whole round of them brings nothing. With a predicate that depends on
 * the task alone the result is then stable: shrinking it again brings nothing. */
#ifndef MUTATE_SHRINK_H
#define MUTATE_SHRINK_H

#include "gen/generate.h"

struct shrink_options {
    const struct generate_options
        *generate;               /* limits and settings of the derivation; NULL: reduce the record */
    const struct domain *domain; /* the task's; NULL: not at hand. One of another hash is not used */
    size_t candidates_max;       /* to be proposed; 0: no bound */
};

struct shrink;

struct shrink *shrink_new(const struct shrink_options *o, const struct task *task); /* copies the task */
void shrink_free(struct shrink *s);
/* 1: *candidate is to be judged by one call of shrink_accept or shrink_reject, and belongs to the shrinker
 * until then. 0: nothing is left to try, or the bound is reached. Negative: the template failed in a way that
 * no edit should make it. */
int shrink_next(struct shrink *s, const struct task **candidate, struct error **err);
void shrink_accept(struct shrink *s);
void shrink_reject(struct shrink *s);
const struct task *shrink_best(const struct shrink *s); /* until the next accept */
size_t shrink_proposed(const struct shrink *s);
/* What is being tried, for people: "steps", "mutations", … */
const char *shrink_pass_name(const struct shrink *s);

/* Negative, 0 or positive: a is smaller, both are the same task, b is smaller. A strict total order of tasks.
 */
int shrink_compare(const struct task *a, const struct task *b);

#endif
