/* Mutators of tasks: payloads, steps, wire frames and environment. One file and one table row each.
 *
 * A mutator changes one place of a task and records it (mutator, step, place, detail, what was there before), so that a
 * person can read what was done and the shrinker can undo it. It draws only from the rng it is given. */
#ifndef MUTATE_MUTATE_H
#define MUTATE_MUTATE_H

#include "base/rng.h"
#include "base/settings.h"
#include "gen/arm/arm.h"
#include "gen/dictionary.h"
#include "gen/task.h"
#include "grammar/domain.h"

struct mutation {
    struct task *task;
    const struct ops *ops;
    struct rng *rng;
    const struct settings *settings;
    const char *on;     /* a hazard's target kinds ("name body path script"), or NULL: anywhere that fits */
    const char *kinds;  /* a hazard's variants, or NULL: all */
    const struct dictionary *words; /* of the mutator `dictionary`; NULL: none */
};

struct mutator {
    const char *name;        /* "null-byte" */
    const char *group;       /* payload step tree wire env */
    const char *summary;     /* one line for `taskgen mutators` */
    const char *details;     /* its variants and their places, a short paragraph */
    const char *places;      /* what a hazard's `on` may name, words with one space between; "" when it has no places */
    const char *kinds;       /* what a hazard's `kinds` may name, likewise */
    bool at_start;           /* of the group env: what is around the whole task; the others of it are about one call */
    bool (*apply)(struct mutation *m); /* false: no place fits, and nothing was changed */
};

const struct mutator *mutator_find(const char *name);
const struct mutator *mutator_at(size_t index); /* NULL past the end */

/* ERR_INPUT, with the template's file:line, for a hazard whose mutator, place or kind does not exist: templates cannot
 * know mutators, so whoever loads one for mutating asks here. */
int mutate_check_hazards(const struct domain *d, struct error **err);

/* Applies the domain's hazards, each with its own probability scaled by `strength` (0 none, 1 as written, between:
 * interpolated), drawing from a stream of its own made of (seed, index): the calm part of the task does not change. */
/* Fails as mutate_check_hazards does. The id is set anew. */
int mutate_hazards(struct task *t, const struct domain *d, const struct ops *ops, const struct settings *settings,
                   double strength, struct error **err);
/* `count` random mutators of payloads and steps, any that fit; returns how many were applied. The id is set anew. */
size_t mutate_task(struct task *t, const struct ops *ops, const struct settings *settings, struct rng *rng, size_t count);
/* By what mutators are drawn. With classes, half of the draws are of those that provoke one of them (gen/classes.h). With odds, by mutator_at's
 * index, each by its own among those that are drawn from; else all alike. Without words the mutator that needs them is not drawn. */
struct mutate_choice {
    const struct arm_set *classes;  /* NULL: none is asked for */
    const double *odds;             /* NULL */
    const struct dictionary *words; /* NULL */
};
size_t mutate_task_by(struct task *t, const struct ops *ops, const struct settings *settings, struct rng *rng, size_t count,
                      const struct mutate_choice *choice); /* NULL: as mutate_task */
/* One random mutator that is applied while running, of the groups wire and env: true when one fitted. Where a target does not
 * speak the protocol it does nothing. The id is set anew. */
bool mutate_wire(struct task *t, const struct ops *ops, const struct settings *settings, struct rng *rng,
                 const struct mutate_choice *choice);

/* One random mutator of what is around the whole task: how its target is started, on which disk it works. True when one fitted. Where
 * it cannot be done nothing changes. The id is set anew. */
bool mutate_start(struct task *t, const struct ops *ops, const struct settings *settings, struct rng *rng,
                  const struct mutate_choice *choice);

/* Are processes of the browser to be killed before this step (mutator kill-browser)? Only those that show pages, or all of them. */
#define PAGE_KILLER "kill-browser"
bool mutate_kills_browser(const struct task *t, const char *step, bool *pages);

/* The file that a program of the mutator `cancel` adds lines to, in the root, as long as it runs. */
#define WORK_FILE "taskgen-work.txt"
/* Undoes the mutation with this index in t->mutations and takes it out of the list; the id is set anew. False, and nothing
 * is changed, when a later mutation builds on it (undo that one first) or when its record was not made by us. Undone
 * from last to first, all of them give the task back as it was, byte for byte. */
bool mutate_undo(struct task *t, size_t index);

#endif
