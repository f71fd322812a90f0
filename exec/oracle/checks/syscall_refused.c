/* System calls that any program may make and that fail with an error their manuals do not know, or kill the
 * program. Calls that may be refused to everybody (ptrace, io_uring, raw sockets, mounts) are not here. */
#include "exec/oracle/checks/checks.h"
#include "exec/oracle/symptom.h"

#define DENIED "Operation not permitted|Permission denied"

static const struct symptom items[] = {
    {.exit = 159, .detail = "a program is killed for a system call"},
    {.said = "Bad system call", .detail = "a program is killed for a system call"},
    {.said = "socketpair", .also = DENIED, .detail = "socketpair is refused"},
    {.program = "AF_UNIX",
     .said = ".bind(|bind:",
     .also = "Operation not permitted",
     .detail = "bind of a socket file is refused"},
    {.said = "listen EPERM", .detail = "bind of a socket file is refused"},
    {.said = "epoll_create|epoll(", .also = DENIED, .detail = "epoll is refused"},
    {.said = "eventfd", .also = DENIED, .detail = "eventfd is refused"},
    {.said = "memfd_create", .also = DENIED, .detail = "memfd_create is refused"},
    {.said = "inotify_init|inotify_add", .also = "Operation not permitted", .detail = "inotify is refused"},
    {.said = "clone3|faccessat2|statx|openat2",
     .also = "Operation not permitted",
     .detail = "a new system call is refused instead of unknown"},
    {0},
};

static const struct symptoms symptoms = {"syscall-refused", "a system call that programs need is refused",
                                         items, NULL};

static void judge(const struct execution *e, struct verdicts *out)
{
    symptoms_report(e, out, &symptoms);
}

const struct check check_syscall_refused = {
    "syscall-refused", "C73", "syscall", "a system call that is not allowed fails with its documented error",
    judge};
