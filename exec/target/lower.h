/* Lowering: an op that a target has no way of its own for is carried out by commands, through its `run`.
 *
 * A lowered op is a short conversation: a command is made, run, its answer read, and either the outcome is
 * known or there is a next command. Most ops need one. Commands are POSIX shell with coreutils (or busybox),
 * or Python for the net ops; paths are bytes and always quoted. Where `run` does not keep bytes, streams and
 * status apart (enum run_channel), the command packs its answer into base64 between marks. */
#ifndef EXEC_TARGET_LOWER_H
#define EXEC_TARGET_LOWER_H

#include "exec/target/driver.h"

struct lowered; /* in the call's arena */

/* Is there a lowering of that op for what this session's target can run? */
bool lower_supports(struct session *s, const char *op);

/* Begins; the outcome may already be known then (lower_next gives false). */
struct lowered *lower_begin(struct session *s, struct call *call);
/* The next command as a call of `run` or `start`; false when the outcome stands. */
bool lower_next(struct lowered *l, struct call *sub);
/* The answer to it. */
void lower_reply(struct lowered *l, const struct call *sub);

#endif
