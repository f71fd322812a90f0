/* What tasks of a workflow cost in time, as seen so far by this campaign. Not thread-safe: the loop's lock guards it. */
#ifndef EXEC_LOOP_COST_H
#define EXEC_LOOP_COST_H

#include <stdint.h>

#include "gen/task.h"

enum { LOOP_COST_ROWS = 1024 /* a power of two; workflows beyond three quarters of it are not remembered */ };

struct loop_costs {
    struct loop_cost {
        uint64_t workflow; /* hash of domain and workflow; 0: the row is free */
        uint32_t count;
        double seconds;    /* mean of the executions */
    } rows[LOOP_COST_ROWS];
    uint32_t used;
};

/* A task took so many ns, from opening its session to its end. */
void loop_cost_note(struct loop_costs *c, const struct task *t, int64_t ns);
/* The seconds that tasks of this workflow have taken so far and one more of them will, by their mean. A task counts 0.1 s at least: that
 * much goes into the session whatever is done in it. So does one of a workflow that was not run yet: what it shows is not known, so that
 * it comes before all others. */
double loop_cost_with(const struct loop_costs *c, const struct task *t);

/* The mean alone, of one that was not run yet 0.1 s. */
double loop_cost_of(const struct loop_costs *c, const struct task *t);

#endif
