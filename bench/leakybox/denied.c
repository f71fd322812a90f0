/* A seccomp filter whose decisions are asked for; see denied.h. A call of another architecture than ours
 * passes: faults lie where programs usually go. */
#include "leakybox/denied.h"

#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

static const struct {
    unsigned call;
    int number;
    int family;  /* of the first argument; -1: any */
    int refusal; /* errno; 0: success */
} rules[] = {
    {DENY_SOCKETPAIR, SYS_socketpair, -1, EPERM},
    {DENY_IPV6, SYS_socket, AF_INET6, EACCES},
    {DENY_LISTEN, SYS_listen, -1, 0},
};
enum { RULES = sizeof(rules) / sizeof(*rules), PER_RULE = 5 };

#define NUMBER_AT offsetof(struct seccomp_data, nr)
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define FIRST_AT offsetof(struct seccomp_data, args)
#else
#define FIRST_AT (offsetof(struct seccomp_data, args) + 4)
#endif

int denied_install(unsigned calls)
{
    struct sock_filter code[RULES * PER_RULE + 1];
    struct sock_fprog program = {.filter = code};
    size_t n = 0;

    for (size_t i = 0; i < RULES; i++) {
        if (!(calls & rules[i].call))
            continue;
        code[n++] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, NUMBER_AT);
        code[n++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)rules[i].number, 0,
                                                 rules[i].family < 0 ? 1 : 3);
        if (rules[i].family >= 0) {
            code[n++] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, FIRST_AT);
            code[n++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)rules[i].family, 0,
                                                     1);
        }
        code[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_USER_NOTIF);
    }
    code[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
    program.len = (unsigned short)n;
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
        return -1;
    return (int)syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_NEW_LISTENER, &program);
}

int denied_send(int socket, int listener)
{
    char byte = 0, space[CMSG_SPACE(sizeof(int))] = {0};
    struct iovec part = {&byte, 1};
    struct msghdr message = {
        .msg_iov = &part, .msg_iovlen = 1, .msg_control = space, .msg_controllen = sizeof(space)};
    struct cmsghdr *header = CMSG_FIRSTHDR(&message);

    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(sizeof(int));
    memcpy(CMSG_DATA(header), &listener, sizeof(int));
    return sendmsg(socket, &message, MSG_NOSIGNAL) == 1 ? 0 : -1;
}

unsigned denied_answer(int listener)
{
    struct seccomp_notif asked;
    struct seccomp_notif_resp answer = {0};

    memset(&asked, 0, sizeof(asked)); /* the kernel wants it so */
    if (ioctl(listener, SECCOMP_IOCTL_NOTIF_RECV, &asked))
        return 0; /* whoever made the call is gone */
    answer.id = asked.id;
    for (size_t i = 0; i < RULES; i++) {
        if (asked.data.nr != rules[i].number)
            continue;
        answer.error = -rules[i].refusal;
        return ioctl(listener, SECCOMP_IOCTL_NOTIF_SEND, &answer) ? 0 : rules[i].call;
    }
    answer.flags = SECCOMP_USER_NOTIF_FLAG_CONTINUE;
    (void)ioctl(listener, SECCOMP_IOCTL_NOTIF_SEND, &answer);
    return 0;
}
