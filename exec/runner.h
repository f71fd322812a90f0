/* Running one task against a target: a fresh session, each step resolved, called and witnessed, expectations' files looked
 * at, a control call, leftovers, the end. Gives an execution; judges nothing. */
#ifndef EXEC_RUNNER_H
#define EXEC_RUNNER_H

#include <stdatomic.h>

#include "exec/oracle/observation.h"
#include "exec/target/target.h"

/* e's data live in `a`; e is valid until the arena is cleared. Returns ERR_TARGET when no session could be had (a
 * misbehaving target later on is data in e), ERR_STOP when `stop` became true meanwhile (e is then incomplete). */
int runner_execute(struct target *target, const struct task *task, struct arena *a, const atomic_int *stop,
                   struct execution *e, struct error **err);

#endif
