/* The outside witness of one session: what this machine sees of it without asking the target. It reads /proc, control groups
 * and the session's directories; it never writes below the root, and it ends what a session has left behind.
 *
 * In the order of a session: outside_new when it is open and before the first step; outside_snapshot and outside_usage at
 * any time; outside_left_open when the target has been closed in good order (session_end); outside_left_escaped when other
 * sessions on the same directory are closed; outside_left_stopped when all its processes have been killed (session_stop),
 * before session_close. One thread at a time. */
#ifndef EXEC_OUTSIDE_H
#define EXEC_OUTSIDE_H

#include "exec/target/target.h"
#include "exec/traces.h"

enum {
    OUTSIDE_PROCESSES_MAX = 512, /* processes of a session that are looked at */
    OUTSIDE_LISTENERS_MAX = 64,
    OUTSIDE_NAMES_MAX = 256      /* names in a directory that is compared with what it was */
};

struct outside;
/* `first` becomes the first snapshot; its lists live in `arena`, which must outlive the witness. */
struct outside *outside_new(struct session *s, struct arena *arena, struct snapshot *first);
void outside_free(struct outside *w); /* NULL is fine */

/* `arena` is for its lists. */
void outside_snapshot(struct outside *w, struct arena *a, struct snapshot *out);
void outside_usage(struct outside *w, struct usage *out);
/* Adds what a browser's processes take: a millisecond or more for each of them. */
void outside_pages(struct outside *w, struct usage *out);

/* Kills a browser's processes: those that show pages, or the one that they come from, with all its others; how many were told. The target's own process is
 * never among them. */
uint32_t outside_kill_pages(struct outside *w, bool pages);

/* A list with room for `max`; more are dropped. */
struct leftovers {
    struct leftover *items;
    size_t count, max;
    struct arena *arena;
};
void leftovers_add(struct leftovers *list, const struct leftover *l);

/* What listens still (calm when it did before the first step), temporary files in the box, groups below the session's. */
void outside_left_open(struct outside *w, struct leftovers *list);
/* Processes that carry the session's mark and are out of its agent's reach; they are killed. */
void outside_left_escaped(struct outside *w, struct leftovers *list);
/* The same once more where there is no box, for what has got away since; mounts below its directory, which are taken away; files beside
 * the root, which go with the directory. */
void outside_left_stopped(struct outside *w, struct leftovers *list);

#endif
