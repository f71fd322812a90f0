/* Jobs; see job.h. All descriptors of ours are non-blocking, so serving a job is trying each of them.
 *
 * What a command wrote before it ended lies in its pipe when the keeper's news of the end arrives: the
 * streams are read empty after the news, then the call is answered, whoever else still holds the pipe. */
#include "leakybox/job.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/error.h"
#include "leakybox/faults.h"
#include "leakybox/keeper.h"
#include "leakybox/proctree.h"
#include "leakybox/rpc.h"

enum { READ_CHUNK = 65536, READS_AT_ONCE = 64, CLOSE_MS = 6000, ORPHANS_MS = 1000 };
static const int64_t NS_PER_MS = 1000000;

static void close_fd(int *fd)
{
    if (*fd >= 0)
        close(*fd);
    *fd = -1;
}

/* Starting. */

/* A pipe whose one end is ours and does not block. */
static int make_pipe(int *ours, int *theirs, bool ours_reads)
{
    int ends[2];

    if (pipe2(ends, O_CLOEXEC) < 0)
        return -1;
    *ours = ends[ours_reads ? 0 : 1];
    *theirs = ends[ours_reads ? 1 : 0];
    fcntl(*ours, F_SETFL, O_NONBLOCK);
    return 0;
}

static int open_ends(struct job *j, const struct job_command *c, int theirs[3])
{
    if (c->input.len ? make_pipe(&j->in, &theirs[0], false) < 0
                     : (theirs[0] = open("/dev/null", O_RDONLY | O_CLOEXEC)) < 0)
        return -1;
    if (make_pipe(&j->out.fd, &theirs[1], true) < 0 || make_pipe(&j->err.fd, &theirs[2], true) < 0)
        return -1;
    return 0;
}

static void job_free(struct job *j)
{
    close_fd(&j->control);
    close_fd(&j->in);
    close_fd(&j->out.fd);
    close_fd(&j->err.fd);
    close_fd(&j->cwd);
    close_fd(&j->kept_input);
    buf_release(&j->id);
    buf_release(&j->input);
    buf_release(&j->out.kept);
    buf_release(&j->err.kept);
    free(j);
}

static struct job *job_new(struct server *s, struct bytes id, const struct job_command *c)
{
    struct job *j = xcalloc(1, sizeof(*j));

    j->server = s;
    j->control = j->in = j->out.fd = j->err.fd = j->cwd = j->kept_input = -1;
    buf_init(&j->id, id.len);
    buf_add(&j->id, id);
    buf_init(&j->input, c->input.len);
    buf_add(&j->input, c->input);
    buf_init(&j->out.kept, c->keep);
    buf_init(&j->err.kept, c->keep);
    j->timeout_ms = c->timeout_ms;
    j->holds = c->holds;
    j->keeps_zombie = c->keeps_zombie;
    j->keeps_input = c->keeps_input;
    j->given_input = c->input.len != 0;
    if (c->keeps_cwd)
        j->cwd = fcntl(c->cwd, F_DUPFD_CLOEXEC, 3);
    return j;
}

struct job *job_start(struct server *s, struct bytes id, const struct job_command *c)
{
    const char *const argv[] = {"/bin/sh", "-c", "--", c->command, NULL};
    struct keeper_command command = {.argv = argv, .env = c->env, .cwd = c->cwd, .denied = c->denied};
    int theirs[3] = {-1, -1, -1}, number;
    struct job *j;

    if (s->job_count >= JOBS_MAX) {
        errno = EAGAIN;
        return NULL;
    }
    j = job_new(s, id, c);
    if (open_ends(j, c, theirs) == 0) {
        command.in = theirs[0];
        command.out = theirs[1];
        command.err = theirs[2];
        j->keeper = keeper_start(&command, &j->control);
    } else {
        j->keeper = -1;
    }
    number = errno;
    for (int i = 0; i < 3; i++)
        close_fd(&theirs[i]);
    if (j->keeper < 0) {
        job_free(j);
        errno = number;
        return NULL;
    }
    if (!id.len)
        j->number = ++s->last_process;
    if (c->timeout_ms)
        j->first_deadline_ns = j->deadline_ns = clock_monotonic_ns() + c->timeout_ms * NS_PER_MS;
    j->next = s->jobs;
    s->jobs = j;
    s->job_count++;
    return j;
}

/* Asking. */

struct job *job_find(struct server *s, unsigned number)
{
    for (struct job *j = s->jobs; j; j = j->next)
        if (number && j->number == number)
            return j;
    return NULL;
}

static struct job *find_call(struct server *s, struct bytes id)
{
    for (struct job *j = s->jobs; j; j = j->next)
        if (j->id.len && bytes_equal(buf_bytes(&j->id), id))
            return j;
    return NULL;
}

bool job_find_call(struct server *s, struct bytes id)
{
    return find_call(s, id) != NULL;
}

void job_cancel(struct server *s, struct bytes id)
{
    struct job *j = find_call(s, id);
    struct fault_cancel event = {.server = s, .id = id};

    if (!j)
        return; /* it was answered before the cancellation came */
    event.given_input = !j->number && j->given_input;
    faults_cancel(&event);
    if (event.goes_on)
        return;
    buf_clear(&j->id);
    if (!j->number && !event.spares) /* a background process lives on: only the waiting ends */
        keeper_tell(j->control, 'K', 0);
}

void job_forget(struct server *s, struct bytes id)
{
    struct job *j = find_call(s, id);

    if (j)
        buf_clear(&j->id);
}

void job_wait(struct job *j, struct bytes id, int64_t ms)
{
    buf_release(&j->id);
    buf_init(&j->id, id.len);
    buf_add(&j->id, id);
    j->deadline_ns = clock_monotonic_ns() + ms * NS_PER_MS;
}

int job_exit_code(const struct job *j)
{
    return WIFSIGNALED(j->status) ? 128 + WTERMSIG(j->status) : WEXITSTATUS(j->status);
}

bool job_alive(const struct job *j)
{
    return !j->ended;
}

/* Serving. */

static void read_stream(struct job_stream *stream, bool keep)
{
    uint8_t chunk[READ_CHUNK];

    for (int i = 0; stream->fd >= 0 && i < READS_AT_ONCE; i++) {
        ssize_t n = read(stream->fd, chunk, sizeof(chunk));

        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0 && errno == EAGAIN)
            return;
        if (n <= 0) {
            close_fd(&stream->fd);
            return;
        }
        stream->total += (uint64_t)n;
        if (keep) {
            size_t room = stream->kept.max - stream->kept.len;

            buf_add(&stream->kept, bytes_of(chunk, (size_t)n < room ? (size_t)n : room));
        }
    }
}

static void feed(struct job *j)
{
    while (j->in >= 0) {
        ssize_t n = write(j->in, j->input.data + j->fed, j->input.len - j->fed);

        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0 && errno == EAGAIN)
            return;
        if (n > 0)
            j->fed += (size_t)n;
        if (j->keeps_input && n > 0 && j->fed == j->input.len) {
            j->kept_input = j->in;
            j->in = -1;
        } else if (n <= 0 || j->fed == j->input.len) { /* a command that does not read its input may do so */
            close_fd(&j->in);
            buf_release(&j->input);
        }
    }
}

static void take_news(struct job *j, const struct keeper_news *news)
{
    switch (news->kind) {
    case KEEPER_STARTED:
        j->shell = news->number;
        break;
    case KEEPER_FAILED:
        j->ended = true;
        j->start_errno = news->number;
        break;
    case KEEPER_DENIED:
        faults_denied(&(struct fault_denied){(unsigned)news->number});
        break;
    default:
        j->ended = true;
        j->status = news->number;
        /* The keeper is about to end: wait for it, so that whoever looks after the answer sees no trace. */
        if (news->empty && j->keeper && !j->keeps_zombie && waitpid(j->keeper, NULL, 0) == j->keeper)
            j->keeper = 0;
    }
}

static void read_news(struct job *j)
{
    struct keeper_news news;

    while (j->control >= 0) {
        ssize_t n = recv(j->control, &news, sizeof(news), 0);

        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0 && errno == EAGAIN)
            return;
        if (n == (ssize_t)sizeof(news)) {
            take_news(j, &news);
            continue;
        }
        close_fd(&j->control);
        if (!j->ended) { /* somebody killed the keeper */
            j->ended = true;
            j->start_errno = ESRCH;
        }
    }
}

/* Only a planted fault makes output matter for the deadline. */
static void note_output(struct job *j)
{
    struct fault_output event = {.overdue = clock_monotonic_ns() >= j->first_deadline_ns};

    if (!j->first_deadline_ns || j->killed)
        return;
    faults_output(&event);
    if (event.restarts)
        j->deadline_ns = clock_monotonic_ns() + j->timeout_ms * NS_PER_MS;
}

static void serve(struct job *j)
{
    uint64_t seen = j->out.total + j->err.total;
    bool keeps;

    read_news(j);
    keeps = j->number || j->id.len;
    feed(j);
    read_stream(&j->out, keeps);
    read_stream(&j->err, keeps);
    if (j->out.total + j->err.total > seen)
        note_output(j);
    if (!j->ended || !j->id.len)
        return;
    if (j->holds && !j->number && (j->out.fd >= 0 || j->err.fd >= 0)) {
        if (!j->held_ns)
            j->held_ns = clock_monotonic_ns();
        return;
    }
    job_answer(j);
    buf_clear(&j->id);
    if (j->number)
        return; /* it can be asked about again */
    buf_release(&j->out.kept);
    buf_release(&j->err.kept);
}

/* Ended background processes can be asked about, the newest RECORDS_MAX of them. */
static bool is_done(const struct job *j, size_t records)
{
    if (j->control >= 0 || j->keeper || j->id.len)
        return false;
    return !j->number || records > RECORDS_MAX;
}

void jobs_serve(struct server *s)
{
    struct job **link = &s->jobs, *j;
    size_t records = 0;

    s->job_count = 0;
    while ((j = *link)) {
        serve(j);
        records += j->number && j->control < 0;
        if (is_done(j, records)) {
            *link = j->next;
            job_free(j);
            continue;
        }
        s->job_count += j->control >= 0;
        link = &j->next;
    }
}

size_t jobs_poll(struct server *s, struct pollfd *out)
{
    size_t count = 0;

    for (struct job *j = s->jobs; j; j = j->next) {
        const struct pollfd wanted[] = {
            {.fd = j->control, .events = POLLIN},
            {.fd = j->in, .events = POLLOUT},
            {.fd = j->out.fd, .events = POLLIN},
            {.fd = j->err.fd, .events = POLLIN},
        };

        for (size_t i = 0; i < 4; i++)
            if (wanted[i].fd >= 0)
                out[count++] = wanted[i];
    }
    return count;
}

/* Deadlines and ends. */

int64_t jobs_next_deadline(const struct server *s)
{
    int64_t next = INT64_MAX;

    for (const struct job *j = s->jobs; j; j = j->next)
        if (j->id.len && j->deadline_ns && j->deadline_ns < next)
            next = j->deadline_ns;
    return next;
}

static void pass_deadline(struct job *j, int64_t now)
{
    struct fault_timeout event = {.keeper = j->keeper};

    if (j->number) { /* whoever waits for it is told that it still runs */
        j->deadline_ns = 0;
        job_answer(j);
        buf_clear(&j->id);
        return;
    }
    if (j->killed) { /* and still not gone: a process in the kernel cannot be killed */
        j->ended = true;
        j->holds = false;
        j->status = SIGKILL;
        j->deadline_ns = 0;
        return;
    }
    j->killed = true;
    j->deadline_ns = now + KILL_GRACE_MS * NS_PER_MS;
    faults_timeout(&event);
    keeper_tell(j->control, event.spares_tree ? 'k' : 'K', 0);
}

void jobs_check_deadlines(struct server *s)
{
    int64_t now = clock_monotonic_ns();

    for (struct job *j = s->jobs; j; j = j->next)
        if (j->id.len && j->deadline_ns && j->deadline_ns <= now)
            pass_deadline(j, now);
}

void jobs_reap(struct server *s)
{
    bool zombies = false;
    pid_t pid;

    for (struct job *j = s->jobs; j; j = j->next) {
        zombies = zombies || (j->keeper && j->keeps_zombie);
        if (j->keeper && !j->keeps_zombie && waitpid(j->keeper, NULL, WNOHANG) == j->keeper)
            j->keeper = 0;
    }
    if (zombies)
        return;
    /* Children of a keeper that somebody killed have become ours. */
    while ((pid = waitpid(-1, NULL, WNOHANG)) > 0)
        for (struct job *j = s->jobs; j; j = j->next)
            if (j->keeper == pid)
                j->keeper = 0;
}

static bool all_reaped(const struct server *s)
{
    for (const struct job *j = s->jobs; j; j = j->next)
        if (j->keeper)
            return false;
    return true;
}

void jobs_close(struct server *s)
{
    struct fault_close event = {.server = s};
    int64_t end = clock_monotonic_ns() + CLOSE_MS * NS_PER_MS;

    faults_close(&event);
    for (struct job *j = s->jobs; j; j = j->next) {
        if (event.spares && j->control >= 0)
            keeper_tell(j->control, 'L', 0);
        close_fd(&j->control);
        j->keeps_zombie = false;
    }
    for (jobs_reap(s); !all_reaped(s) && clock_monotonic_ns() < end; jobs_reap(s))
        clock_sleep_ms(1);
    if (!event.spares)
        proctree_kill(getpid(), ORPHANS_MS);
    while (s->jobs) {
        struct job *j = s->jobs;

        s->jobs = j->next;
        job_free(j);
    }
}
