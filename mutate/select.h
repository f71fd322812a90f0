/* Which tasks to make: those that arm a fault class, of some workflows, of some length, hostile ones.
 *
 * Task i of a selection is a pure function of (seed, i), whatever else is made. It is the first of a bounded
 * number of candidates that fits (setting select.candidates, N). Candidate k of task i is an ordinary task:
 * index i * N + k of one domain and one workflow, which are drawn from a stream of (seed, i). That index
 * stands in its record, so taskgen --domain DOMAIN --workflow WORKFLOW --seed SEED --index INDEX makes it
 * again without the selection (hazards that `hostile` forced are in the record alone).
 *
 * So that few candidates are in vain, opening a selection makes a sample of every workflow and draws only
 * from those of which some task fitted, in proportion to how many did. The sample is always the same one. */
#ifndef MUTATE_SELECT_H
#define MUTATE_SELECT_H

#include "base/settings.h"
#include "gen/arm/arm.h"
#include "gen/generate.h"

struct select_options {
    const struct generate_options *generate; /* its `workflow` is not looked at when `workflows` is given */
    const struct ops *ops;
    double strength;              /* of hazards */
    const char *const *workflows; /* patterns as of a shell: "train-*" */
    size_t workflow_count;        /* 0: all of them */
    bool by_class, by_primitive;
    struct arm_set classes;         /* by_class: it arms one of these */
    struct arm_set primitives;      /* by_primitive: and one of these */
    uint32_t steps_low, steps_high; /* steps of the task; both 0: any number */
    bool hostile;                   /* at least one mutation: when no hazard strikes, one is made to */
};

struct selection; /* immutable and shared by threads; borrows everything in the options */

/* With nothing to select by, a selection gives what generate_task and mutate_hazards give, at the same index.
 * ERR_INPUT when no workflow matches, or when no task of the sample fits; the message says what none of them
 * did. */
int selection_new(const struct select_options *o, uint64_t seed, struct selection **s, struct error **err);
void selection_free(struct selection *s);
/* ERR_INPUT when none of the candidates fits. */
int selection_task(const struct selection *s, uint64_t index, struct task **task, struct error **err);
bool selection_plain(const struct selection *s); /* nothing is selected by */
/* The first task of the selection whose candidates all have this index or a later one: where to go on after a
 * record with the index before. */
uint64_t selection_from(const struct selection *s, uint64_t record_index);
/* The classes that are selected by; NULL: none are. */
const struct arm_set *selection_classes(const struct selection *s);
/* Whether a workflow's name is one of those asked for. */
bool select_workflow(const struct select_options *o, const char *workflow);
/* Whether a task fits, whatever made it. */
bool select_fits(const struct select_options *o, const struct task *t);

#endif
