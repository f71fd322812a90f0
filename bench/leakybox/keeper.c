/* The keeper process; see keeper.h. It works with what fork leaves it: one thread, no allocation but in
 * proctree.c. */
#include "leakybox/keeper.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "leakybox/denied.h"
#include "leakybox/proctree.h"

enum { KILL_MS = 5000 };

struct keeper {
    int control;
    int signals;
    pid_t shell;
    bool shell_ended;
    int listener; /* where the kernel asks about denied calls; -1 */
};

static void tell(const struct keeper *k, int kind, int number, bool empty)
{
    struct keeper_news news = {.kind = kind, .number = number, .empty = empty};

    /* A server that is gone is noticed when reading. */
    (void)!send(k->control, &news, sizeof(news), MSG_NOSIGNAL);
}

/* In the command's process, between fork and exec. */
static void become_command(const struct keeper_command *c, int report)
{
    static const int reset[] = {SIGPIPE, SIGXFSZ, SIGCHLD, SIGTERM, SIGINT, SIGHUP};
    sigset_t none;
    int number;

    setsid();
    for (size_t i = 0; i < sizeof(reset) / sizeof(*reset); i++)
        signal(reset[i], SIG_DFL);
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    /* The three ends lie above 2 (the server's standard descriptors are taken), so none overwrites another.
     */
    if (c->denied) {
        int listener = denied_install(c->denied);

        if (listener >= 0)
            (void)denied_send(report, listener);
    }
    if (dup2(c->in, 0) >= 0 && dup2(c->out, 1) >= 0 && dup2(c->err, 2) >= 0 && fchdir(c->cwd) == 0)
        execve(c->argv[0], (char *const *)c->argv, c->env);
    number = errno;
    (void)!write(report, &number, sizeof(number));
    _exit(127);
}

/* What the command's process says before it is the command: errno of a start that failed, or the descriptor
 * of denied calls. False when it says no more: the exec went well (close-on-exec), or it is gone. */
static bool read_report(struct keeper *k, int report, int *number)
{
    char space[CMSG_SPACE(sizeof(int))];
    int value = 0;
    struct iovec part = {&value, sizeof(value)};
    struct msghdr message = {
        .msg_iov = &part, .msg_iovlen = 1, .msg_control = space, .msg_controllen = sizeof(space)};
    ssize_t n;

    do
        n = recvmsg(report, &message, MSG_CMSG_CLOEXEC);
    while (n < 0 && errno == EINTR);
    if (n == (ssize_t)sizeof(value))
        *number = value;
    else if (n > 0 && message.msg_controllen)
        memcpy(&k->listener, CMSG_DATA(CMSG_FIRSTHDR(&message)), sizeof(int));
    return n > 0;
}

static int start_command(struct keeper *k, const struct keeper_command *c)
{
    int report[2], number = 0;

    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, report) < 0)
        return errno;
    k->shell = fork();
    if (k->shell == 0)
        become_command(c, report[1]);
    number = k->shell < 0 ? errno : 0;
    close(report[1]);
    while (read_report(k, report[0], &number))
        ;
    close(report[0]);
    return number;
}

/* True when no child is left at all. */
static bool reap(struct keeper *k)
{
    int status, shell_status = 0;
    bool ended = false, empty;
    pid_t pid;

    while ((pid = waitpid(-1, &status, WNOHANG)) > 0 || (pid < 0 && errno == EINTR)) {
        if (pid == k->shell && !k->shell_ended) {
            ended = k->shell_ended = true;
            shell_status = status;
        }
    }
    empty = pid < 0 && errno == ECHILD;
    if (ended)
        tell(k, KEEPER_ENDED, shell_status, empty);
    return empty;
}

static void kill_all(struct keeper *k)
{
    bool gone = proctree_kill(getpid(), KILL_MS);

    if (!k->shell_ended) {
        k->shell_ended = true;
        tell(k, KEEPER_ENDED, SIGKILL, gone); /* as waitpid has it for a signal */
    }
}

/* False when the keeper's work is done. */
static bool obey(struct keeper *k)
{
    int order[2] = {0, 0};
    ssize_t n = recv(k->control, order, sizeof(order), MSG_DONTWAIT);

    if (n < 0 && (errno == EINTR || errno == EAGAIN))
        return true;
    if (n <= 0 || order[0] == 'K') {
        kill_all(k);
        return n > 0;
    }
    if (order[0] == 'L')
        return false;
    if (order[0] == 'k' && !k->shell_ended)
        kill(k->shell, SIGKILL);
    if ((order[0] == 'S' || order[0] == 's') && !k->shell_ended)
        kill(order[0] == 'S' ? -k->shell : k->shell, order[1]);
    return true;
}

static void keep(struct keeper *k)
{
    struct pollfd ready[3] = {{.fd = k->control, .events = POLLIN},
                              {.fd = k->signals, .events = POLLIN},
                              {.fd = k->listener, .events = POLLIN}};
    unsigned denied;
    struct signalfd_siginfo seen;

    while (!reap(k)) {
        if (poll(ready, 3, -1) < 0 && errno != EINTR)
            return;
        if (ready[1].revents)
            (void)!read(k->signals, &seen, sizeof(seen));
        if ((ready[2].revents & POLLIN) && (denied = denied_answer(k->listener)))
            tell(k, KEEPER_DENIED, (int)denied, false);
        else if (ready[2].revents & ~POLLIN)
            ready[2].fd = -1; /* nobody is left who could ask */
        if (ready[0].revents && !obey(k))
            return;
    }
}

/* Once the command runs, the keeper must hold nothing that anybody waits to see closed. Descriptor 0 is where
 * the kernel asks, if it does. */
static void let_go(struct keeper *k)
{
    unsigned low = (unsigned)(k->control < k->signals ? k->control : k->signals);
    unsigned high = (unsigned)(k->control < k->signals ? k->signals : k->control);
    int null = open("/dev/null", O_RDWR | O_CLOEXEC);

    for (int fd = 0; fd < 3; fd++)
        dup2(fd == 0 && k->listener >= 0 ? k->listener : null, fd);
    if (k->listener >= 0)
        k->listener = 0;
    if (low > 3)
        close_range(3, low - 1, 0);
    if (high > low + 1)
        close_range(low + 1, high - 1, 0);
    close_range(high + 1, ~0U, 0);
}

/* In the keeper's process. */
static void become_keeper(const struct keeper_command *c, int control)
{
    struct keeper k = {.control = control, .listener = -1};
    sigset_t set;
    int number;

    prctl(PR_SET_CHILD_SUBREAPER, 1);
    prctl(PR_SET_NAME, "leakybox-keeper");
    setpgid(0, 0);
    sigfillset(&set);
    sigprocmask(SIG_SETMASK, &set, NULL);
    sigemptyset(&set);
    sigaddset(&set, SIGCHLD);
    k.signals = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
    number = k.signals < 0 ? errno : start_command(&k, c);
    if (number) {
        tell(&k, KEEPER_FAILED, number, true);
        _exit(0);
    }
    tell(&k, KEEPER_STARTED, k.shell, false);
    let_go(&k);
    keep(&k);
    _exit(0);
}

pid_t keeper_start(const struct keeper_command *command, int *control)
{
    int pair[2], saved;
    pid_t pid;

    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) < 0)
        return -1;
    pid = fork();
    if (pid == 0) {
        close(pair[0]);
        become_keeper(command, pair[1]);
    }
    saved = errno;
    close(pair[1]);
    if (pid < 0) {
        close(pair[0]);
        errno = saved;
        return -1;
    }
    fcntl(pair[0], F_SETFL, O_NONBLOCK);
    *control = pair[0];
    return pid;
}

void keeper_tell(int control, char what, int number)
{
    int order[2] = {what, number};

    (void)!send(control, order, sizeof(order), MSG_NOSIGNAL | MSG_DONTWAIT);
}
