/* What the files of the outside witness share. */
#ifndef EXEC_OUTSIDE_INTERNAL_H
#define EXEC_OUTSIDE_INTERNAL_H

#include "exec/outside.h"
#include "exec/target/whereabouts.h"

struct names {
    struct bytes *items; /* sorted */
    size_t count;
};

enum { OUTSIDE_SCRATCH = 4 }; /* directories of the box that everybody may write */

struct outside {
    struct session *session;
    struct arena arena;
    uint64_t started;        /* when the session's agent was, in ticks since the machine was; 0: not known */
    int first_pid;           /* the agent's: what is started later has a higher number, until numbers begin again */
    bool own_network;        /* its network is not this machine's */
    int sockdiag;            /* tells what listens in it; -1: /proc does */
    int sockdiag_agent;      /* the agent that made it */
    int main_of, main_pid;   /* the target's own process as the agent sees it, and here; see outside_main */
    const struct listener *listeners; /* before the first step */
    size_t listener_count;
    struct names scratch[OUTSIDE_SCRATCH]; /* names that stood there before the first step */
    bool scratch_seen;
};

/* The target's own process on this machine; 0: there is none, or it is not to be found. */
int outside_main(struct outside *w, const struct whereabouts *at);
/* The session's listening sockets at this moment. */
size_t outside_listeners(struct outside *w, const struct whereabouts *at, struct arena *a, struct listener **out);
void outside_note_scratch(struct outside *w, const struct whereabouts *at);

#endif
