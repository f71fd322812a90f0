/* Inside agent.c: one agent, and frames to and from it (exec/agent/protocol.h). */
#ifndef EXEC_TARGET_AGENT_WIRE_H
#define EXEC_TARGET_AGENT_WIRE_H

#include "base/subprocess.h"
#include "exec/agent/protocol.h"
#include "exec/target/agent.h"

enum { AGENT_ANSWER_MS = 15000 };

struct agent_ended {
    bool known;
    int status;
};

struct agent {
    struct subprocess box; /* bubblewrap, or the agent itself */
    int fd;                /* -1: dead */
    int host_pid, handle;  /* the agent's process: its id on this machine, a descriptor of it or -1 */
    struct box_cgroup *cgroup;
    struct agent_ended *ended; /* by id - 1 */
    size_t count, capacity;    /* ids given out */
    struct buf in;             /* bytes that came and are no whole frame yet */
};

/* Sends one request whole; descriptors go with its first byte. False: the agent is dead. */
bool agent_wire_ask(struct agent *a, const struct agent_frame *f, struct bytes payload, const int *fds,
                    size_t fd_count);
/* Waits for an answer of this kind, and appends its payload where that is wanted. False: the agent is dead.
 */
bool agent_wire_answer(struct agent *a, uint32_t kind, int ms, struct agent_frame *f, struct buf *payload);
/* Takes what has come, without waiting: ends of processes. */
void agent_wire_look(struct agent *a);
void agent_wire_close(struct agent *a);

#endif
