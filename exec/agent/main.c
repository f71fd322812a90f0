/* taskgen-agent: the first program in a session's box; starts, lists and kills everything else there.
 *
 *   taskgen-agent (--socket=FD | --check) [--nest | --nest-plain=ID]
 *                 [--files=N] [--file-size=BYTES] [--processes=N]
 *
 * One thread, one loop over the control socket and the ends of children. It ends when taskgen says so or is
 * gone, and everything it started ends with it. --check does all that comes before the loop, then ends with
 * status 0.
 *
 * Children are a stranger's programs under the same user. They do not inherit the socket, cannot look into
 * this process (it is not dumpable), and where it is process 1 of its namespace they cannot signal it. */
#include "exec/agent/ids.h"
#include "exec/agent/state.h"

#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <unistd.h>

enum { FIRST_FREE_FD = 3, SOFT_FILES = 1024 };

struct options {
    int socket;
    bool check, nest;
    unsigned user; /* whom to become; 0: root, with all capabilities */
    rlim_t files, file_size, processes; /* RLIM_INFINITY: as they are */
};

static void fail(const char *what, int error) __attribute__((noreturn));
static void fail(const char *what, int error)
{
    dprintf(2, "taskgen-agent: cannot %s: %s\n", what, strerror(error));
    _exit(1);
}

static bool read_number(const char *text, unsigned long long *value)
{
    char *end;
    errno = 0;
    *value = strtoull(text, &end, 10);
    return errno == 0 && *text >= '0' && *text <= '9' && *end == '\0';
}

static bool read_options(int argc, char **argv, struct options *o)
{
    static const struct option names[] = {
        {"socket", required_argument, NULL, 's'},
        {"check", no_argument, NULL, 'c'},
        {"nest", no_argument, NULL, 'n'},
        {"nest-plain", required_argument, NULL, 'd'},
        {"files", required_argument, NULL, 'f'},
        {"file-size", required_argument, NULL, 'z'},
        {"processes", required_argument, NULL, 'p'},
        {NULL, 0, NULL, 0},
    };
    *o = (struct options){
        .socket = -1, .files = RLIM_INFINITY, .file_size = RLIM_INFINITY, .processes = RLIM_INFINITY};
    for (int c; (c = getopt_long(argc, argv, "", names, NULL)) != -1;) {
        unsigned long long number = 0;
        if (c == '?' || (optarg && !read_number(optarg, &number)))
            return false;
        o->check |= c == 'c';
        o->nest |= c == 'n' || c == 'd';
        if (c == 's')
            o->socket = number <= INT32_MAX ? (int)number : -1;
        else if (c == 'd')
            o->user = number < AGENT_ID_COUNT ? (unsigned)number : 0;
        else if (c == 'f')
            o->files = number;
        else if (c == 'z')
            o->file_size = number;
        else if (c == 'p')
            o->processes = number;
    }
    return optind == argc && o->check != (o->socket >= FIRST_FREE_FD);
}

/* Lowers a limit for good; where the hard one is lower already, that one stays. */
static void limit(int resource, rlim_t soft, rlim_t hard)
{
    struct rlimit now;
    if (hard == RLIM_INFINITY || getrlimit(resource, &now) < 0)
        return;
    if (now.rlim_max != RLIM_INFINITY && now.rlim_max < hard)
        hard = now.rlim_max;
    setrlimit(resource, &(struct rlimit){soft < hard ? soft : hard, hard});
}

static void set_limits(const struct options *o)
{
    limit(RLIMIT_CORE, 1, 1); /* none in a file, and at 1 none for a program that collects them either */
    limit(RLIMIT_NOFILE, SOFT_FILES, o->files);
    limit(RLIMIT_FSIZE, o->file_size, o->file_size);
    limit(RLIMIT_NPROC, o->processes, o->processes);
}

/* Signals that strangers of the same user may send us; children get the default back. Returns the descriptor
 * that tells of ended children. */
static int set_signals(void)
{
    for (int number = 1; number < NSIG; number++)
        if (number != SIGCHLD && number != SIGSEGV && number != SIGBUS && number != SIGFPE &&
            number != SIGILL && number != SIGABRT)
            signal(number, SIG_IGN);
    sigset_t child;
    sigemptyset(&child);
    sigaddset(&child, SIGCHLD);
    sigprocmask(SIG_SETMASK, &child, NULL);
    return signalfd(-1, &child, SFD_CLOEXEC | SFD_NONBLOCK);
}

static void use_null_streams(void)
{
    int null = open("/dev/null", O_RDWR | O_CLOEXEC);
    for (int fd = 0; fd < FIRST_FREE_FD && null >= 0; fd++)
        dup2(null, fd);
    if (null >= FIRST_FREE_FD)
        close(null);
}

static void end(struct state *s) __attribute__((noreturn));
static void end(struct state *s)
{
    processes_kill_all(s);
    _exit(0);
}

static bool serve(struct state *s, struct request *r)
{
    struct child *child;
    switch (r->frame.kind) {
    case AGENT_SPAWN:
        return spawn_answer(s, r);
    case AGENT_SIGNAL:
        /* The group outlives its leader, so it is signalled by the number of a leader that is not reaped yet,
         * or, when it is, not at all: taskgen kills what is left at the end of the session. */
        child = child_find(s, r->frame.id);
        if (child)
            kill(r->frame.b ? -child->pid : child->pid, r->frame.a);
        return true;
    case AGENT_LIST:
        return processes_answer(s, r->frame.a);
    case AGENT_SOCKET:
        return socket_answer(s, r);
    case AGENT_STOP: {
        struct agent_frame answer = {.kind = AGENT_STOPPED, .a = (int32_t)processes_kill_all(s)};
        wire_write(s->socket, &answer, NULL);
        return false;
    }
    default:
        return false;
    }
}

static void loop(struct state *s, int ends)
{
    struct pollfd fds[2] = {{.fd = s->socket, .events = POLLIN}, {.fd = ends, .events = POLLIN}};
    for (;;) {
        if (poll(fds, 2, -1) < 0 && errno != EINTR)
            return;
        if (fds[1].revents) {
            struct signalfd_siginfo info;
            while (read(ends, &info, sizeof info) > 0)
                continue;
            if (!reap(s))
                return;
        }
        if (fds[0].revents) {
            struct request r;
            bool good = wire_read(s->socket, &r) && serve(s, &r);
            request_release(&r);
            if (!good)
                return;
        }
    }
}

int main(int argc, char **argv)
{
    struct options o;
    if (!read_options(argc, argv, &o))
        fail("understand these options", EINVAL);
    const char *what = "";
    int error = o.nest ? nest_enter(o.user, &what) : 0;
    if (error)
        fail(what, error);
    set_limits(&o);
    prctl(PR_SET_DUMPABLE, 0);
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    int ends = set_signals();
    if (ends < 0)
        fail("watch children", errno);
    if (o.check)
        _exit(0);
    setsid();
    use_null_streams();
    if (fcntl(o.socket, F_SETFD, FD_CLOEXEC) < 0)
        _exit(1);
    struct state s = {.socket = o.socket, .own_namespace = getpid() == 1};
    struct agent_frame ready = {.kind = AGENT_READY};
    if (wire_write(s.socket, &ready, NULL))
        loop(&s, ends);
    end(&s);
}
