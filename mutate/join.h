/* Two tasks in one session: the steps of one, and then those of another. What needs a state that no task of one kind makes is only met so.
 *
 * The two must have nothing to do with each other: no file name of one occurs in the other, neither looks through directories that it did
 * not make or does anything to files that it does not name, the first leaves its session open, only one changes how the target
 * is started, and only one floods it with processes. Then every expectation of both stays true. */
#ifndef MUTATE_JOIN_H
#define MUTATE_JOIN_H

#include "base/settings.h"
#include "gen/task.h"

/* The name in records and counters. */
#define MUTATE_JOIN "join"

/* A new task, imported in the sense of docs/task-format.md: it has no derivation, and its steps are what they are. The record of mutations is
 * that of both, of the second one's only those that are applied while it runs, and one of its own. NULL when the two do not go together, or the
 * whole would be longer than a session's budget (twice generate.max-steps; generate.max-bytes). */
struct task *mutate_join(const struct task *first, const struct task *second, const struct settings *settings);

#endif
