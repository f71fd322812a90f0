/* Frames to and from the session agent.
 *
 * The socket does not block. While we wait, for room to send or for an answer, ends of processes that come in
 * between are put down in a table, so neither side can block the other. An agent that does not answer in
 * time, or whose stream ends, is dead from then on. */
#include "exec/target/agent_wire.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"

enum { NS_PER_MS = 1000000, CHUNK = 65536 };

void agent_wire_close(struct agent *a)
{
    if (a->fd >= 0)
        close(a->fd);
    a->fd = -1;
}

/* Takes what has come into a->in; false when nothing more will. `message` may carry the sender's credentials.
 */
static bool receive(struct agent *a)
{
    uint8_t chunk[CHUNK];
    union {
        struct cmsghdr header;
        char space[CMSG_SPACE(sizeof(struct ucred))];
    } control;
    struct iovec part = {chunk, sizeof chunk};
    struct msghdr message = {
        .msg_iov = &part, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof control};
    ssize_t n = recvmsg(a->fd, &message, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
    if (n < 0)
        return errno == EINTR || errno == EAGAIN;
    struct cmsghdr *c = CMSG_FIRSTHDR(&message);
    if (c && c->cmsg_level == SOL_SOCKET && c->cmsg_type == SCM_CREDENTIALS) {
        struct ucred sender;
        memcpy(&sender, CMSG_DATA(c), sizeof sender);
        a->host_pid = sender.pid;
    }
    return n > 0 && buf_add(&a->in, bytes_of(chunk, (size_t)n)) == 0;
}

static void note_end(struct agent *a, const struct agent_frame *f)
{
    if (f->id >= 1 && (size_t)f->id <= a->count)
        a->ended[f->id - 1] = (struct agent_ended){true, f->a};
}

/* The next frame that is an answer, if it is there whole; the ends before it are noted. The caller takes it
 * out. */
static bool next_answer(struct agent *a, struct agent_frame *f)
{
    while (a->in.len >= sizeof *f) {
        memcpy(f, a->in.data, sizeof *f);
        if (f->kind != AGENT_ENDED)
            return a->in.len - sizeof *f >= f->size;
        note_end(a, f);
        buf_drop_front(&a->in, sizeof *f);
    }
    return false;
}

static int ms_left(int64_t deadline)
{
    int64_t left = (deadline - clock_monotonic_ns()) / NS_PER_MS;
    return left < 0 ? 0 : left > INT32_MAX ? INT32_MAX : (int)left;
}

/* As much of the rest as goes now; as by sendmsg. Descriptors go with the first byte. */
static ssize_t send_some(struct agent *a, const struct agent_frame *f, struct bytes payload, size_t at,
                         const int *fds, size_t fd_count)
{
    size_t head = at < sizeof *f ? sizeof *f - at : 0, body = at < sizeof *f ? 0 : at - sizeof *f;
    struct iovec parts[2] = {{(char *)f + (sizeof *f - head), head},
                             {payload.len ? (char *)payload.data + body : NULL, payload.len - body}};
    struct msghdr message = {.msg_iov = parts, .msg_iovlen = 2};
    union {
        struct cmsghdr header;
        char space[CMSG_SPACE(AGENT_MAX_FDS * sizeof(int))];
    } control = {0};
    if (at == 0 && fd_count) {
        message.msg_control = &control;
        message.msg_controllen = CMSG_SPACE(fd_count * sizeof(int));
        struct cmsghdr *c = CMSG_FIRSTHDR(&message);
        *c = (struct cmsghdr){
            .cmsg_level = SOL_SOCKET, .cmsg_type = SCM_RIGHTS, .cmsg_len = CMSG_LEN(fd_count * sizeof(int))};
        memcpy(CMSG_DATA(c), fds, fd_count * sizeof(int));
    }
    return sendmsg(a->fd, &message, MSG_NOSIGNAL | MSG_DONTWAIT);
}

/* Waits for one of the events and takes what has come meanwhile; the agent is dead when neither happens in
 * time. */
static void wait_for(struct agent *a, short events, int64_t deadline)
{
    struct pollfd p = {.fd = a->fd, .events = events};
    int ready = poll(&p, 1, ms_left(deadline));
    bool interrupted = ready < 0 && errno == EINTR;
    if (ready > 0 && !(p.revents & (POLLIN | POLLHUP | POLLERR)))
        return; /* room to send */
    if (!interrupted && (ready <= 0 || !receive(a)))
        agent_wire_close(a);
}

bool agent_wire_ask(struct agent *a, const struct agent_frame *f, struct bytes payload, const int *fds,
                    size_t fd_count)
{
    int64_t deadline = clock_monotonic_ns() + (int64_t)AGENT_ANSWER_MS * NS_PER_MS;
    for (size_t at = 0; a->fd >= 0 && at < sizeof *f + payload.len;) {
        ssize_t n = send_some(a, f, payload, at, fds, fd_count);
        if (n > 0)
            at += (size_t)n;
        else if (n < 0 && (errno == EAGAIN || errno == EINTR))
            wait_for(a, POLLIN | POLLOUT, deadline);
        else
            agent_wire_close(a);
    }
    return a->fd >= 0;
}

bool agent_wire_answer(struct agent *a, uint32_t kind, int ms, struct agent_frame *f, struct buf *payload)
{
    int64_t deadline = clock_monotonic_ns() + (int64_t)ms * NS_PER_MS;
    while (a->fd >= 0 && !next_answer(a, f))
        wait_for(a, POLLIN, deadline);
    if (a->fd < 0 || f->kind != kind) {
        agent_wire_close(a);
        return false;
    }
    if (payload)
        buf_add(payload, bytes_slice(buf_bytes(&a->in), sizeof *f, sizeof *f + f->size));
    buf_drop_front(&a->in, sizeof *f + f->size);
    return true;
}

void agent_wire_look(struct agent *a)
{
    struct agent_frame f;
    struct pollfd p = {.fd = a->fd, .events = POLLIN};
    while (a->fd >= 0 && poll(&p, 1, 0) > 0)
        if (!receive(a))
            agent_wire_close(a);
    if (next_answer(a, &f)) /* an answer to nothing */
        agent_wire_close(a);
}
