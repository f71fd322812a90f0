/* What the files of the runner share. One runner is one execution of one task; it lives on the stack of
 * runner_execute. */
#ifndef EXEC_RUNNER_INTERNAL_H
#define EXEC_RUNNER_INTERNAL_H

#include "exec/outside.h"
#include "exec/runner.h"
#include "exec/witness.h"

enum {
    RUNNER_BATCH_MAX = 64,      /* calls of one parallel group */
    RUNNER_WIRE_MAX = 256,      /* wire records kept */
    RUNNER_PROCESSES_MAX = 256, /* processes listed */
    RUNNER_LEFTOVERS_MAX = 2 * RUNNER_PROCESSES_MAX,
    RUNNER_CROSS_MAX = 4,       /* made paths that both witnesses are asked about at the end */
    RUNNER_CLIENTS_MAX = 4,     /* sessions of one task */
    RUNNER_APPEARED_MAX = 16,   /* names that turned up during one step */
    RUNNER_KEPT_MAX = 16,       /* files that are looked at around a session's end */
    RUNNER_ENDS_MAX = 3         /* ends in the middle of a task around which files are looked at */
};

/* One of the task's sessions. The first is the one that control calls and witnesses go through. */
struct runner_client {
    const char *name; /* as in its steps */
    struct session *session;
    int calm_pids[RUNNER_PROCESSES_MAX]; /* alive before its first step */
    size_t calm_count;
};

struct runner {
    const struct task *task;
    const struct settings *settings;
    const struct ops *ops;
    struct session *session; /* of the first client */
    struct lookout *lookout;     /* of it and those beside it; NULL: nobody looks */
    struct runner_client *clients;
    size_t client_count;
    struct arena *a;
    struct execution *e;
    struct witness_source witness;
    struct outside *outside; /* from runner_outside_begin to runner_outside_done */
    const atomic_int *stop;
    int64_t deadline_ns; /* of the whole session */
    uint64_t bytes_sent;
    size_t capacity;      /* of e->observations */
    struct runner_pool *pool; /* NULL: the session is this task's own */
    bool stays;           /* the session is given back to the pool */
    size_t kept_from;     /* of e->kept: those of the end that was looked at last */
    size_t ends;          /* in the middle of the task, looked at so far */
    const char *given_up; /* why the rest is not sent any more; NULL */
    int64_t noticed_ns;   /* from then on the target has noticed which jobs a signal has ended */
    int64_t no_jobs_ns;   /* since then no process of a job was seen; 0: one was, or nobody has looked */
    uint64_t page_memory; /* of the session's processes when a step on a page was last looked after; 0: none was */
    int64_t page_look_ns; /* not before */
    bool control_worked;  /* a control call came back right, earlier in this session */
    bool refusal_checked; /* a control call was made after an explicit error */
};

/* What the fixture site has seen, at the end. */
void runner_site(struct runner *r);

bool runner_stopped(const struct runner *r);
/* The op `close` was the last word on the client's life: its target ended because it was asked to. */
bool runner_closed(const struct runner *r, const struct runner_client *c);
/* Every client's target is alive, or was closed by the task. */
bool runner_all_alive(const struct runner *r);
/* The client that a step belongs to, opened when it is the first time; NULL with *why when it cannot be had.
 */
struct runner_client *runner_client(struct runner *r, const char *name, const char **why);
void runner_end_clients(struct runner *r); /* all but the first, whose turn is last */
/* Time left of the session, at most `ms`. */
int64_t runner_time_left(const struct runner *r, int64_t ms);

/* All steps, in order. */
void runner_steps(struct runner *r);

/* Makes the calls, each in the session of its client, all at once; outcomes end in the runner's arena. */
void runner_calls(struct runner *r, struct runner_client *const *clients, struct call *calls, size_t count);

/* What is done to the calls of this step while they run; NULL: nothing. */
const struct wire_mutation *runner_mutation(struct runner *r, const struct task_step *step);
/* Opens sessions again that we ended ourselves in one of these calls. */
void runner_revive(struct runner *r, size_t from, size_t count);
/* Of calls that were cancelled or cut off: does their program's file still grow? */
void runner_look_at_work(struct runner *r, size_t from, size_t count);

/* Step `index` was made with this call: if it was the first of its session, was refused and changes nothing, it is made again. */
void runner_try_again(struct runner *r, struct session *s, size_t index, const struct call *first);

/* The processes of the session before and after a step that speaks of a job and runs alone (runner_jobs.c). */
struct jobs_look {
    struct process_info *list; /* those before; NULL: nobody looks */
    size_t count;
};
/* Does the process the work of the job that this step started? It is known by its command, which stands in the step's script or the
 * other way round. */
bool runner_jobs_does(const struct observation *start, const struct process_info *p);
/* Waits until the target has had time to notice which jobs a signal has ended. */
void runner_jobs_noticed(struct runner *r);
void runner_jobs_before(struct runner *r, struct observation *o, const struct runner_client *c, struct jobs_look *look);
void runner_jobs_after(struct runner *r, struct observation *o, const struct runner_client *c, const struct jobs_look *look);
/* Around a run that a task gave a time limit of its own (runner_deadline.c). */
struct deadline_watch {
    bool watching;
    struct session *session;
    const struct process_info *there; /* before the call */
    size_t count;
};
void runner_deadline_before(struct runner *r, struct observation *o, struct session *s, struct deadline_watch *w);
void runner_deadline_after(struct runner *r, struct observation *o, const struct deadline_watch *w);

/* Which file views a step needs. */
void runner_views_before(struct runner *r, struct observation *o);
void runner_views_after(struct runner *r, struct observation *o);

/* After step `index`, or at the end: is the target still there for a plain call? */
void runner_control(struct runner *r, size_t after_step);
/* One plain call of ours; false when the target cannot do it at all, or it was not sent. */
bool runner_plain_call(struct runner *r, const char *op, struct json *args, struct outcome *outcome);

/* Browsers (runner_page.c). Has the task steps on pages? */
bool runner_page_used(const struct runner *r);
/* Bytes that tabs may take together, until no more are opened. */
uint64_t runner_page_budget(const struct runner *r);
/* Why this step is not sent: tabs take as much as they may (runner_page_spent itself). NULL: it is. */
extern const char runner_page_spent[];
const char *runner_page_full(const struct runner *r, const struct task_step *step);
void runner_page_kill(struct runner *r, struct observation *o);    /* right before it, where the task says so */
void runner_page_look(struct runner *r, size_t from, size_t count); /* after these steps */
void runner_page_end(struct runner *r);                             /* after the last one: how many tabs are there? */
/* A control call: the op that was tried, with its outcome; NULL: nothing could be. */
const char *runner_page_control(struct runner *r, const char *text, struct outcome *o);

/* Takes over what came over the wire outside any call. */
void runner_wire(struct runner *r, size_t after_step);
/* What step `index` made is not where it should be: asks everybody where it is. */
void runner_search(struct runner *r, size_t index);
/* Asks both witnesses about what the steps made. */
void runner_crosses(struct runner *r);
void runner_finals(struct runner *r);
void runner_note_processes(struct runner *r, struct runner_client *c); /* before its first step */
/* Ends the session in good order and records what is left. */
void runner_leftovers(struct runner *r);

/* Names directly in the root (runner_root.c); those that turned up since `before`; those of them that stayed. */
void runner_root_look(struct runner *r, struct arena *a, struct file_view *v);
void runner_root_appeared(struct runner *r, struct observation *o, const struct file_view *before);
void runner_root_stayed(struct runner *r);
void runner_root_parent(struct runner *r, struct observation *o); /* of a step that was refused */
/* Files that steps made, just before a session's end and just after: the last one, and the first few in the middle of a task. */
void runner_kept_before(struct runner *r);
void runner_kept_after(struct runner *r);

/* What is seen from outside: before the first step, after steps [from, from + count), when all is done, when the targets have
 * been closed, when only the first session is left, when everything has been killed. */
void runner_outside_begin(struct runner *r);
void runner_outside_step(struct runner *r, size_t from, size_t count);
void runner_outside_end(struct runner *r);
void runner_outside_left_open(struct runner *r);
void runner_outside_escaped(struct runner *r);
void runner_outside_stopped(struct runner *r);
void runner_outside_done(struct runner *r); /* also of a session that goes on */

#endif
