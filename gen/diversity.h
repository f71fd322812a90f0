/* How much tasks differ: equal ids, near-duplicates, and how varied their instructions read.
 *
 * A task is a set of shingles: three words in a row of its instruction, three ops in a row of its steps. It
 * is a near-duplicate when its set and that of a task added earlier have a Jaccard index of at least
 * DIVERSITY_NEAR. Earlier tasks that could be are found by MinHash signatures in bands and then compared
 * exactly, so nothing is called near that is not; one that is, is missed with a chance below 1 in 10,000.
 * What is added first counts as the original, so the order of adding matters. */
#ifndef GEN_DIVERSITY_H
#define GEN_DIVERSITY_H

#include "gen/task.h"

#define DIVERSITY_NEAR 0.8

struct diversity_measure {
    uint64_t tasks;
    uint64_t equal; /* whose id an earlier task has */
    uint64_t near;  /* near-duplicates of an earlier task; those with equal ids among them */
    uint64_t bigrams, distinct_bigrams; /* pairs of words next to each other in instructions */
    uint64_t text, packed;              /* bytes of all instructions, one a line, and of these after zlib */
};

struct diversity; /* opaque */
struct diversity *diversity_new(void);
void diversity_free(struct diversity *d);
void diversity_add(struct diversity *d, const struct task *t);
/* The measure of all tasks so far (workflow NULL) or of one workflow's; near is always held against all
 * earlier ones. */
struct diversity_measure diversity_of(const struct diversity *d, const char *workflow);
const char *diversity_workflow(const struct diversity *d,
                               size_t index); /* in the order of their first task; NULL past the end */

/* The Jaccard index of two tasks' sets, 0 to 1; 1 when both are empty. */
double diversity_likeness(const struct task *a, const struct task *b);

#endif
