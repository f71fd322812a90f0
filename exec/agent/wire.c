/* Frames and descriptors over the control socket, blocking: taskgen sends frames whole. */
#include "exec/agent/state.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static bool read_all(int fd, void *data, size_t len)
{
    for (size_t at = 0; at < len;) {
        ssize_t n = read(fd, (char *)data + at, len - at);
        if (n == 0 || (n < 0 && errno != EINTR))
            return false;
        at += n > 0 ? (size_t)n : 0;
    }
    return true;
}

static void take_fds(struct request *r, struct msghdr *message)
{
    for (struct cmsghdr *c = CMSG_FIRSTHDR(message); c; c = CMSG_NXTHDR(message, c)) {
        if (c->cmsg_level != SOL_SOCKET || c->cmsg_type != SCM_RIGHTS)
            continue;
        size_t count = (c->cmsg_len - CMSG_LEN(0)) / sizeof(int);
        for (size_t i = 0; i < count; i++) {
            int fd;
            memcpy(&fd, CMSG_DATA(c) + i * sizeof fd, sizeof fd);
            if (r->fd_count < AGENT_MAX_FDS)
                r->fds[r->fd_count++] = fd;
            else
                close(fd);
        }
    }
}

bool wire_read(int fd, struct request *r)
{
    *r = (struct request){0};
    union {
        struct cmsghdr header;
        char space[CMSG_SPACE(AGENT_MAX_FDS * sizeof(int))];
    } control;
    struct iovec part = {&r->frame, sizeof r->frame};
    struct msghdr message = {
        .msg_iov = &part, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof control};
    ssize_t n;
    do
        n = recvmsg(fd, &message, MSG_CMSG_CLOEXEC);
    while (n < 0 && errno == EINTR);
    if (n <= 0)
        return false;
    take_fds(r, &message);
    if (!read_all(fd, (char *)&r->frame + n, sizeof r->frame - (size_t)n) ||
        r->frame.size > AGENT_MAX_PAYLOAD)
        return false;
    r->payload = malloc((size_t)r->frame.size + 1);
    if (!r->payload || !read_all(fd, r->payload, r->frame.size))
        return false;
    r->payload[r->frame.size] = '\0';
    return true;
}

void request_release(struct request *r)
{
    free(r->payload);
    for (size_t i = 0; i < r->fd_count; i++)
        close(r->fds[i]);
    *r = (struct request){0};
}

static bool write_all(int fd, const void *data, size_t len)
{
    for (size_t at = 0; at < len;) {
        ssize_t n = send(fd, (const char *)data + at, len - at, MSG_NOSIGNAL);
        if (n < 0 && errno != EINTR)
            return false;
        at += n > 0 ? (size_t)n : 0;
    }
    return true;
}

bool wire_write(int fd, const struct agent_frame *frame, const void *payload)
{
    return write_all(fd, frame, sizeof *frame) && write_all(fd, payload, frame->size);
}
