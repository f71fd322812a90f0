/* Processes of the exec driver, side by side: one poll over all their pipes and the agent.
 *
 * Every pipe of ours is non-blocking and every byte is taken as soon as it is there, kept or not, so that
 * neither a flood nor silence of one process holds up another. A process that has ended may leave its pipes
 * to children; those pipes stay open, read and dropped, since closing them would kill whoever writes next and
 * hide that it is there. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "exec/target/exec_internal.h"
#include "exec/target/pipe.h"

enum { NS_PER_MS = 1000000, MAX_LINGERING = 64, MAX_READS = 16 };

static void close_if(int *fd)
{
    if (*fd >= 0)
        close(*fd);
    *fd = -1;
}

struct job *job_start(struct session *s, const struct agent_command *command, struct bytes input, size_t max,
                      struct error **err)
{
    struct exec_state *x = s->commands;
    struct job *j = xcalloc(1, sizeof *j);
    if (agent_spawn(s->agent, command, &j->process, err) < 0) {
        free(j);
        return NULL;
    }
    j->input = input;
    buf_init(&j->out, max);
    buf_init(&j->err, max);
    if (j->process.exec_errno)
        j->ended = true;
    j->next = x->jobs;
    x->jobs = j;
    return j;
}

bool job_open(const struct job *j)
{
    return j->process.out >= 0 || j->process.err >= 0;
}

void job_close_pipes(struct job *j)
{
    close_if(&j->process.in);
    close_if(&j->process.out);
    close_if(&j->process.err);
}

void jobs_forget(struct exec_state *x, struct job *j)
{
    for (struct job **at = &x->jobs; *at; at = &(*at)->next) {
        if (*at == j) {
            *at = j->next;
            break;
        }
    }
    job_close_pipes(j);
    buf_release(&j->out);
    buf_release(&j->err);
    free(j);
}

struct job *jobs_find(struct exec_state *x, int64_t pid)
{
    for (struct job *j = x->jobs; j; j = j->next)
        if (!j->discard && j->process.pid == pid)
            return j;
    return NULL;
}

void jobs_trim(struct exec_state *x)
{
    int kept = 0;
    for (struct job *j = x->jobs, *next; j; j = next) {
        next = j->next;
        if (j->discard && j->ended && (!job_open(j) || ++kept > MAX_LINGERING))
            jobs_forget(x, j);
    }
}

/* --- moving bytes --- */

/* Keeps as much as fits; true when something had to go. */
static bool keep(struct buf *b, struct bytes more)
{
    size_t room = b->max - b->len;
    buf_add(b, bytes_slice(more, 0, room));
    return more.len > room;
}

/* Takes what is there, but lets others have their turn. */
static void take(struct job *j, int *fd, struct buf *into, bool *cut, uint8_t *chunk)
{
    for (int i = 0; i < MAX_READS; i++) {
        ssize_t n = read(*fd, chunk, EXEC_CHUNK);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0 && errno == EAGAIN)
            return;
        if (n <= 0) {
            close_if(fd);
            return;
        }
        j->received += (uint64_t)n;
        if (!j->discard)
            *cut |= keep(into, bytes_of(chunk, (size_t)n));
    }
}

/* A reader that closes its end is none of our business: the rest is not sent. */
static void give(struct job *j)
{
    while (j->input_at < j->input.len) {
        ssize_t n = pipe_write(j->process.in, j->input.data + j->input_at, j->input.len - j->input_at);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0 && errno == EAGAIN)
            return;
        if (n < 0)
            break;
        j->input_at += (size_t)n;
    }
    close_if(&j->process.in);
}

static void note_end(struct session *s, struct job *j)
{
    int status = 0;
    int known = j->ended ? 0 : agent_status(s->agent, j->process.id, &status);
    if (known == 0)
        return;
    j->ended = true;
    j->status = known > 0 ? status : SIGKILL; /* the agent is gone, and it with it */
    j->ended_ns = clock_monotonic_ns();
}

enum { PER_JOB = 3 };

static size_t watch(struct session *s, struct pollfd *fds)
{
    struct exec_state *x = s->commands;
    size_t count = 0;
    fds[count++] = (struct pollfd){.fd = agent_fd(s->agent), .events = POLLIN};
    for (struct job *j = x->jobs; j; j = j->next) {
        fds[count++] = (struct pollfd){.fd = j->process.in, .events = POLLOUT};
        fds[count++] = (struct pollfd){.fd = j->process.out, .events = POLLIN};
        fds[count++] = (struct pollfd){.fd = j->process.err, .events = POLLIN};
    }
    return count;
}

static void serve(struct session *s, const struct pollfd *fds)
{
    struct exec_state *x = s->commands;
    size_t at = 1;
    for (struct job *j = x->jobs; j; j = j->next, at += PER_JOB) {
        if (fds[at].revents)
            give(j);
        if (fds[at + 1].revents)
            take(j, &j->process.out, &j->out, &j->out_cut, x->chunk);
        if (fds[at + 2].revents)
            take(j, &j->process.err, &j->err, &j->err_cut, x->chunk);
    }
}

void jobs_pump(struct session *s, int64_t until_ns)
{
    struct exec_state *x = s->commands;
    size_t count = 1;
    bool news = false;
    for (struct job *j = x->jobs; j; j = j->next) {
        bool before = j->ended;
        note_end(s, j);
        news |= j->ended != before;
        count += PER_JOB;
    }
    int64_t left = (until_ns - clock_monotonic_ns() + NS_PER_MS - 1) / NS_PER_MS;
    if (left < 0 || news)
        left = 0;
    struct pollfd *fds = xcalloc(count, sizeof *fds);
    watch(s, fds);
    if (poll(fds, count, left > INT32_MAX ? INT32_MAX : (int)left) > 0)
        serve(s, fds);
    free(fds);
    for (struct job *j = x->jobs; j; j = j->next)
        note_end(s, j);
}
