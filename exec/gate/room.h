/* Rooms: fresh roots in which foreign tasks are tried, and the box around them. A room's root is a directory of ours that is
 * writable inside as /; over it lie this machine's /usr (read-only), an empty writable /usr/local, and new /proc and /dev. It
 * has no network, no capability outside and no process but its own; bubblewrap and prlimit make it so. What was written in a
 * room is never run, opened through a link, or left anywhere else. */
#ifndef EXEC_GATE_ROOM_H
#define EXEC_GATE_ROOM_H

#include "base/bytes.h"
#include "base/error.h"
#include "exec/target/box.h"
#include "exec/target/strings.h"

struct room {
    char *root, *local, *logs; /* directories of this machine: /, /usr/local and /logs/verifier inside */
};
/* Makes the directories below dir, which must exist; name tells rooms of one dir apart. */
int room_make(struct room *r, const char *dir, const char *name, struct error **err);
/* Removes them, and frees. */
void room_release(struct room *r);
/* An entry of the root that something will be mounted on is made a directory again, whatever became of it. */
int room_repair(struct room *r, struct error **err);

struct room_run {
    const char *const *argv;
    const char *cwd;              /* inside; must be there */
    const char *const *env;       /* NAME=VALUE, NULL-terminated or NULL; PATH, HOME stand without it */
    const char *const *shown;     /* pairs: a path of this machine, where it is seen (read-only), NULL-terminated; NULL */
    struct bytes input;
    int64_t ms;                   /* longest time */
    const struct box_cgroup *group; /* limits of processes and memory; NULL: none */
    bool logs;                    /* /logs/verifier is there */
    bool shift_clock;             /* 400 days on, where room_clock_library() is there */
    bool tight;                   /* 64 descriptors, 1 MiB of stack (a program may ask for more), umask 077 */
};
struct room_end {
    int status;    /* as by waitpid */
    bool late;     /* killed after ms */
    int64_t ns;    /* how long it took, box and all */
    struct buf out, errors; /* their beginnings; initialised by room_run, released by room_end_release */
};
/* ERR_TARGET when the box cannot be made at all. */
int room_run(const struct room *r, const struct room_run *run, struct room_end *end, struct error **err);
void room_end_release(struct room_end *end);
bool room_end_clean(const struct room_end *end); /* ended with status 0 in time */

/* libfaketime's library, below /usr; NULL: not installed. */
const char *room_clock_library(void);
/* Can rooms be made here? NULL, or why not (static). */
const char *room_impossible(void);

#endif
