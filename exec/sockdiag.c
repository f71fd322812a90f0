/* Asking the kernel for listening sockets; see sockdiag.h. */
#include "exec/sockdiag.h"

#include <arpa/inet.h>
#include <errno.h>
#include <linux/inet_diag.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <linux/sock_diag.h>
#include <linux/unix_diag.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { ANSWER = 32768, WAIT_MS = 500 };

static void add_inet(const struct nlmsghdr *message, struct arena *a, struct listener *out)
{
    const struct inet_diag_msg *m = NLMSG_DATA(message);
    char shown[INET6_ADDRSTRLEN] = "";
    bool six = m->idiag_family == AF_INET6;
    inet_ntop(m->idiag_family, m->id.idiag_src, shown, sizeof shown);
    const char *where = arena_printf(a, six ? "[%s]:%u" : "%s:%u", shown, (unsigned)ntohs(m->id.idiag_sport));
    *out = (struct listener){six ? "tcp6" : "tcp", bytes_of_string(where), m->idiag_inode};
}

/* An abstract name begins with a NUL, which is shown as @. */
static void add_unix(const struct nlmsghdr *message, struct arena *a, struct listener *out)
{
    const struct unix_diag_msg *m = NLMSG_DATA(message);
    const struct rtattr *attribute = (const struct rtattr *)(m + 1);
    size_t left = message->nlmsg_len - NLMSG_LENGTH(sizeof *m);
    *out = (struct listener){.family = "unix", .inode = m->udiag_ino};
    for (; RTA_OK(attribute, left); attribute = RTA_NEXT(attribute, left)) {
        if (attribute->rta_type != UNIX_DIAG_NAME)
            continue;
        uint8_t *name = arena_alloc(a, RTA_PAYLOAD(attribute) + 1);
        memcpy(name, RTA_DATA(attribute), RTA_PAYLOAD(attribute));
        out->where = bytes_of(name, RTA_PAYLOAD(attribute));
        if (out->where.len && !name[0])
            name[0] = '@';
        else
            out->where.len = strlen((const char *)name);
    }
}

bool sockdiag_read(struct bytes messages, struct arena *a, size_t max, struct listener *out, size_t *count, bool *end)
{
    size_t left = messages.len;
    const struct nlmsghdr *m = (const struct nlmsghdr *)(const void *)messages.data;
    for (; NLMSG_OK(m, left); m = NLMSG_NEXT(m, left)) {
        if (m->nlmsg_type == NLMSG_DONE) {
            *end = true;
            return true;
        }
        const uint8_t *family = NLMSG_DATA(m);
        bool is_unix = m->nlmsg_type == SOCK_DIAG_BY_FAMILY && m->nlmsg_len > NLMSG_HDRLEN && *family == AF_UNIX;
        size_t least = is_unix ? sizeof(struct unix_diag_msg) : sizeof(struct inet_diag_msg);
        if (m->nlmsg_type != SOCK_DIAG_BY_FAMILY || m->nlmsg_len < NLMSG_LENGTH(least))
            return false;
        if (*count < max)
            (is_unix ? add_unix : add_inet)(m, a, &out[(*count)++]);
    }
    return true;
}

/* Sends the question and takes all of the answer. */
static bool ask(int fd, const void *request, size_t size, struct arena *a, size_t max, struct listener *out, size_t *count)
{
    _Alignas(struct nlmsghdr) uint8_t answer[ANSWER];
    bool end = false;
    if (send(fd, request, size, MSG_NOSIGNAL) != (ssize_t)size)
        return false;
    while (!end) {
        struct pollfd p = {.fd = fd, .events = POLLIN};
        if (poll(&p, 1, WAIT_MS) != 1)
            return false;
        ssize_t n = recv(fd, answer, sizeof answer, MSG_DONTWAIT);
        if (n <= 0 || !sockdiag_read(bytes_of(answer, (size_t)n), a, max, out, count, &end))
            return false;
    }
    return true;
}

static bool ask_inet(int fd, uint8_t family, struct arena *a, size_t max, struct listener *out, size_t *count)
{
    struct {
        struct nlmsghdr header;
        struct inet_diag_req_v2 request;
    } q = {
        .header = {.nlmsg_len = sizeof q, .nlmsg_type = SOCK_DIAG_BY_FAMILY, .nlmsg_flags = NLM_F_REQUEST | NLM_F_DUMP},
        .request = {.sdiag_family = family, .sdiag_protocol = IPPROTO_TCP, .idiag_states = 1u << TCP_LISTEN},
    };
    return ask(fd, &q, sizeof q, a, max, out, count);
}

static bool ask_unix(int fd, struct arena *a, size_t max, struct listener *out, size_t *count)
{
    struct {
        struct nlmsghdr header;
        struct unix_diag_req request;
    } q = {
        .header = {.nlmsg_len = sizeof q, .nlmsg_type = SOCK_DIAG_BY_FAMILY, .nlmsg_flags = NLM_F_REQUEST | NLM_F_DUMP},
        .request = {.sdiag_family = AF_UNIX, .udiag_states = 1u << TCP_LISTEN, .udiag_show = UDIAG_SHOW_NAME},
    };
    return ask(fd, &q, sizeof q, a, max, out, count);
}

bool sockdiag_listeners(int fd, struct arena *a, size_t max, struct listener **out, size_t *count)
{
    *count = 0;
    *out = arena_alloc(a, (max + 1) * sizeof **out);
    return fd >= 0 && ask_inet(fd, AF_INET, a, max, *out, count) && ask_inet(fd, AF_INET6, a, max, *out, count) &&
           ask_unix(fd, a, max, *out, count);
}
