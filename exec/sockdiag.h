/* What listens in a network namespace, asked of the kernel (NETLINK_SOCK_DIAG). /proc/PID/net/tcp says the same, but to say it
 * the kernel goes through all connections that the machine could have, which takes tens of milliseconds. */
#ifndef EXEC_SOCKDIAG_H
#define EXEC_SOCKDIAG_H

#include "base/arena.h"
#include "exec/traces.h"

/* `fd` is a socket of AF_NETLINK, NETLINK_SOCK_DIAG, made in that namespace. False when the kernel does not answer; else *count
 * listeners, at most max. */
bool sockdiag_listeners(int fd, struct arena *a, size_t max, struct listener **out, size_t *count);
/* The same from one answer's messages: adds those that are there; *end: the last one was. False: it is an error. */
bool sockdiag_read(struct bytes messages, struct arena *a, size_t max, struct listener *out, size_t *count, bool *end);

#endif
