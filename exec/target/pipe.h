/* Writing to a pipe whose reader may be gone. */
#ifndef EXEC_TARGET_PIPE_H
#define EXEC_TARGET_PIPE_H

#include <stddef.h>
#include <sys/types.h>

/* As write(2), but a reader that is gone is EPIPE only: no SIGPIPE is raised, whatever the program does about
 * it. */
ssize_t pipe_write(int fd, const void *data, size_t len);

#endif
