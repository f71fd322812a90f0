/* taskgen's end of the session agent (exec/agent): starts it in the box and asks it things.
 *
 * Its process id on this machine comes with its first frame, from the kernel; nothing in the session is
 * started before it has been put into its control group. How frames go to and fro is in agent_wire.c. */
#include "exec/target/agent_wire.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/pidfd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/fs.h"
#include "base/subprocess.h"
#include "exec/target/strings.h"
#include "exec/target/target.h"

enum { STOP_MS = 10000, END_MS = 5000, COMPLAINT_MS = 500, PIPE_SIZE = 1 << 20 };

static void close_if(int *fd)
{
    if (*fd >= 0)
        close(*fd);
    *fd = -1;
}

/* --- starting --- */

/* What the box said before it failed to come up; one line. */
static void complaint(struct agent *a, char *line, size_t size)
{
    ssize_t n = 1;
    size_t at = 0;
    struct pollfd p = {.fd = a->box.err, .events = POLLIN};
    while (n > 0 && at < size - 1 && poll(&p, 1, COMPLAINT_MS) > 0) {
        n = read(a->box.err, line + at, size - 1 - at);
        at += n > 0 ? (size_t)n : 0;
    }
    line[at] = '\0';
    line[strcspn(line, "\n")] = '\0';
}

static int await_ready(struct agent *a, int64_t ms, struct error **err)
{
    struct agent_frame f;
    if (agent_wire_answer(a, AGENT_READY, (int)ms, &f, NULL)) {
        a->handle = a->host_pid > 0 ? pidfd_open(a->host_pid, 0) : -1;
        box_cgroup_add(a->cgroup, a->host_pid);
        close_if(&a->box.err);
        return 0;
    }
    char line[512] = "";
    subprocess_kill_group(&a->box, SIGKILL); /* so that its standard error ends */
    complaint(a, line, sizeof line);
    return error_set(err, ERR_TARGET, "cannot start the session's box: %s",
                     *line ? line : "no answer from its agent");
}

static char **agent_argv(const struct box *box, int fd, struct error **err)
{
    char *program = fs_helper("taskgen-agent", err);
    if (!program)
        return NULL;
    struct strings words = {0};
    strings_add(&words, program);
    strings_addf(&words, "--socket=%d", fd);
    char **options = box_agent_options(box);
    strings_add_all(&words, (const char *const *)options);
    box_argv_free(options);
    char **argv = box_argv(box, (const char *const *)words.items, err);
    strings_release(&words);
    free(program);
    return argv;
}

static int start_box(struct agent *a, const struct box *box, struct error **err)
{
    int ends[2], on = 1;
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) < 0)
        return error_set(err, ERR_TARGET, "cannot make a socket pair: %s", strerror(errno));
    a->fd = ends[0];
    setsockopt(a->fd, SOL_SOCKET, SO_PASSCRED, &on, sizeof on);
    char **argv = agent_argv(box, ends[1], err);
    int status = ERR_TARGET;
    if (argv) {
        const char *env[] = {"PATH=/usr/bin:/bin", "LANG=C.UTF-8", NULL};
        struct subprocess_options o = {
            .argv = (const char *const *)argv, .envp = env, .cwd = "/", .keep_fd = ends[1], .pipe_err = true};
        status = subprocess_start(&a->box, &o, err);
        box_argv_free(argv);
    }
    close(ends[1]);
    return status;
}

int agent_start(const struct box *box, struct agent **agent, struct error **err)
{
    struct agent *a = xcalloc(1, sizeof *a);
    a->fd = a->handle = -1;
    a->box = (struct subprocess){.in = -1, .out = -1, .err = -1};
    buf_init(&a->in, 2 * (size_t)AGENT_MAX_PAYLOAD);
    a->cgroup = box_cgroup_new(box->settings, box->threads);
    int status = start_box(a, box, err);
    if (status == 0)
        status = await_ready(a, settings_int(box->settings, "exec.start-timeout"), err);
    if (status < 0) {
        agent_stop(a);
        return status;
    }
    *agent = a;
    return 0;
}

void agent_stop(struct agent *a)
{
    struct agent_frame f = {.kind = AGENT_STOP};
    bool asked = a->fd >= 0 && agent_wire_ask(a, &f, BYTES_NONE, NULL, 0) &&
                 agent_wire_answer(a, AGENT_STOPPED, STOP_MS, &f, NULL);
    agent_wire_close(a); /* an agent that still runs sees the end of its socket */
    if (!asked && a->handle >= 0)
        pidfd_send_signal(a->handle, SIGKILL, NULL, 0);
    if (a->box.pid && subprocess_wait(&a->box, END_MS, NULL) == 0 && a->handle >= 0)
        pidfd_send_signal(a->handle, SIGKILL, NULL, 0); /* with process 1 everything in its namespace goes */
    subprocess_release(&a->box);
    box_cgroup_free(a->cgroup);
    close_if(&a->handle);
    buf_release(&a->in);
    free(a->ended);
    free(a);
}

/* --- requests --- */

static int new_id(struct agent *a)
{
    if (a->count == a->capacity) {
        a->capacity = a->capacity ? 2 * a->capacity : 64;
        a->ended = xrealloc(a->ended, a->capacity * sizeof *a->ended);
    }
    a->ended[a->count++] = (struct agent_ended){false, 0};
    return (int)a->count;
}

/* Pipes for a command: ours into *p, theirs in the order the protocol has. False with errno when there are
 * none left. */
static bool make_pipes(const struct agent_command *command, struct agent_process *p,
                       int theirs[AGENT_MAX_FDS], size_t *count)
{
    int *ours[AGENT_MAX_FDS] = {command->with_stdin ? &p->in : NULL, &p->out,
                                command->merge_err ? NULL : &p->err};
    for (int stream = 0; stream < AGENT_MAX_FDS; stream++) {
        int ends[2];
        if (!ours[stream])
            continue;
        if (pipe2(ends, O_CLOEXEC) < 0)
            return false;
        *ours[stream] = ends[stream == 0 ? 1 : 0];
        theirs[(*count)++] = ends[stream == 0 ? 0 : 1];
        fcntl(*ours[stream], F_SETFL, O_NONBLOCK);
        if (stream > 0) /* a process that nobody reads for a while shall not block at once */
            fcntl(*ours[stream], F_SETPIPE_SZ, PIPE_SIZE);
    }
    return true;
}

static void add_strings(struct buf *payload, const char *const *list, int32_t *count)
{
    for (*count = 0; list && list[*count]; ++*count)
        buf_add(payload, bytes_of(list[*count], strlen(list[*count]) + 1));
}

static void close_ours(struct agent_process *p)
{
    close_if(&p->in);
    close_if(&p->out);
    close_if(&p->err);
}

/* Asks and reads the answer, when the pipes are there. */
static int spawn(struct agent *a, const struct agent_command *command, struct agent_process *p,
                 const int *theirs, size_t count, struct error **err)
{
    struct agent_frame f = {.kind = AGENT_SPAWN, .id = p->id};
    struct buf payload;
    buf_init(&payload, AGENT_MAX_PAYLOAD);
    const char *cwd = command->cwd ? command->cwd : "/";
    buf_add(&payload, bytes_of(cwd, strlen(cwd) + 1));
    add_strings(&payload, command->argv, &f.b);
    add_strings(&payload, command->env, &f.c);
    f.a = (command->with_stdin ? AGENT_PIPE_IN : 0) | (command->merge_err ? AGENT_MERGE_ERR : 0);
    f.size = (uint32_t)payload.len;
    if (payload.overflow) { /* more than any kernel takes */
        p->exec_errno = E2BIG;
        buf_release(&payload);
        return 0;
    }
    bool answered = agent_wire_ask(a, &f, buf_bytes(&payload), theirs, count) &&
                    agent_wire_answer(a, AGENT_SPAWNED, AGENT_ANSWER_MS, &f, NULL);
    buf_release(&payload);
    if (!answered)
        return error_set(err, ERR_TARGET, "the session's agent is gone");
    if (f.a < 0)
        return error_set(err, ERR_TARGET, "cannot start a process in the box: %s", strerror(f.b));
    p->pid = f.a;
    p->exec_errno = f.a == 0 ? (f.b ? f.b : EINVAL) : 0;
    return 0;
}

int agent_spawn(struct agent *a, const struct agent_command *command, struct agent_process *process,
                struct error **err)
{
    int theirs[AGENT_MAX_FDS];
    size_t count = 0;
    *process = (struct agent_process){.in = -1, .out = -1, .err = -1};
    if (a->fd < 0)
        return error_set(err, ERR_TARGET, "the session's agent is gone");
    int status;
    if (make_pipes(command, process, theirs, &count)) {
        process->id = new_id(a);
        status = spawn(a, command, process, theirs, count, err);
    } else {
        status = error_set(err, ERR_TARGET, "cannot make a pipe: %s", strerror(errno));
    }
    for (size_t i = 0; i < count; i++)
        close(theirs[i]);
    if (status < 0 || process->exec_errno)
        close_ours(process);
    return status;
}

/* Takes the descriptor that was sent through; -1: none was. */
static int receive_descriptor(int through)
{
    char byte;
    union {
        struct cmsghdr header;
        char space[CMSG_SPACE(sizeof(int))];
    } control;
    struct iovec part = {&byte, 1};
    struct msghdr message = {
        .msg_iov = &part, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof control};
    int fd = -1;
    if (recvmsg(through, &message, MSG_DONTWAIT | MSG_CMSG_CLOEXEC) != 1)
        return -1;
    struct cmsghdr *c = CMSG_FIRSTHDR(&message);
    if (c && c->cmsg_level == SOL_SOCKET && c->cmsg_type == SCM_RIGHTS && c->cmsg_len == CMSG_LEN(sizeof fd))
        memcpy(&fd, CMSG_DATA(c), sizeof fd);
    return fd;
}

int agent_socket(struct agent *a, int family)
{
    int pair[2], fd = -1;
    struct agent_frame f = {.kind = AGENT_SOCKET, .a = family};
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) < 0)
        return -1;
    bool answered = agent_wire_ask(a, &f, BYTES_NONE, &pair[1], 1) &&
                    agent_wire_answer(a, AGENT_SOCKETED, AGENT_ANSWER_MS, &f, NULL);
    if (answered && f.b == 0)
        fd = receive_descriptor(pair[0]);
    close(pair[0]);
    close(pair[1]);
    if (fd < 0)
        errno = answered && f.b ? f.b : ENOTCONN;
    return fd;
}

int agent_status(struct agent *a, int id, int *status)
{
    if (id < 1 || (size_t)id > a->count)
        return -1;
    if (!a->ended[id - 1].known)
        agent_wire_look(a);
    if (a->ended[id - 1].known) {
        *status = a->ended[id - 1].status;
        return 1;
    }
    return a->fd < 0 ? -1 : 0;
}

int agent_fd(const struct agent *a)
{
    return a->fd;
}

void agent_signal(struct agent *a, int id, int signal, bool group)
{
    struct agent_frame f = {.kind = AGENT_SIGNAL, .id = id, .a = signal, .b = group};
    agent_wire_ask(a, &f, BYTES_NONE, NULL, 0);
}

size_t agent_processes(struct agent *a, struct process_info *out, size_t max)
{
    size_t cap = AGENT_MAX_PAYLOAD / sizeof(struct agent_info);
    struct agent_frame f = {.kind = AGENT_LIST, .a = (int32_t)(max < cap ? max : cap)};
    struct buf payload;
    buf_init(&payload, AGENT_MAX_PAYLOAD);
    size_t total = 0;
    if (agent_wire_ask(a, &f, BYTES_NONE, NULL, 0) &&
        agent_wire_answer(a, AGENT_PROCESSES, AGENT_ANSWER_MS, &f, &payload)) {
        total = f.a > 0 ? (size_t)f.a : 0;
        for (size_t i = 0; i < max && (i + 1) * sizeof(struct agent_info) <= payload.len; i++) {
            struct agent_info info;
            memcpy(&info, payload.data + i * sizeof info, sizeof info);
            out[i] = (struct process_info){.pid = info.pid, .parent = info.parent, .state = info.state};
            snprintf(out[i].name, sizeof out[i].name, "%.*s", AGENT_NAME - 1, info.name);
            snprintf(out[i].command, sizeof out[i].command, "%.*s", AGENT_COMMAND - 1, info.command);
        }
    }
    buf_release(&payload);
    return total;
}

bool agent_alive(const struct agent *a)
{
    return a->fd >= 0;
}

bool agent_oom_killed(const struct agent *a)
{
    return box_cgroup_oom_killed(a->cgroup);
}

int agent_host_pid(const struct agent *a)
{
    return a->host_pid;
}

struct box_cgroup *agent_cgroup(const struct agent *a)
{
    return a->cgroup;
}
