/* What a target talks to, when it has to be started first: --start CMD in the session's box, --ready to wait for, --stop CMD at the
 * end. Its output goes to a file in the session's directory, so it never waits for a reader. */
#ifndef EXEC_TARGET_LAUNCH_H
#define EXEC_TARGET_LAUNCH_H

#include "exec/target/driver.h"

/* Starts it and waits until it is ready, for exec.start-timeout at most: until `ready`, when it is a URL, takes connections;
 * until it stands in the output, when it is any other text; not at all when there is none. `url` is what the driver will
 * connect to, taken for `ready` when that is NULL; NULL: nothing. ERR_TARGET with its last words. */
int launch_begin(struct session *s, const char *url, struct error **err);
/* Runs --stop, if there is one, and gives what was started exec.grace to end. The session's agent ends the rest. */
void launch_end(struct session *s);
/* The session could not be had: when what was started has ended, that is why, and *err says so first. */
void launch_blame(struct session *s, struct error **err);
bool launch_ended(struct session *s, int *status); /* what was started has ended; *status as by waitpid */

/* A socket that reaches what was started: made in the box where there is one. As socket(2). */
int launch_socket(struct session *s, int family);
#endif
