/* Lends taskgen a socket of the box's network: made here, used there. A socket stays in the network namespace that it was made
 * in, so taskgen can reach a server that listens inside the box and nowhere else. */
#include "exec/agent/state.h"

#include <errno.h>
#include <linux/netlink.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static int send_descriptor(int through, int fd)
{
    char byte = 0;
    union {
        struct cmsghdr header;
        char space[CMSG_SPACE(sizeof(int))];
    } control = {0};
    struct iovec part = {&byte, 1};
    struct msghdr message = {
        .msg_iov = &part, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof control};
    struct cmsghdr *c = CMSG_FIRSTHDR(&message);
    *c = (struct cmsghdr){.cmsg_level = SOL_SOCKET, .cmsg_type = SCM_RIGHTS, .cmsg_len = CMSG_LEN(sizeof(int))};
    memcpy(CMSG_DATA(c), &fd, sizeof fd);
    return sendmsg(through, &message, MSG_NOSIGNAL | MSG_DONTWAIT) == 1 ? 0 : errno;
}

bool socket_answer(struct state *s, struct request *r)
{
    struct agent_frame answer = {.kind = AGENT_SOCKETED, .b = EINVAL};
    if (r->fd_count == 1) {
        bool netlink = r->frame.a == AF_NETLINK;
        int fd = netlink ? socket(AF_NETLINK, SOCK_DGRAM | SOCK_CLOEXEC, NETLINK_SOCK_DIAG)
                         : socket(r->frame.a, SOCK_STREAM | SOCK_CLOEXEC, 0);
        answer.b = fd < 0 ? errno : send_descriptor(r->fds[0], fd);
        if (fd >= 0)
            close(fd);
    }
    return wire_write(s->socket, &answer, NULL);
}
