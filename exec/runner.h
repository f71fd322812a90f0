/* Running one task against a target: a fresh session, each step resolved, called and witnessed, expectations' files looked
 * at, a control call, leftovers, the end. Gives an execution; judges nothing. */
#ifndef EXEC_RUNNER_H
#define EXEC_RUNNER_H

#include <stdatomic.h>

#include "exec/observe/observer.h"
#include "exec/oracle/observation.h"
#include "exec/target/target.h"

/* e's data live in `a`; e is valid until the arena is cleared. Returns ERR_TARGET when no session could be had (a
 * misbehaving target later on is data in e), ERR_STOP when `stop` became true meanwhile (e is then incomplete). */
int runner_execute(struct target *target, const struct task *task, struct arena *a, const atomic_int *stop,
                   struct execution *e, struct error **err);

/* What stands between two tasks of one worker. */
enum runner_reset {
    RUNNER_RESET_SESSION, /* a session of its own for each */
    RUNNER_RESET_TASK,    /* the same session, with root and home emptied */
    RUNNER_RESET_NEVER    /* the same session, with whatever the one before left in it */
};
/* The session that one worker's tasks share, as long as it is fit: it goes when a task left it hurt, busy or in doubt, and after `most`
 * tasks. Zero but for the first three; release in any case. */
struct runner_pool {
    enum runner_reset reset;
    int64_t most;
    struct observers *observers; /* who looks on (exec/observe/observer.h); NULL: nobody */
    struct session *session; /* NULL: the next task opens one */
    struct lookout *lookout;     /* of that session; NULL: nobody looks */
    int64_t used;            /* tasks that it has had */
};
/* As runner_execute, in the pool's session. What processes a task leaves is looked for only when its session ends with it. */
int runner_execute_pooled(struct runner_pool *pool, struct target *target, const struct task *task, struct arena *a,
                          const atomic_int *stop, struct execution *e, struct error **err);
void runner_pool_release(struct runner_pool *pool);

/* The first need of the task that earlier sessions of the target did not meet; NULL: none is known. */
const char *runner_unmet_need(struct target *target, const struct task *task);

#endif
