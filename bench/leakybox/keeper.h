/* A keeper: one small process of ours between the server and each command. It is a child subreaper, so
 * whatever the command starts, in whatever group or session, stays below it, can be killed, and is reaped. It
 * lives until the last of them has ended. It holds neither end of the protocol, only a socket to the server;
 * when that socket closes (the server has ended, in whatever way) it kills everything below it.
 *
 *   server -> keeper   'K' kill everything; 'k' kill the shell alone; 'S' + number: signal the shell's
 * process group; 's' + number: the shell alone; 'L' let go: end without killing keeper -> server   struct
 * keeper_news */
#ifndef LEAKYBOX_KEEPER_H
#define LEAKYBOX_KEEPER_H

#include <sys/types.h>

#include "base/bytes.h"

struct keeper_command {
    const char *const *argv; /* NULL-terminated, argv[0] is a path */
    char *const *env;
    int cwd;          /* directory descriptor */
    int in, out, err; /* the command's ends; remain the caller's */
    unsigned denied;  /* planted faults: a set of denied_call */
};

enum keeper_news_kind {
    KEEPER_STARTED, /* number: the shell's pid */
    KEEPER_FAILED,  /* number: errno of the start; the keeper ends */
    KEEPER_ENDED,   /* number: the shell's status as by waitpid */
    KEEPER_DENIED,  /* number: a denied_call that was made */
};
struct keeper_news {
    int kind;
    int number;
    int empty; /* KEEPER_ENDED: nothing else is left, the keeper ends */
};

/* Forks a keeper which starts the command. Returns its pid and sets *control (non-blocking), or -1 with
 * errno. */
pid_t keeper_start(const struct keeper_command *command, int *control);
void keeper_tell(int control, char what, int number);

#endif
