/* A survey of what domains make: many tasks, hazards applied, looked at for the fault classes they arm, the
 * shapes of their steps and the workflows they come from. What selection ranks by, and what `taskgen domains
 * --coverage` shows.
 *
 * The same options, seed and count give the same survey, whatever the number of threads. */
#ifndef MUTATE_SURVEY_H
#define MUTATE_SURVEY_H

#include <stdatomic.h>

#include "base/settings.h"
#include "gen/arm/arm.h"
#include "gen/generate.h"

struct survey_options {
    const struct generate_options *generate; /* every domain gets its share of the tasks, round robin */
    const struct ops *ops;
    uint64_t seed, count;
    double strength;        /* of hazards */
    unsigned threads;       /* 0 counts as 1 */
    const atomic_int *stop; /* may be NULL; not zero: end early, with what there is */
};

struct survey_workflow {
    const char *name; /* the domain's */
    uint64_t tasks;
    uint64_t armed[ARM_CLASSES]; /* tasks of it that arm the class */
};

struct survey_domain {
    const struct domain *domain;
    uint64_t tasks, steps, hostile; /* hostile: tasks with a mutation */
    struct survey_workflow *workflows;
    size_t workflow_count;
    struct survey_set *shapes, *ops; /* distinct step shapes: op, set of arguments, kind of content */
    uint64_t armed[ARM_CLASSES];
};

struct survey {
    struct survey_domain *domains;
    size_t domain_count;
    uint64_t tasks;
};

/* Fails as generate_task and mutate_hazards do. Release in any case. */
int survey_run(const struct survey_options *o, struct survey *s, struct error **err);
void survey_release(struct survey *s);
size_t survey_shapes(const struct survey_domain *d);
size_t survey_ops(const struct survey_domain *d);

#endif
