/* SIGPIPE is held back in this thread while we write, and taken if it was our write that raised it. */
#include "exec/target/pipe.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <time.h>
#include <unistd.h>

ssize_t pipe_write(int fd, const void *data, size_t len)
{
    sigset_t broken, before, pending;
    sigemptyset(&broken);
    sigaddset(&broken, SIGPIPE);
    pthread_sigmask(SIG_BLOCK, &broken, &before);
    sigpending(&pending);
    bool had_one = sigismember(&pending, SIGPIPE) == 1;
    ssize_t n = write(fd, data, len);
    int failed = errno;
    if (n < 0 && failed == EPIPE && !had_one)
        while (sigtimedwait(&broken, NULL, &(struct timespec){0, 0}) < 0 && errno == EINTR)
            continue;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    errno = failed;
    return n;
}
