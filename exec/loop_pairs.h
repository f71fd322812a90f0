/* What was done in one session before what: which pairs of a thing done and a fault class armed later have been tried how often. A state that
 * one task makes and a provocation of another meet only when somebody brings the two together; there are some ten thousand such pairs, so
 * those that were tried least are brought together first. Not thread-safe: the loop's lock guards it. */
#ifndef EXEC_LOOP_PAIRS_H
#define EXEC_LOOP_PAIRS_H

#include "gen/arm/arm.h"

enum { LOOP_DEEDS = 1024 };
/* What a task does: ops, ops with an argument that may be left out, ops with much content, states; folded into LOOP_DEEDS bits. */
struct loop_deeds {
    uint64_t bits[LOOP_DEEDS / 64];
};
void loop_deeds_of(const struct task *t, struct loop_deeds *deeds);
/* It brings about what a feature tells of, a state of the target perhaps. */
void loop_deeds_state(struct loop_deeds *deeds, uint64_t feature);
void loop_deeds_add(struct loop_deeds *to, const struct loop_deeds *more);

struct loop_pairs {
    uint16_t tried[LOOP_DEEDS][ARM_CLASSES];
};
/* How much of "first this, then what arms those" has been tried little: each pair counts 1 / (1 + times tried). */
double loop_pairs_worth(const struct loop_pairs *p, const struct loop_deeds *first, const struct arm_set *then);
/* The same of one feature that tells of a state, with all classes: how much has not been tried behind it. */
double loop_pairs_left(const struct loop_pairs *p, uint64_t feature);
void loop_pairs_note(struct loop_pairs *p, const struct loop_deeds *first, const struct arm_set *then);

#endif
