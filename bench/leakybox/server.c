/* The poll loop; see server.h.
 *
 * Requests are taken one at a time while fewer than OUT_HIGH_BYTES of answers wait, so a client that does not
 * read its answers makes us stop reading its requests, and memory stays bounded. Standard output may be a
 * blocking pipe (it belongs to whoever started us): after POLLOUT one write of at most PIPE_BUF bytes does
 * not block. */
#include "leakybox/server.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/error.h"
#include "leakybox/faults.h"
#include "leakybox/job.h"
#include "leakybox/rpc.h"
#include "leakybox/text.h"

enum { WRITES_AT_ONCE = 256, FLUSH_MS = 2000, FIXED_FDS = 3 };
static const size_t OUT_MAX_BYTES = (size_t)2 * 1024 * 1024 * 1024;
static const int64_t NS_PER_MS = 1000000;

int server_init(struct server *s, const char *root, struct buf *why)
{
    sigset_t set;

    memset(s, 0, sizeof(*s));
    if (root_open(&s->root, root)) {
        buf_add_string(why, "cannot open the root ");
        text_quote(why, bytes_of_string(root));
        buf_add_string(why, ": ");
        text_errno(why, errno);
        return -1;
    }
    sigemptyset(&set);
    sigaddset(&set, SIGCHLD);
    sigaddset(&set, SIGTERM);
    sigaddset(&set, SIGINT);
    sigaddset(&set, SIGHUP);
    sigprocmask(SIG_BLOCK, &set, NULL);
    signal(SIGPIPE, SIG_IGN);
    signal(SIGXFSZ, SIG_IGN); /* a file size limit then is an error like a full disk */
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    s->signals = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
    if (s->signals < 0) {
        buf_add_string(why, "signalfd: ");
        text_errno(why, errno);
        root_release(&s->root);
        return -1;
    }
    buf_init(&s->line, LINE_MAX_BYTES);
    buf_init(&s->out, OUT_MAX_BYTES);
    faults_begin(&(struct fault_begin){&s->root});
    return 0;
}

void server_release(struct server *s)
{
    while (s->timers) {
        struct timer *t = s->timers;

        s->timers = t->next;
        free(t);
    }
    buf_release(&s->line);
    buf_release(&s->out);
    close(s->signals);
    root_release(&s->root);
}

/* Input. */

static void take_part(struct server *s, struct bytes part, bool complete)
{
    if (s->skipping) {
        idscan_feed(&s->scan, part);
    } else if (s->line.len + part.len > LINE_MAX_BYTES) {
        s->skipping = true;
        idscan_init(&s->scan);
        idscan_feed(&s->scan, buf_bytes(&s->line));
        idscan_feed(&s->scan, part);
        buf_release(&s->line);
        buf_init(&s->line, LINE_MAX_BYTES);
    } else if (!complete || s->line.len) {
        buf_add(&s->line, part);
    }
    if (!complete)
        return;
    if (s->skipping)
        rpc_too_long(s, &s->scan);
    else
        rpc_line(s, s->line.len ? buf_bytes(&s->line) : part);
    s->skipping = false;
    buf_release(&s->line); /* a long one's storage is not kept */
    buf_init(&s->line, LINE_MAX_BYTES);
}

static size_t waiting(const struct server *s)
{
    return s->out.len - s->sent;
}

/* Takes the messages that are complete, as long as there is room for answers. */
static void take_chunk(struct server *s)
{
    while (s->chunk_at < s->chunk_len && waiting(s) < OUT_HIGH_BYTES) {
        const uint8_t *from = s->chunk + s->chunk_at;
        size_t left = s->chunk_len - s->chunk_at;
        const uint8_t *end = memchr(from, '\n', left);
        size_t len = end ? (size_t)(end - from) : left;

        s->chunk_at += len + (end != NULL);
        take_part(s, bytes_of(from, len), end != NULL);
    }
}

static void read_input(struct server *s)
{
    ssize_t n = read(STDIN_FILENO, s->chunk, sizeof(s->chunk));

    if (n < 0 && (errno == EINTR || errno == EAGAIN))
        return;
    if (n <= 0) {
        s->eof = true;
        if (s->line.len || s->skipping) /* a last message without its newline */
            take_part(s, BYTES_NONE, true);
        return;
    }
    s->chunk_at = 0;
    s->chunk_len = (size_t)n;
}

/* Output. */

static void write_output(struct server *s, int limit)
{
    struct pollfd ready = {.fd = STDOUT_FILENO, .events = POLLOUT};

    for (int i = 0; i < limit && waiting(s) && !s->broken && poll(&ready, 1, 0) > 0; i++) {
        size_t len = waiting(s) < PIPE_BUF ? waiting(s) : PIPE_BUF;
        ssize_t n = write(STDOUT_FILENO, s->out.data + s->sent, len);

        if (n > 0)
            s->sent += (size_t)n;
        else if (errno != EINTR && errno != EAGAIN)
            s->broken = true;
    }
    if (!waiting(s)) {
        if (s->out.cap > OUT_HIGH_BYTES) {
            buf_release(&s->out);
            buf_init(&s->out, OUT_MAX_BYTES);
        }
        buf_clear(&s->out);
        s->sent = 0;
    } else if (s->sent > OUT_HIGH_BYTES) {
        buf_drop_front(&s->out, s->sent);
        s->sent = 0;
    }
}

/* Answers already made are still given, to a reader that takes them within a while. */
static void flush_output(struct server *s)
{
    int64_t end = clock_monotonic_ns() + FLUSH_MS * NS_PER_MS;

    while (waiting(s) && !s->broken && clock_monotonic_ns() < end) {
        struct pollfd ready = {.fd = STDOUT_FILENO, .events = POLLOUT};

        if (poll(&ready, 1, 100) > 0)
            write_output(s, WRITES_AT_ONCE);
    }
}

/* Time and signals. */

void server_later(struct server *s, long ms, void (*run)(void *data), void *data)
{
    struct timer *t = xcalloc(1, sizeof(*t)), **link = &s->timers;

    *t = (struct timer){.due_ns = clock_monotonic_ns() + ms * NS_PER_MS, .run = run, .data = data};
    while (*link && (*link)->due_ns <= t->due_ns)
        link = &(*link)->next;
    t->next = *link;
    *link = t;
}

static void run_timers(struct server *s)
{
    int64_t now = clock_monotonic_ns();

    while (s->timers && s->timers->due_ns <= now) {
        struct timer *t = s->timers;

        s->timers = t->next;
        t->run(t->data);
        free(t);
    }
}

static void take_signals(struct server *s)
{
    struct signalfd_siginfo seen;

    while (read(s->signals, &seen, sizeof(seen)) == (ssize_t)sizeof(seen))
        if (seen.ssi_signo != SIGCHLD)
            s->stop_signal = (int)seen.ssi_signo;
    jobs_reap(s);
}

/* Milliseconds until something is due; -1: nothing is. */
static int poll_timeout(const struct server *s)
{
    int64_t due = jobs_next_deadline(s), left;

    if (s->timers && s->timers->due_ns < due)
        due = s->timers->due_ns;
    if (due == INT64_MAX)
        return -1;
    left = (due - clock_monotonic_ns() + NS_PER_MS - 1) / NS_PER_MS;
    return left < 0 ? 0 : left > INT_MAX ? INT_MAX : (int)left;
}

int server_run(struct server *s)
{
    static struct pollfd ready[FIXED_FDS + 4 * (JOBS_MAX + RECORDS_MAX + 1)];

    while (!s->stop_signal && !s->broken && !(s->eof && s->chunk_at == s->chunk_len)) {
        bool reads = s->chunk_at == s->chunk_len && waiting(s) < OUT_HIGH_BYTES;
        size_t count;

        ready[0] = (struct pollfd){.fd = s->signals, .events = POLLIN};
        ready[1] = (struct pollfd){.fd = STDOUT_FILENO, .events = waiting(s) ? POLLOUT : 0};
        ready[2] = (struct pollfd){.fd = reads ? STDIN_FILENO : -1, .events = POLLIN};
        count = jobs_poll(s, ready + FIXED_FDS);
        if (poll(ready, FIXED_FDS + count, poll_timeout(s)) < 0 && errno != EINTR)
            break;
        take_signals(s);
        jobs_check_deadlines(s);
        jobs_serve(s);
        run_timers(s);
        if (ready[1].revents & (POLLERR | POLLNVAL))
            s->broken = true;
        write_output(s, WRITES_AT_ONCE);
        if (ready[2].revents)
            read_input(s);
        take_chunk(s);
    }
    jobs_close(s);
    flush_output(s);
    return s->stop_signal ? 128 + s->stop_signal : 0;
}
