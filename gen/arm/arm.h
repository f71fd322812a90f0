/* Which fault classes a task arms: a class is armed when its provocation stands in the task
 * (docs/coverage.md).
 *
 * Decided from the record alone, without running or making anything big: what an op is given, how paths hang
 * together, facts of contents, what scripts say. Predicates err on the strict side: an op that could provoke
 * a class arms it only with the values and the sequence that do. The provocations are those of
 * domains/classes.json, member "arm". Pure and thread safe; bounded by the task's own size. */
#ifndef GEN_ARM_ARM_H
#define GEN_ARM_ARM_H

#include "gen/classes.h"
#include "gen/task.h"

enum { ARM_CLASSES = 94, ARM_NONE = ARM_CLASSES };

struct arm_set {
    uint64_t bits[2];
};

void arm_task(const struct task *t, struct arm_set *armed); /* replaces what the set held */
bool arm_has(const struct arm_set *set, size_t class_index);
void arm_add(struct arm_set *set, size_t class_index);
bool arm_meets(const struct arm_set *a, const struct arm_set *b); /* have a class in common */
size_t arm_count(const struct arm_set *set);
/* Index into class_at() of "C63" or "full-disk-damage"; ARM_NONE when there is no such class. */
size_t arm_class_find(const char *name);
/* What provokes a class that no step of a template can: "wire" or "env", the group of the mutators that do;
 * NULL for all others. Equal to the member "by" of domains/classes.json. */
const char *arm_class_by(size_t class_index);

#endif
