/* subprocess_run(): feeds and drains a tool until it ends.
 *
 * All three streams are pumped by one poll loop, so neither side can block the other. It is over when the
 * tool itself ended and what it wrote was read; a child it left behind that still holds the pipes is not
 * waited for. */
#include "base/subprocess.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/pidfd.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"

enum { CHUNK = 65536, NS_PER_MS = 1000000, NAP_MS = 10 /* between looks where there is no pidfd */ };

struct pump {
    struct subprocess p;
    int ended;           /* a pidfd, or -1 */
    struct bytes input;  /* still to be written */
    struct buf *kept[2]; /* of standard output and error; may be NULL */
    size_t max;
    int64_t deadline; /* monotonic, ms */
};

/* Keeps what fits, forgets the rest and marks it; the tool is read to its end in any case. */
static void keep(struct buf *out, size_t max, struct bytes more)
{
    if (!out)
        return;
    size_t limit = max < out->max ? max : out->max;
    size_t room = out->len < limit ? limit - out->len : 0;
    if (!out->overflow && buf_add(out, bytes_slice(more, 0, room)) == 0 && room < more.len)
        out->overflow = true;
}

/* One read. False when nothing is there now, or ever: then the stream is closed. */
static bool drain(struct pump *pump, int *fd, struct buf *out)
{
    uint8_t chunk[CHUNK];
    if (*fd < 0)
        return false;
    ssize_t n = read(*fd, chunk, sizeof chunk);
    if (n > 0) {
        keep(out, pump->max, bytes_of(chunk, (size_t)n));
        return true;
    }
    if (n < 0 && errno == EINTR)
        return true;
    if (n == 0 || errno != EAGAIN) {
        close(*fd);
        *fd = -1;
    }
    return false;
}

static void feed(struct pump *pump)
{
    while (pump->p.in >= 0 && pump->input.len) {
        ssize_t n = write(pump->p.in, pump->input.data, pump->input.len);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0 && errno == EAGAIN)
            return;
        if (n < 0) /* it reads no more: its own business */
            break;
        pump->input = bytes_slice(pump->input, (size_t)n, pump->input.len);
    }
    if (pump->p.in >= 0)
        close(pump->p.in);
    pump->p.in = -1;
}

static int64_t now_ms(void)
{
    return clock_monotonic_ns() / NS_PER_MS;
}

static void wait_for_events(struct pump *pump)
{
    struct pollfd fds[] = {
        {.fd = pump->p.in, .events = POLLOUT},
        {.fd = pump->p.out, .events = POLLIN},
        {.fd = pump->p.err, .events = POLLIN},
        {.fd = pump->ended, .events = POLLIN},
    };
    int64_t left = pump->deadline - now_ms();
    if (pump->ended < 0 && left > NAP_MS)
        left = NAP_MS;
    poll(fds, sizeof fds / sizeof *fds, left < 0 ? 0 : left > INT32_MAX ? INT32_MAX : (int)left);
    if (fds[0].revents)
        feed(pump);
    if (fds[1].revents)
        drain(pump, &pump->p.out, pump->kept[0]);
    if (fds[2].revents)
        drain(pump, &pump->p.err, pump->kept[1]);
}

/* True when the tool ended before the deadline. */
static bool pump_until_end(struct pump *pump, int *status)
{
    while (!subprocess_wait(&pump->p, 0, status)) {
        if (now_ms() >= pump->deadline)
            return false;
        wait_for_events(pump);
    }
    /* What it wrote is still in the pipes. Whoever else holds them is stopped, or else cut off at the
     * deadline. */
    subprocess_kill_group(&pump->p, SIGKILL);
    while (drain(pump, &pump->p.out, pump->kept[0]) && now_ms() < pump->deadline)
        continue;
    while (drain(pump, &pump->p.err, pump->kept[1]) && now_ms() < pump->deadline)
        continue;
    return true;
}

/* Writing to a tool that closed its input raises SIGPIPE, which would end us: it is held back in this thread,
 * and what arrived meanwhile is taken away. */
static bool hold_sigpipe(sigset_t *before)
{
    sigset_t pipe, pending;
    sigemptyset(&pipe);
    sigaddset(&pipe, SIGPIPE);
    pthread_sigmask(SIG_BLOCK, &pipe, before);
    sigpending(&pending);
    return sigismember(&pending, SIGPIPE) == 1;
}

static void let_go_sigpipe(const sigset_t *before, bool was_pending)
{
    sigset_t pipe;
    sigemptyset(&pipe);
    sigaddset(&pipe, SIGPIPE);
    while (!was_pending && sigtimedwait(&pipe, NULL, &(struct timespec){0}) < 0 && errno == EINTR)
        continue;
    pthread_sigmask(SIG_SETMASK, before, NULL);
}

static void set_nonblocking(int fd)
{
    int flags = fcntl(fd, F_GETFL);
    if (flags >= 0)
        (void)!fcntl(fd, F_SETFL, flags | O_NONBLOCK);
}

int subprocess_run(const char *const *argv, struct bytes input, int64_t ms, size_t max, struct buf *out,
                   struct buf *errors, int *status, struct error **err)
{
    struct subprocess_options options = {
        .argv = argv, .keep_fd = -1, .pipe_in = true, .pipe_out = true, .pipe_err = true};
    struct pump pump = {.input = input, .kept = {out, errors}, .max = max};
    pump.deadline = ms < 0 ? INT64_MAX : now_ms() + ms;
    TRY(subprocess_start(&pump.p, &options, err));
    set_nonblocking(pump.p.in);
    set_nonblocking(pump.p.out);
    set_nonblocking(pump.p.err);
    pump.ended = pidfd_open(pump.p.pid, 0);

    sigset_t before;
    bool was_pending = hold_sigpipe(&before);
    feed(&pump);
    bool ended = pump_until_end(&pump, status);
    let_go_sigpipe(&before, was_pending);

    if (pump.ended >= 0)
        close(pump.ended);
    subprocess_release(&pump.p);
    return ended ? 0 : error_set(err, ERR_LIMIT, "'%s' did not end within %lld ms", argv[0], (long long)ms);
}
