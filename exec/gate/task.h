/* A Harbor task directory, as the gate reads it: a copy of ours is made first, with all that is refused said in one line, and
 * only the copy is looked at from then on. */
#ifndef EXEC_GATE_TASK_H
#define EXEC_GATE_TASK_H

#include "base/arena.h"
#include "exec/gate/image.h"
#include "exec/target/box.h"

struct gate_task {
    char *name;              /* of its directory */
    char *work;              /* fresh directory of ours that holds all */
    char *copy;              /* work/task */
    bool separate;           /* the verifier has a root of its own */
    struct image agent;      /* environment/Dockerfile */
    struct image verifier;   /* tests/Dockerfile, when separate */
    struct strings artifacts; /* absolute paths that reach the verifier, when separate */
    struct strings verifier_env, solution_env;
    struct box_cgroup *group; /* borrowed */
    int64_t verifier_ms, agent_ms;
    char *beyond;            /* it cannot be executed here, and why; NULL: it can */
};
/* ERR_INPUT or ERR_LIMIT with one line when it is no task that can be trusted to be read; ERR_TARGET when this machine cannot. */
int gate_task_load(struct gate_task *t, const char *dir, struct error **err);
void gate_task_release(struct gate_task *t);

#endif
