/* Where a session is on this machine: for witnesses outside it. */
#ifndef EXEC_TARGET_WHEREABOUTS_H
#define EXEC_TARGET_WHEREABOUTS_H

#include "exec/target/strings.h"
#include "exec/target/target.h"

/* A variable in the environment of everything that a session starts; its value is the last name of its directory. */
#define SESSION_MARK "TASKGEN_SESSION"

struct tripwires;

struct whereabouts {
    const char *base;  /* the directory that holds root and home; NULL: the target lives in this process, and nothing is anywhere */
    const char *mark;  /* its last name, which no other session has */
    int agent_pid;     /* of the session's oldest process; 0: it has ended */
    int main_pid;      /* of the target's own process, as the agent counts; 0: there is none */
    bool boxed;
    const char *pids_group, *memory_group; /* directories of its control groups; NULL: there are none */
    bool pids_v2, memory_v2;
    struct tripwires *tripwires; /* NULL: none could be planted */
};
/* Valid until the session is stopped or opened again. */
void session_whereabouts(const struct session *s, struct whereabouts *w);

/* A socket of NETLINK_SOCK_DIAG in the session's network; the caller's. -1 when there is none. */
int session_sockdiag(struct session *s);

/* Kills whatever is left of its processes and takes its control groups away. Its directories stay until session_close. */
void session_stop(struct session *s);

/* Names beside the root that neither we nor an op stage-* has made. */
void session_strays(const struct session *s, struct strings *out);
/* Mount points below its directory that no op stage-* has made. */
void session_stray_mounts(const struct session *s, struct strings *out);
/* Control groups that were made below the session's own, innermost first; before session_stop. */
void session_inner_groups(const struct session *s, struct strings *out);

#endif
