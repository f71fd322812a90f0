/* Reducing the record of a task: for shrink.c, which does not know how, and among record.c, depend.c and
 * forget.c. */
#ifndef MUTATE_SHRINK_RECORD_H
#define MUTATE_SHRINK_RECORD_H

#include "gen/task.h"

/* Takes the marked steps and all that depends on them out; `gone` has room for every step and says afterwards
 * which they were. */
void record_drop_steps(struct task *t, bool *gone);
bool record_simplify_step(struct task *t, size_t step); /* once, at once; false: it is as simple as can be */

/* Marks what depends on marked steps. */
void record_close(const struct task *t, bool *gone);
/* Marks steps that were to fail, when without the marked ones they may not; true when there were any. */
bool record_mark_failing(const struct task *t, bool *gone);
/* Takes out the expectations that may not be true without the marked steps, also where a mutation's record
 * keeps them. */
void record_forget_expectations(struct task *t, const bool *gone);
/* Drops the record of a mutation whose step is to go, and all expectations that it keeps. */
void record_forget_mutation(struct task *t, struct json *mutation);

#endif
