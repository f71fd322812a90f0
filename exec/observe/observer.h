/* Observers: who sees what a target does beside answering. What they see is for the feedback (struct seen in exec/oracle/observation.h);
 * no check looks at it, and a finding never depends on it: findings' fresh sessions, replay and shrink run without observers.
 *
 * An observer is one file and one row of the table in observer.c. It works in this order:
 *
 *     lacks                       once, and for doctor: may it watch here at all?
 *     open                        once a campaign: what all sessions share
 *       begin                     a session is about to be opened
 *         starting, started       each start of a target in it: twice where it is opened again, once more for a session beside it
 *         task_begin, task_end    around the steps of each task in it; not of those that its share leaves out
 *       end                       the session is closed
 *     close
 *
 * What open gives is shared by threads; what begin gives is one thread's. An observer that cannot go on says nothing more: a task
 * then has nothing seen in its domain, which the feedback takes as nothing new. It must not change what a task sees beyond what
 * docs/targets.md says.
 *
 * A second runtime's code is one more row: an environment variable that makes the runtime load a file of ours (starting), a socket
 * that the file connects to (started), and what it says at the end of a task (task_end). */
#ifndef EXEC_OBSERVE_OBSERVER_H
#define EXEC_OBSERVE_OBSERVER_H

#include "exec/oracle/observation.h"
#include "exec/target/target.h"

enum { OBSERVERS_MAX = 8, SEEN_MAX = 65536 /* of one task; more are dropped */ };

/* What was seen during one task. Texts live in the arena. */
struct seen_list {
    struct arena *arena;
    struct seen *items;
    size_t count, capacity;
};
/* `key` says what it is, the same in every run and on every machine; `text` says it to people. Both are copied. Equal ones may be
 * added: lookout_task_end leaves one of each. */
void seen_add(struct seen_list *list, enum seen_domain domain, const char *key, const char *text);

struct observer {
    const char *name;  /* for --observe and for people: "syscalls" */
    const char *doc;   /* what it sees, a few words: "system calls of local targets" */
    const char *share; /* the setting that says which share of tasks it watches; NULL: all */
    /* NULL: it may watch this target; else why not, in one line, without a full stop. Without a target: may it on this machine?
     * Static, or as good as. */
    const char *(*lacks)(const struct target *t);
    void *(*open)(struct target *t); /* NULL is a value like any other */
    void (*close)(void *shared);
    void *(*begin)(void *shared);
    void (*starting)(void *state, struct session *s, struct session_extra *extra);
    void (*started)(void *state, struct session *s);
    void (*task_begin)(void *state);
    void (*task_end)(void *state, struct seen_list *list);
    void (*end)(void *state);
    /* Of a state whose target is started: what is to be said of it, in one line; NULL member: nothing. */
    const char *(*says)(void *state);
};
extern const struct observer observer_syscalls, observer_node;
const struct observer *observer_at(size_t index); /* NULL behind the last */

/* --- a campaign's --- */

struct observers;
/* `list`: names with commas, "all" or "none"; NULL: all. ERR_INPUT for a name that is none. Those that may not watch this target are
 * left out. Borrows the target. */
int observers_new(const char *list, struct target *t, struct observers **o, struct error **err);
void observers_free(struct observers *o); /* after the last watch has ended; NULL is fine */
bool observers_none(const struct observers *o); /* nobody watches; of NULL too */
/* A line for each row of the table: "system calls of local targets: yes, of 1 task in 10", "…: no (why)". */
void observers_explain(const struct observers *o, struct buf *out);
/* The same in one line, for the start of a campaign; of what was turned off nothing. */
void observers_summary(const struct observers *o, struct buf *out);
/* The lines for this machine alone. */
void observers_report(const struct settings *settings, struct buf *out);

/* --- a session's --- */

struct lookout;
struct lookout *lookout_new(struct observers *o);         /* NULL when nobody watches; everything below takes that */
const struct session_watch *lookout_hooks(struct lookout *w); /* for session_open_watched */
void lookout_task_begin(struct lookout *w, const struct task *t);
void lookout_task_end(struct lookout *w, struct execution *e); /* sets e->seen, in e's arena */
bool lookout_took_part(const struct lookout *w, const char *name); /* this observer was at work in the last task */
void lookout_explain(struct lookout *w, struct buf *out);     /* what observers say, a line each */
void lookout_free(struct lookout *w);                         /* after its session is closed */

#endif
