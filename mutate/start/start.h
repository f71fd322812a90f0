/* Mutations of how a task's target is started: its locale, its user, its shared memory, a secret in its environment.
 *
 * A record {"mutator":"locale","step":"s1","at":"/start/locale","detail":"KIND: words"} says which kind; whoever opens the task's
 * session asks here for what that means. Where a target is not started by us, or this machine cannot do it, nothing is changed.
 * Pure: no state, no I/O, no chance. */
#ifndef MUTATE_START_START_H
#define MUTATE_START_START_H

#include "gen/task.h"

enum { START_VARIABLES_MAX = 4 };

struct start {
    const char *variables[START_VARIABLES_MAX + 1]; /* NAME=VALUE, which win over all others; NULL-terminated; static texts */
    int64_t shared_memory;                          /* bytes of /dev/shm; 0: as always */
    unsigned user;                                  /* id of the user it runs as; 0: as always */
    bool canary;                                    /* a variable whose value nobody else knows: START_CANARY */
};

#define START_CANARY "TASKGEN_PRIVATE_KEY"

/* All records of the task together. False: it has none, and *s is all zero. */
bool start_of(const struct task *t, struct start *s);

#endif
