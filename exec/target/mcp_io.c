/* Bytes to and from a server, without ever blocking on it.
 *
 * One turn of the loop: wait with poll for whatever is open, then read what is there, then write what
 * goes. Reading comes first and takes a bounded amount a turn, so deadlines are looked at even while a
 * server floods. A pipe that is closed on the other side raises SIGPIPE in the writing thread; it is held
 * back around each write that could raise it. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "exec/target/wire_log.h"
#include "exec/target/mcp_client_internal.h"

enum { CHUNK = 64 << 10, READS_A_TURN = 16, UNWATCHED_MS = 20, SLEEPY_TURNS = 64 };

#define WAKE_PAUSE_NS 20000000
#define SHORT_WAIT_NS 200000

static void append(struct mcp_client *c, struct frame *frame)
{
    if (c->last)
        c->last->next = frame;
    else
        c->first = frame;
    c->last = frame;
}

static void drop_first(struct mcp_client *c)
{
    struct frame *frame = c->first;
    c->first = frame->next;
    if (!c->first)
        c->last = NULL;
    free(frame);
}

static void input_broke(struct mcp_client *c)
{
    c->in_broken = true;
    if (!c->cut_ns)
        c->cut_ns = clock_monotonic_ns();
    while (c->first)
        drop_first(c);
    c->queued_answers = 0;
}

/* write() that fails with EPIPE instead of ending us, whatever SIGPIPE does in this program. Asked when the client is made: a
 * program that ignores it does so from its start on, and one more system call for every write is a tenth of a call's cost. */
static ssize_t write_quietly(const struct mcp_client *c, const void *data, size_t length)
{
    int fd = c->peer.in;
    if (c->pipe_ignored)
        return write(fd, data, length);
    sigset_t pipe_signal, before, pending;
    sigemptyset(&pipe_signal);
    sigaddset(&pipe_signal, SIGPIPE);
    sigpending(&pending);
    bool was_pending = sigismember(&pending, SIGPIPE);
    pthread_sigmask(SIG_BLOCK, &pipe_signal, &before);
    ssize_t written = write(fd, data, length);
    int reason = errno;
    if (written < 0 && reason == EPIPE && !was_pending)
        while (sigtimedwait(&pipe_signal, NULL, &(struct timespec){0}) < 0 && errno == EINTR)
            ;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    errno = reason;
    return written;
}

/* With nothing before it, a message goes out at once, so the server works on it while the next one is made, and what fits is not
 * copied. Returns how much went. */
static size_t write_at_once(struct mcp_client *c, struct bytes data, struct mcp_exchange *exchange)
{
    ssize_t written = c->first || !data.len ? 0 : write_quietly(c, data.data, data.len);
    if (written > 0)
        wire_log_sent(c->log, bytes_slice(data, 0, (size_t)written));
    if (written < 0) {
        if (errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR)
            input_broke(c);
        written = 0;
    }
    if (exchange)
        exchange->sent += (uint64_t)written;
    return (size_t)written;
}

static void pipe_queue(struct mcp_client *c, struct bytes data, struct mcp_exchange *exchange)
{
    if (c->in_broken || c->peer.in < 0)
        return;
    size_t written = write_at_once(c, data, exchange);
    if (c->in_broken || (written && written == data.len))
        return;
    if (!exchange) {
        if (c->queued_answers + data.len > REPLY_QUEUE_MAX)
            return; /* it asks without reading our answers */
        c->queued_answers += data.len;
    }
    struct frame *frame = xmalloc(sizeof *frame + data.len);
    *frame = (struct frame){.exchange = exchange, .length = data.len, .written = written};
    if (data.len)
        memcpy(frame->data, data.data, data.len);
    append(c, frame);
}

static void pipe_queue_plan(struct mcp_client *c, const struct wire_plan *plan, struct mcp_exchange *exchange)
{
    if (c->in_broken || c->peer.in < 0)
        return;
    struct frame *frame = xmalloc(sizeof *frame);
    *frame = (struct frame){.exchange = exchange, .length = plan->total, .cursor.plan = plan};
    append(c, frame);
}

static void pipe_abandon(struct mcp_client *c, struct mcp_exchange *exchange)
{
    struct frame *before = NULL, *frame = c->first;
    while (frame && frame->exchange != exchange) {
        before = frame;
        frame = frame->next;
    }
    if (!frame)
        return;
    frame->exchange = NULL;
    if (frame->written) {
        c->queued_answers += frame->length;
        return;
    }
    if (before)
        before->next = frame->next;
    else
        c->first = frame->next;
    if (c->last == frame)
        c->last = before;
    free(frame);
}

bool mcp_pipe_signal_ignored(void)
{
    struct sigaction action;
    return sigaction(SIGPIPE, NULL, &action) == 0 && action.sa_handler == SIG_IGN;
}

/* What is to be written of the frame now; none: it is not time yet, or all of it went. */
static struct bytes next_bytes(struct frame *frame)
{
    if (frame->cursor.plan)
        return mcp_plan_next(&frame->cursor, clock_monotonic_ns());
    return bytes_of(frame->data + frame->written, frame->length - frame->written);
}

static bool is_for_later(const struct frame *frame)
{
    return frame->cursor.plan && frame->cursor.due_ns > clock_monotonic_ns();
}

static void pipe_write(struct mcp_client *c)
{
    while (c->first) {
        struct frame *frame = c->first;
        ssize_t written = 0;
        struct bytes bytes = next_bytes(frame);
        if (bytes.len)
            written = write_quietly(c, bytes.data, bytes.len);
        else if (frame->written < frame->length)
            return;
        if (written < 0) {
            if (errno == EINTR)
                continue;
            if (errno != EAGAIN && errno != EWOULDBLOCK)
                input_broke(c);
            return;
        }
        wire_log_sent(c->log, bytes_slice(bytes, 0, (size_t)written));
        frame->written += (size_t)written;
        if (frame->cursor.plan && written)
            mcp_plan_took(&frame->cursor, (size_t)written, clock_monotonic_ns());
        if (frame->exchange)
            frame->exchange->sent += (uint64_t)written;
        if (frame->written < frame->length)
            continue;
        if (!frame->exchange)
            c->queued_answers -= frame->length < c->queued_answers ? frame->length : c->queued_answers;
        drop_first(c);
    }
}

static void keep_stderr(struct mcp_client *c, const uint8_t *data, size_t length)
{
    stderr_tail_add(&c->said, data, length);
}

static void take_output(struct mcp_client *c, const uint8_t *data, size_t length)
{
    struct bytes chunk = bytes_of(data, length);
    struct mcp_line line;
    while (mcp_lines_next(&c->lines, &chunk, &line))
        mcp_message_line(c, &line);
}

static void output_ended(struct mcp_client *c)
{
    struct mcp_line line;
    c->out_ended = true; /* so what is left over is no line */
    if (mcp_lines_end(&c->lines, &line))
        mcp_message_line(c, &line);
    if (!c->cut_ns)
        c->cut_ns = clock_monotonic_ns();
}

/* Reads at most a turn's share of one stream. False: it has ended. */
static bool read_some(struct mcp_client *c, int fd,
                      void (*take)(struct mcp_client *c, const uint8_t *data, size_t length))
{
    uint8_t chunk[CHUNK];
    for (int i = 0; i < READS_A_TURN; i++) {
        ssize_t length = read(fd, chunk, sizeof chunk);
        if (length > 0)
            take(c, chunk, (size_t)length);
        else if (length < 0 && errno == EINTR)
            continue;
        else
            return length < 0 && (errno == EAGAIN || errno == EWOULDBLOCK);
        if ((size_t)length < sizeof chunk)
            return true;
    }
    return true;
}

static void pipe_check_end(struct mcp_client *c)
{
    if (c->ended)
        return;
    int status = 0, answer = c->peer.ended(c->peer.context, &status);
    if (answer == 0)
        return;
    c->ended = true;
    c->status = answer > 0 ? status : 0;
    /* What it wrote before it ended is still in the pipe; a child of it may hold the pipe open, so its end
     * is not waited for. */
    for (int i = 0; i < READS_A_TURN && !c->out_ended; i++)
        if (!read_some(c, c->peer.out, take_output))
            output_ended(c);
    if (c->peer.err >= 0)
        read_some(c, c->peer.err, keep_stderr);
}

static int poll_ms(int64_t until_ns)
{
    int64_t left = until_ns - clock_monotonic_ns();
    if (left <= 0)
        return 0;
    int64_t ms = (left + 999999) / 1000000;
    return ms > 1000 ? 1000 : (int)ms;
}

/* Shall the wake descriptor be watched in this turn? Not while it told of another process's end a moment
 * ago. */
static int watched_wake(const struct mcp_client *c)
{
    if (c->ended || !c->peer.wake || clock_monotonic_ns() < c->wake_ignored_until)
        return -1;
    return c->peer.wake(c->peer.context);
}

static void look_for_end(struct mcp_client *c, bool woken)
{
    pipe_check_end(c);
    if (woken && !c->ended)
        c->wake_ignored_until = clock_monotonic_ns() + WAKE_PAUSE_NS;
}

/* poll(), but after a wait that was short the next is likely to be: then we look for a moment without falling asleep, since to be
 * woken costs more than a fast server needs for its answer. Whoever wants the core gets it; when the moment brings nothing, it
 * is not tried again for a while. */
static int wait_for(struct mcp_client *c, struct pollfd *polled, nfds_t count, int ms)
{
    int64_t start = clock_monotonic_ns(), now = start;
    bool awake = ms > 0 && c->wait_was_short && c->sleepy_turns == 0;
    int ready = 0;
    while (awake && (ready = poll(polled, count, 0)) == 0 && now - start < SHORT_WAIT_NS) {
        sched_yield();
        now = clock_monotonic_ns();
    }
    if (awake && ready == 0)
        c->sleepy_turns = SLEEPY_TURNS;
    else if (c->sleepy_turns > 0)
        c->sleepy_turns--;
    if (ready == 0)
        ready = poll(polled, count, ms);
    c->wait_was_short = ready > 0 && clock_monotonic_ns() - start < SHORT_WAIT_NS;
    return ready;
}

enum { FROM_OUT, FROM_ERR, TO_IN, WAKE, WATCHED };

/* What is waited for in this turn, and for how long; poll passes over negative descriptors. */
static int watch(const struct mcp_client *c, int64_t until_ns, struct pollfd polled[WATCHED])
{
    int wake = watched_wake(c), ms = poll_ms(until_ns);
    bool deaf = c->deaf_until_ns && clock_monotonic_ns() < c->deaf_until_ns;
    bool later = c->first && is_for_later(c->first);
    if (later && poll_ms(c->first->cursor.due_ns) < ms)
        ms = poll_ms(c->first->cursor.due_ns);
    polled[FROM_OUT] = (struct pollfd){.fd = c->out_ended || deaf ? -1 : c->peer.out, .events = POLLIN};
    polled[FROM_ERR] = (struct pollfd){.fd = c->peer.err, .events = POLLIN};
    polled[TO_IN] = (struct pollfd){.fd = c->first && !later ? c->peer.in : -1, .events = POLLOUT};
    polled[WAKE] = (struct pollfd){.fd = wake, .events = POLLIN};
    /* Without a wake descriptor the end of the process is asked for instead. */
    return wake < 0 && !c->ended && ms > UNWATCHED_MS ? UNWATCHED_MS : ms;
}

static void take_in(struct mcp_client *c, const struct pollfd polled[WATCHED])
{
    if (polled[FROM_OUT].revents && !read_some(c, c->peer.out, take_output))
        output_ended(c);
    if (polled[FROM_ERR].revents && !read_some(c, c->peer.err, keep_stderr)) {
        close(c->peer.err);
        c->peer.err = -1;
    }
}

static void pipe_turn(struct mcp_client *c, int64_t until_ns)
{
    struct pollfd polled[WATCHED];
    int ms = watch(c, until_ns, polled);
    bool later = c->first && polled[TO_IN].fd < 0;
    if (wait_for(c, polled, WATCHED, ms) < 0)
        return;
    take_in(c, polled);
    if (polled[TO_IN].revents || later)
        pipe_write(c);
    if (polled[WAKE].revents || polled[WAKE].fd < 0 || c->out_ended || c->in_broken)
        look_for_end(c, polled[WAKE].revents != 0);
}

static bool pipe_busy(const struct mcp_client *c)
{
    return c->first != NULL;
}

static void close_if(int *fd)
{
    if (*fd >= 0)
        close(*fd);
    *fd = -1;
}

static void drop_all(struct mcp_client *c)
{
    while (c->first)
        drop_first(c);
}

/* Bytes that were on their way stay unsent; a server may end when its input does. */
static void pipe_hang_up(struct mcp_client *c, struct mcp_exchange *exchange, bool both)
{
    close_if(&c->peer.in);
    c->in_broken = true;
    c->cut_ns = clock_monotonic_ns();
    drop_all(c);
    c->queued_answers = 0;
    if (both) {
        close_if(&c->peer.out);
        c->out_ended = true;
    }
}

/* The end of its standard input is the server's sign to end. */
static void pipe_finish(struct mcp_client *c, int64_t until_ns)
{
    pipe_write(c);
    close_if(&c->peer.in);
    c->in_broken = true;
    drop_all(c);
    pipe_check_end(c);
    while (!c->ended && clock_monotonic_ns() < until_ns)
        pipe_turn(c, until_ns);
}

static void pipe_release(struct mcp_client *c)
{
    close_if(&c->peer.in);
    close_if(&c->peer.out);
    close_if(&c->peer.err);
    drop_all(c);
}

const struct mcp_wire mcp_wire_pipe = {
    .queue = pipe_queue,
    .queue_plan = pipe_queue_plan,
    .hang_up = pipe_hang_up,
    .abandon = pipe_abandon,
    .detach = pipe_abandon,
    .write = pipe_write,
    .turn = pipe_turn,
    .check_end = pipe_check_end,
    .busy = pipe_busy,
    .finish = pipe_finish,
    .release = pipe_release,
};
