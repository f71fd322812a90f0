/* The browser that we start: it reads messages from its descriptor 3 and writes them to its descriptor 4, each ended by a NUL.
 *
 * The agent gives a process three descriptors, so a shell moves the first two to where the browser looks for them and then takes its
 * own place. What the browser says on standard output goes where its standard error goes. */
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "exec/target/cdp/link.h"
#include "exec/target/pipe.h"

static const char wrap[] = "exec \"$@\" 3<&0 4>&1 </dev/null >&2";

enum { NAP_MS = 10, CHUNK = 64 << 10, READS_A_TURN = 16, NS_PER_MS = 1000000, LONGEST_MS = 200, END_MS = 1000, /* from the end of its output to its own */ COMPACT = 1 << 20 };
enum { FROM_OUT, FROM_ERR, TO_IN, WAKE, WATCHED };

static void close_if(int *fd)
{
    if (*fd >= 0)
        close(*fd);
    *fd = -1;
}

static void pipe_queue(struct cdp_link *l, struct bytes message)
{
    if (l->lost)
        return;
    buf_add(&l->out, message);
    buf_add_byte(&l->out, '\0');
}

static void give(struct cdp_link *l)
{
    while (l->out_at < l->out.len) {
        ssize_t n = pipe_write(l->process.in, l->out.data + l->out_at, l->out.len - l->out_at);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK))
            break;
        if (n < 0) { /* its end will be told by what it does not say any more */
            close_if(&l->process.in);
            l->out_at = l->out.len;
            break;
        }
        l->out_at += (size_t)n;
    }
    if (l->out_at == l->out.len) {
        buf_clear(&l->out);
        l->out_at = 0;
    } else if (l->out_at > COMPACT) {
        buf_drop_front(&l->out, l->out_at);
        l->out_at = 0;
    }
}

static void keep_stderr(struct cdp_link *l, const uint8_t *data, size_t length)
{
    stderr_tail_add(&l->said, data, length);
}

static void take_output(struct cdp_link *l, const uint8_t *data, size_t length)
{
    struct bytes chunk = bytes_of(data, length);
    struct mcp_line message;
    while (mcp_lines_next(&l->lines, &chunk, &message))
        l->take(l->context, &message);
}

/* At most a turn's share of one stream. */
static void read_some(struct cdp_link *l, int *fd, void (*take)(struct cdp_link *l, const uint8_t *data, size_t length))
{
    uint8_t chunk[CHUNK];
    for (int i = 0; i < READS_A_TURN && *fd >= 0; i++) {
        ssize_t n = read(*fd, chunk, sizeof chunk);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK))
            return;
        if (n <= 0) {
            close_if(fd);
            return;
        }
        take(l, chunk, (size_t)n);
    }
}

static void look_for_end(struct cdp_link *l)
{
    int status = 0, ended = agent_status(l->session->agent, l->process.id, &status);
    if (ended == 0)
        return;
    read_some(l, &l->process.out, take_output); /* its last words */
    read_some(l, &l->process.err, keep_stderr);
    if (ended < 0)
        cdp_link_lose(l, "the session's agent is gone");
    else if (WIFSIGNALED(status))
        cdp_link_lose(l, "the browser was ended by signal %d", WTERMSIG(status));
    else
        cdp_link_lose(l, "the browser ended with status %d", WEXITSTATUS(status));
}

static void pipe_turn(struct cdp_link *l, int64_t until_ns)
{
    struct pollfd polled[WATCHED];
    int64_t ms = (until_ns - clock_monotonic_ns() + NS_PER_MS - 1) / NS_PER_MS;
    if (l->lost)
        return;
    int64_t longest = l->process.out < 0 ? NAP_MS : LONGEST_MS;
    ms = ms < 0 ? 0 : ms > longest ? longest : ms;
    polled[FROM_OUT] = (struct pollfd){.fd = l->process.out, .events = POLLIN};
    polled[FROM_ERR] = (struct pollfd){.fd = l->process.err, .events = POLLIN};
    polled[TO_IN] = (struct pollfd){.fd = l->out_at < l->out.len ? l->process.in : -1, .events = POLLOUT};
    polled[WAKE] = (struct pollfd){.fd = agent_fd(l->session->agent), .events = POLLIN};
    if (poll(polled, WATCHED, (int)ms) < 0)
        return;
    if (polled[FROM_OUT].revents)
        read_some(l, &l->process.out, take_output);
    if (polled[FROM_ERR].revents)
        read_some(l, &l->process.err, keep_stderr);
    if (polled[TO_IN].revents)
        give(l);
    if (polled[WAKE].revents || l->process.out < 0 || l->process.in < 0)
        look_for_end(l);
    if (l->process.out < 0 && !l->cut_ns)
        l->cut_ns = clock_monotonic_ns();
    if (l->cut_ns && clock_monotonic_ns() > l->cut_ns + (int64_t)END_MS * NS_PER_MS)
        cdp_link_lose(l, "the browser closed its end of the pipe, and goes on");
}

static void pipe_release(struct cdp_link *l)
{
    close_if(&l->process.in);
    close_if(&l->process.out);
    close_if(&l->process.err);
}

static const struct cdp_wire pipe_wire = {.queue = pipe_queue, .turn = pipe_turn, .release = pipe_release};

int cdp_link_start(struct cdp_link *l, struct session *s, const char *const *words, struct error **err)
{
    struct strings argv = {0};
    strings_add_all(&argv, (const char *const[]){"/bin/sh", "-c", wrap, "sh", NULL});
    strings_add_all(&argv, words);
    char **env = session_environment(s), *cwd = session_directory(s);
    struct agent_command command = {
        .argv = (const char *const *)argv.items, .env = (const char *const *)env, .cwd = cwd, .with_stdin = true};
    int status = agent_spawn(s->agent, &command, &l->process, err);
    if (status == 0 && l->process.exec_errno)
        status = error_set(err, ERR_TARGET, "cannot start '%s': %s", words[0], strerror(l->process.exec_errno));
    strings_release(&argv);
    strings_free(env);
    free(cwd);
    if (status < 0)
        return status;
    l->wire = &pipe_wire;
    l->session = s;
    mcp_lines_init(&l->lines, (size_t)settings_int(s->target->options.settings, "exec.max-line"));
    l->lines.ending = '\0';
    buf_init(&l->out, SIZE_MAX);
    s->main_pid = l->process.pid;
    return 0;
}
