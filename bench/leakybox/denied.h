/* For planted faults: system calls that go wrong in a command. The kernel asks for each of them (seccomp user
 * notification), so the server knows which were made, and by that whether there was harm. */
#ifndef LEAKYBOX_DENIED_H
#define LEAKYBOX_DENIED_H

enum denied_call {
    DENY_SOCKETPAIR = 1, /* EPERM */
    DENY_IPV6 = 2,       /* EACCES for its sockets */
    DENY_LISTEN = 4,     /* success, and nothing done */
};

/* In the process that shall become the command, just before exec: a set of denied_call. Returns the
 * descriptor on which the kernel asks, close-on-exec, or -1 with errno when this kernel cannot. */
int denied_install(unsigned calls);
/* Sends that descriptor over a Unix socket: 0, or -1 with errno. */
int denied_send(int socket, int listener);
/* Answers one question; returns which call it was, 0 when there was none to answer. */
unsigned denied_answer(int listener);

#endif
