/* Does an ssh command line stay on this machine? */
#ifndef EXEC_TARGET_SSH_HOST_H
#define EXEC_TARGET_SSH_HOST_H

#include <stdbool.h>

/* Is this word a way to start the ssh client? */
bool ssh_is_client(const char *word);
/* True when the host that the words of an ssh command line (the client first, then options, host, command) name is this machine,
 * after all that the client's configuration makes of it, and no jump host or proxy command lies in between. False when the
 * client cannot be asked. */
bool ssh_is_here(char *const *words);

#endif
