/* Processes below one of ours, found in /proc, so that a child that changed its group or session is found
 * too. */
#ifndef LEAKYBOX_PROCTREE_H
#define LEAKYBOX_PROCTREE_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* How many processes stand below `top`, zombies not counted, `top` not counted; 0 where /proc cannot be read.
 */
size_t proctree_count(pid_t top);
/* Stops, then kills with SIGKILL everything below `top`, which must be the caller, a child subreaper; reaps
 * what it inherits. Returns when nothing is left or after about `ms`. True when nothing is left. */
bool proctree_kill(pid_t top, long ms);

#endif
