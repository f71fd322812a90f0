/* The session agent's parts: wire.c talks, spawn.c starts, socket.c lends sockets, processes.c lists and kills, nest.c makes the user
 * namespace. One thread; state lives in one struct. */
#ifndef EXEC_AGENT_STATE_H
#define EXEC_AGENT_STATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "exec/agent/protocol.h"

struct child {
    int32_t id;
    pid_t pid;
};

struct state {
    int socket;             /* -1 for --check */
    bool own_namespace;     /* we are process 1: all processes but us are the session's */
    struct child *children; /* started and not yet reaped */
    size_t count, capacity;
};

struct request {
    struct agent_frame frame;
    char *payload; /* frame.size bytes and a NUL; owned */
    int fds[AGENT_MAX_FDS];
    size_t fd_count;
};

/* Reads one frame. False at the end of the stream or at a frame that is none. */
bool wire_read(int fd, struct request *r);
void request_release(struct request *r); /* frees the payload, closes the descriptors that are left */
/* False when the other side is gone. */
bool wire_write(int fd, const struct agent_frame *frame, const void *payload);

/* Starts what AGENT_SPAWN asks for and answers. */
bool spawn_answer(struct state *s, struct request *r);
struct child *child_find(struct state *s, int32_t id);

/* Reaps whatever has ended and tells of those that have an id. False when the other side is gone. */
bool reap(struct state *s);

/* Makes the socket that AGENT_SOCKET asks for, sends it, and answers. */
bool socket_answer(struct state *s, struct request *r);

bool processes_answer(struct state *s, int32_t max);
/* SIGKILL until nothing is left, for some seconds at most; how many are left. Tells nobody of their ends. */
size_t processes_kill_all(struct state *s);

/* Goes into a user namespace whose users are none of this machine's, as its root with all capabilities there,
 * or as this user of it; with a /proc that nested sandboxes can mount again. 0, or an errno with *what failed.
 */
int nest_enter(unsigned user, const char **what);

#endif
