/* Starting processes, and reaping whatever ends.
 *
 * A child is forked from this small image, so that its cost does not depend on taskgen's size. It leads its
 * own session and process group and inherits three descriptors, nothing else: the control socket above all
 * must not be seen. A pipe that closes itself on exec tells why a command could not be executed. */
#include "exec/agent/state.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

enum { REPORT_FD = 3, SIGNALS = 64 };

struct command {
    const char *cwd;
    char **argv, **env; /* NULL-terminated, pointing into the payload */
    int in, out, err;   /* in -1: /dev/null; err -1: as out */
};

struct failure {
    int error, at_directory;
};

/* `count` strings from *at on. NULL when there are fewer; owned. */
static char **take_strings(char **at, const char *end, int32_t count)
{
    if (count < 0 || count > end - *at)
        return NULL;
    char **list = calloc((size_t)count + 1, sizeof *list);
    for (int32_t i = 0; list && i < count; i++) {
        if (*at >= end) {
            free(list);
            return NULL;
        }
        list[i] = *at;
        *at += strlen(*at) + 1;
    }
    return list;
}

/* 0 or an errno. */
static int command_read(struct command *c, const struct request *r)
{
    *c = (struct command){.in = -1, .out = -1, .err = -1};
    char *at = r->payload, *end = r->payload + r->frame.size;
    if (r->frame.size == 0 || end[-1] != '\0' || r->frame.b < 1)
        return EINVAL;
    c->cwd = at;
    at += strlen(at) + 1;
    c->argv = take_strings(&at, end, r->frame.b);
    c->env = take_strings(&at, end, r->frame.c);
    size_t wanted = 1, next = 0;
    wanted += r->frame.a & AGENT_PIPE_IN ? 1 : 0;
    wanted += r->frame.a & AGENT_MERGE_ERR ? 0 : 1;
    if (!c->argv || !c->env || wanted != r->fd_count)
        return EINVAL;
    if (r->frame.a & AGENT_PIPE_IN)
        c->in = r->fds[next++];
    c->out = r->fds[next++];
    if (!(r->frame.a & AGENT_MERGE_ERR))
        c->err = r->fds[next];
    return 0;
}

/* By the kernel's own call: the C library keeps two signals to itself, and whoever started us by posix_spawn
 * has left them ignored. */
static void reset_signals(void)
{
    static const unsigned char as_usual[64]; /* struct sigaction as the kernel has it, all zero: SIG_DFL */
    for (int number = 1; number <= SIGNALS; number++)
        syscall(SYS_rt_sigaction, number, as_usual, NULL, SIGNALS / 8);
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
}

/* When memory runs out, this one goes before the agent. */
static void offer_to_the_oom_killer(void)
{
    int fd = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);
    if (fd < 0)
        return;
    (void)!write(fd, "500", 3);
    close(fd);
}

static void child_main(const struct command *c, int report) __attribute__((noreturn));
static void child_main(const struct command *c, int report)
{
    struct failure failure = {0, 0};
    setsid();
    reset_signals();
    int in = c->in >= 0 ? c->in : open("/dev/null", O_RDONLY | O_CLOEXEC);
    bool wired = dup2(in, 0) == 0 && dup2(c->out, 1) == 1 && dup2(c->err >= 0 ? c->err : c->out, 2) == 2;
    if (wired && report != REPORT_FD)
        wired = dup3(report, REPORT_FD, O_CLOEXEC) == REPORT_FD;
    if (wired) {
        closefrom(REPORT_FD + 1);
        report = REPORT_FD;
        prctl(PR_SET_PDEATHSIG, SIGKILL); /* should the agent be killed where it is no namespace's init */
        prctl(PR_SET_DUMPABLE, 1);        /* only now: while it held our descriptors nobody could look in */
        offer_to_the_oom_killer();
        if (chdir(c->cwd) == 0) {
            environ = c->env;
            execvp(c->argv[0], c->argv);
        } else {
            failure.at_directory = 1;
        }
    }
    failure.error = errno;
    (void)!write(report, &failure, sizeof failure);
    _exit(127);
}

/* Forks and waits until the command is executed, or is known not to be. pid as in AGENT_SPAWNED. */
static pid_t start(const struct command *c, struct failure *failure)
{
    int ends[2];
    *failure = (struct failure){0, 0};
    if (pipe2(ends, O_CLOEXEC) < 0) {
        failure->error = errno;
        return -1;
    }
    pid_t pid = fork();
    if (pid == 0)
        child_main(c, ends[1]);
    failure->error = pid < 0 ? errno : 0;
    close(ends[1]);
    ssize_t n = 0;
    if (pid > 0) {
        do
            n = read(ends[0], failure, sizeof *failure);
        while (n < 0 && errno == EINTR);
    }
    close(ends[0]);
    if (n == (ssize_t)sizeof *failure) {
        waitpid(pid, NULL, 0);
        return 0;
    }
    return pid;
}

static bool child_add(struct state *s, int32_t id, pid_t pid)
{
    if (s->count == s->capacity) {
        size_t capacity = s->capacity ? 2 * s->capacity : 16;
        struct child *more = realloc(s->children, capacity * sizeof *more);
        if (!more)
            return false;
        s->children = more;
        s->capacity = capacity;
    }
    s->children[s->count++] = (struct child){id, pid};
    return true;
}

bool spawn_answer(struct state *s, struct request *r)
{
    struct command c;
    struct failure failure = {0, 0};
    pid_t pid = 0;
    failure.error = command_read(&c, r);
    if (!failure.error)
        pid = start(&c, &failure);
    if (pid > 0 && !child_add(s, r->frame.id, pid)) {
        kill(pid, SIGKILL);
        pid = -1;
        failure.error = ENOMEM;
    }
    free(c.argv);
    free(c.env);
    struct agent_frame answer = {
        .kind = AGENT_SPAWNED, .id = r->frame.id, .a = pid, .b = failure.error, .c = failure.at_directory};
    return wire_write(s->socket, &answer, NULL);
}

struct child *child_find(struct state *s, int32_t id)
{
    for (size_t i = 0; i < s->count; i++)
        if (s->children[i].id == id)
            return &s->children[i];
    return NULL;
}

bool reap(struct state *s)
{
    int status;
    pid_t pid;
    while ((pid = waitpid(-1, &status, WNOHANG)) > 0) {
        for (size_t i = 0; i < s->count; i++) {
            if (s->children[i].pid != pid)
                continue;
            struct agent_frame ended = {.kind = AGENT_ENDED, .id = s->children[i].id, .a = status};
            s->children[i] = s->children[--s->count];
            if (s->socket >= 0 && !wire_write(s->socket, &ended, NULL))
                return false;
            break;
        }
    }
    return true;
}
