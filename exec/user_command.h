/* Commands of the user's own that look at each step (exec/oracle/user_check.h): run here, since oracles do no I/O. */
#ifndef EXEC_USER_COMMAND_H
#define EXEC_USER_COMMAND_H

#include <stdatomic.h>

#include "base/redact.h"
#include "base/settings.h"
#include "exec/oracle/observation.h"

/* Asks each command of e->user_checks about each step it wants to see, one after the other, each for at most check.time, and puts
 * what they find fault with into e->answers. On standard input each gets the observation as recordings have it. Status 0 is fine,
 * 1 a fault, whose words are the first line of its standard output; anything else is its own trouble, and so is 1 with nothing but
 * words on standard error, which is how programs end that broke down. Secrets are taken out of what they say. Ends early when
 * *stop is set. For an execution that is complete otherwise. */
void user_commands_ask(const struct settings *settings, const struct redactor *secrets, const atomic_int *stop, struct execution *e);

#endif
