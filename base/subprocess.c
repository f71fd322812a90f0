/* Children by posix_spawn.
 *
 * Invariants: a child inherits its standard streams, keep_fd and nothing else, the default action of every
 * signal and an empty mask. A child that ended is not reaped before subprocess_release(), so its process id,
 * which is also its group's, cannot come to name a stranger while we may still send signals to it. */
#include "base/subprocess.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <sys/pidfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"

extern char **environ;

enum {
    STREAMS = 3,
    NS_PER_MS = 1000000,
    FIRST_NAP_MS = 1,
    LAST_NAP_MS = 20,
    UNKNOWN_STATUS = 255 << 8,
    REAP_MS = 10000
};

/* Above the standard streams, so that wiring the child's streams never overwrites another end. */
static int lift(int fd)
{
    if (fd < 0 || fd >= STREAMS)
        return fd;
    int high = fcntl(fd, F_DUPFD_CLOEXEC, STREAMS);
    int saved = errno;
    close(fd);
    errno = saved;
    return high;
}

static void close_if(int *fd)
{
    if (*fd >= 0)
        close(*fd);
    *fd = -1;
}

/* The child's end and ours of one stream; ours is -1 when it is /dev/null. */
static int open_stream(int stream, bool piped, int *theirs, int *ours)
{
    if (!piped) {
        *theirs = lift(open("/dev/null", (stream == 0 ? O_RDONLY : O_WRONLY) | O_CLOEXEC));
        return *theirs < 0 ? -1 : 0;
    }
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) < 0)
        return -1;
    *theirs = lift(ends[stream == 0 ? 0 : 1]);
    *ours = lift(ends[stream == 0 ? 1 : 0]);
    return *theirs < 0 || *ours < 0 ? -1 : 0;
}

/* Every descriptor but the standard ones and keep is closed in the child, whoever opened it and however. */
static int close_others(posix_spawn_file_actions_t *actions, int keep)
{
    int failed = 0;
    for (int fd = STREAMS; fd < keep && !failed; fd++)
        failed = posix_spawn_file_actions_addclose(actions, fd);
    if (keep >= STREAMS && !failed)
        failed = posix_spawn_file_actions_adddup2(actions, keep,
                                                  keep); /* onto itself: clears close-on-exec */
    return failed ? failed
                  : posix_spawn_file_actions_addclosefrom_np(actions,
                                                             (keep >= STREAMS ? keep : STREAMS - 1) + 1);
}

static int set_actions(posix_spawn_file_actions_t *actions, const struct subprocess_options *o,
                       const int theirs[STREAMS])
{
    int failed = 0;
    for (int stream = 0; stream < STREAMS && !failed; stream++)
        failed = posix_spawn_file_actions_adddup2(actions, theirs[stream], stream);
    if (!failed)
        failed = close_others(actions, o->keep_fd);
    if (!failed && o->cwd)
        failed = posix_spawn_file_actions_addchdir_np(actions, o->cwd);
    return failed;
}

static int set_attributes(posix_spawnattr_t *attributes)
{
    sigset_t none, all;
    sigemptyset(&none);
    sigfillset(&all);
    int failed = posix_spawnattr_setsigmask(attributes, &none);
    if (!failed)
        failed = posix_spawnattr_setsigdefault(attributes, &all);
    if (!failed)
        failed = posix_spawnattr_setpgroup(attributes, 0);
    return failed ? failed
                  : posix_spawnattr_setflags(attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGDEF |
                                                             POSIX_SPAWN_SETSIGMASK);
}

/* 0 or an errno. */
static int spawn(pid_t *pid, const struct subprocess_options *o, const int theirs[STREAMS])
{
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    int failed = posix_spawn_file_actions_init(&actions);
    if (failed)
        return failed;
    failed = posix_spawnattr_init(&attributes);
    if (!failed) {
        failed = set_attributes(&attributes);
        if (!failed)
            failed = set_actions(&actions, o, theirs);
        if (!failed) /* the casts: POSIX's prototype is older than const */
            failed = posix_spawnp(pid, o->argv[0], &actions, &attributes, (char *const *)o->argv,
                                  o->envp ? (char *const *)o->envp : environ);
        posix_spawnattr_destroy(&attributes);
    }
    posix_spawn_file_actions_destroy(&actions);
    return failed;
}

int subprocess_start(struct subprocess *p, const struct subprocess_options *o, struct error **err)
{
    *p = (struct subprocess){.in = -1, .out = -1, .err = -1};
    int theirs[STREAMS] = {-1, -1, -1};
    int *ours[STREAMS] = {&p->in, &p->out, &p->err};
    const bool piped[STREAMS] = {o->pipe_in, o->pipe_out, o->pipe_err};
    int failed = 0;
    for (int stream = 0; stream < STREAMS && !failed; stream++)
        if (open_stream(stream, piped[stream], &theirs[stream], ours[stream]) < 0)
            failed = errno;
    pid_t pid = 0;
    if (!failed)
        failed = spawn(&pid, o, theirs);
    for (int stream = 0; stream < STREAMS; stream++) {
        close_if(&theirs[stream]);
        if (failed)
            close_if(ours[stream]);
    }
    if (failed)
        return error_set(err, ERR_TARGET, "cannot start '%s'%s%s: %s", o->argv[0], o->cwd ? " in " : "",
                         o->cwd ? o->cwd : "", strerror(failed));
    p->pid = p->group = pid;
    return 0;
}

/* True when it has ended; it stays a zombie. */
static bool has_ended(struct subprocess *p)
{
    siginfo_t info = {0};
    int result;
    do
        result = waitid(P_PID, (id_t)p->pid, &info, WEXITED | WNOHANG | WNOWAIT);
    while (result < 0 && errno == EINTR);
    if (result == 0 && info.si_pid == 0)
        return false;
    if (result < 0) { /* reaped behind our back, as when SIGCHLD is ignored: the id is no longer ours */
        p->status = UNKNOWN_STATUS;
        p->group = 0;
    } else if (info.si_code == CLD_EXITED) {
        p->status = W_EXITCODE(info.si_status, 0);
    } else {
        p->status = W_EXITCODE(0, info.si_status) | (info.si_code == CLD_DUMPED ? WCOREFLAG : 0);
    }
    p->pid = 0;
    return true;
}

static int64_t deadline_after(int64_t ms)
{
    return ms < 0 ? INT64_MAX : clock_monotonic_ns() / NS_PER_MS + ms;
}

/* Milliseconds that poll may wait, rounded so that it never returns early for good; -1 for ever. */
static int time_left(int64_t deadline)
{
    if (deadline == INT64_MAX)
        return -1;
    int64_t left = deadline - clock_monotonic_ns() / NS_PER_MS;
    return left <= 0 ? 0 : left > INT32_MAX ? INT32_MAX : (int)left;
}

int subprocess_wait(struct subprocess *p, int64_t ms, int *status)
{
    int64_t deadline = deadline_after(ms);
    int handle = -1;
    int nap = FIRST_NAP_MS;
    bool tried = false;
    while (p->pid && !has_ended(p)) {
        int left = time_left(deadline);
        if (left == 0) {
            close_if(&handle);
            return 0;
        }
        if (!tried)
            handle = pidfd_open(p->pid, 0);
        tried = true;
        if (handle >= 0) {
            poll(&(struct pollfd){.fd = handle, .events = POLLIN}, 1, left);
        } else { /* no pidfd here (an old kernel, a filter): look often, then less often */
            clock_sleep_ms(left > 0 && left < nap ? left : nap);
            nap = 2 * nap < LAST_NAP_MS ? 2 * nap : LAST_NAP_MS;
        }
    }
    close_if(&handle);
    if (status)
        *status = p->status;
    return 1;
}

void subprocess_kill_group(struct subprocess *p, int signal)
{
    if (p->group > 0)
        kill(-p->group, signal);
}

void subprocess_release(struct subprocess *p)
{
    close_if(&p->in);
    close_if(&p->out);
    close_if(&p->err);
    if (p->group > 0) {
        subprocess_kill_group(p, SIGKILL);
        kill(p->group, SIGKILL); /* it may have left its group */
        pid_t child = p->group;
        if (subprocess_wait(p, REAP_MS, NULL)) /* else it is stuck in the kernel; we will not be */
            while (waitpid(child, NULL, 0) < 0 && errno == EINTR)
                continue;
    }
    p->pid = p->group = 0;
}
