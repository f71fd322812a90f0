/* What taskgen and its session agent say to each other, over one stream socket pair; both are of one build
 * and on one machine, so frames are plain structures.
 *
 * taskgen asks, the agent answers in order; AGENT_ENDED comes unasked, whenever a process it started has
 * ended. The agent trusts what it reads from the socket; the processes it starts never see it. */
#ifndef EXEC_AGENT_PROTOCOL_H
#define EXEC_AGENT_PROTOCOL_H

#include <stdint.h>

enum {
    AGENT_MAX_PAYLOAD =
        8 << 20, /* a frame's, in bytes; the kernel takes 2 MiB of arguments and environment */
    AGENT_MAX_FDS = 3,
    AGENT_NAME = 32, /* of one process, with its NUL */
    AGENT_COMMAND = 256,
};

enum agent_kind {
    /* To the agent. */
    AGENT_SPAWN = 1, /* id, a: enum agent_spawn_flags, b: arguments, c: variables; payload: directory,
                        arguments, variables, each ended by a NUL; descriptors: its stdin when piped, stdout,
                        stderr when not merged */
    AGENT_SIGNAL,    /* id, a: signal, b: 1 for the process group. No answer */
    AGENT_LIST,      /* a: at most so many */
    AGENT_STOP,      /* kill everything, answer, and end */
    AGENT_SOCKET,    /* a: address family, for a TCP socket of the box's network, or AF_NETLINK for one that tells which
                        sockets there are; descriptor: the socket pair's end that it is sent through */
    /* From it. */
    AGENT_READY = 16,
    AGENT_SPAWNED,   /* id, a: pid, 0 when not executed, -1 when there is no process or descriptor left; b:
                        errno;   c: 1 when it was the directory that could not be entered */
    AGENT_ENDED,     /* id, a: status as by waitpid */
    AGENT_PROCESSES, /* a: how many there are; payload: struct agent_info each */
    AGENT_STOPPED,   /* a: how many could not be killed */
    AGENT_SOCKETED,  /* b: errno; 0: it was sent */
};

enum agent_spawn_flags { AGENT_PIPE_IN = 1, AGENT_MERGE_ERR = 2 };

struct agent_frame {
    uint32_t kind, size; /* size: of the payload */
    int32_t id, a, b, c;
};

struct agent_info {
    int32_t pid, parent;
    char state;
    char name[AGENT_NAME];
    char command[AGENT_COMMAND];
};

#endif
