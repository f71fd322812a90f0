/* Jobs: commands that run beside the server, each below a keeper. A job is a call that waits for its
 * command's end (its id is kept until it is answered), or a background process that has a number ("p1"), or
 * what is left of a call whose command has ended but has left children behind: they live on, their output is
 * read and forgotten. */
#ifndef LEAKYBOX_JOB_H
#define LEAKYBOX_JOB_H

#include <poll.h>
#include <sys/types.h>

#include "leakybox/server.h"
#include "leakybox/tools.h"

enum {
    JOBS_MAX = 256,                      /* at one time */
    RECORDS_MAX = 64,                    /* ended background processes that can still be asked about */
    OUTPUT_MAX_BYTES = 16 * 1024 * 1024, /* kept of each stream of a call; more is announced */
    BACKGROUND_MAX_BYTES = 1024 * 1024,  /* and of a background process */
    KILL_GRACE_MS = 3000,                /* from killing to answering anyway */
};

struct job_stream {
    int fd;          /* -1: closed by all writers */
    struct buf kept; /* the first bytes */
    uint64_t total;  /* all bytes */
};

struct job {
    struct job *next;
    struct server *server;
    struct buf id;   /* JSON text of the call's id; empty: nobody waits (any more) */
    unsigned number; /* of a background process; 0: a call */
    pid_t keeper;    /* 0: reaped */
    int control;     /* -1: the keeper has ended */
    pid_t shell;
    int in; /* our end of its standard input; -1 */
    struct buf input;
    size_t fed;
    struct job_stream out, err;
    int64_t timeout_ms, deadline_ns; /* 0: none */
    bool killed;                     /* by us, at the deadline */
    bool ended;                      /* the shell */
    int64_t held_ns;                 /* since when the answer waits although it has ended; 0 */
    bool holds;                      /* planted fault: it shall */
    bool keeps_zombie;               /* planted fault */
    bool keeps_input;                /* planted fault: its input stays open */
    int kept_input;                  /* by that; else -1 */
    bool given_input;
    bool signalled; /* by signal_process */
    int64_t first_deadline_ns;
    int cwd;         /* planted fault: its directory; else -1 */
    int status;      /* as by waitpid */
    int start_errno; /* it never ran */
};

struct job_command {
    const char *command; /* for /bin/sh -c */
    struct bytes input;
    char *const *env;   /* NULL-terminated, whole */
    int cwd;            /* descriptor; remains the caller's */
    int64_t timeout_ms; /* 0: none */
    size_t keep;        /* bytes of each stream */
    bool holds, keeps_zombie, keeps_cwd, keeps_input;
    unsigned denied; /* system calls: a set of denied_call */
};

/* Starts a command. NULL with errno. `id` is JSON text, or none for a background process, which gets a
 * number. */
struct job *job_start(struct server *s, struct bytes id, const struct job_command *c);
struct job *job_find(struct server *s, unsigned number); /* NULL when there is none */
bool job_find_call(struct server *s, struct bytes id);   /* is a call with this id in flight? */
/* A call waits for a background process that runs; answered at its end or after so long. */
void job_wait(struct job *j, struct bytes id, int64_t ms);
void job_cancel(struct server *s, struct bytes id);
void job_forget(struct server *s,
                struct bytes id);       /* nobody waits any more; it runs on. For planted faults only */
int job_exit_code(const struct job *j); /* as a shell reports it */
bool job_alive(const struct job *j);    /* a background process still runs */

/* For the poll loop: fills at most 4 * JOBS_MAX entries, returns how many; then, after poll, serves what is
 * ready. */
size_t jobs_poll(struct server *s, struct pollfd *out);
void jobs_serve(struct server *s);
int64_t jobs_next_deadline(const struct server *s); /* monotonic ns, or INT64_MAX */
void jobs_check_deadlines(struct server *s);
void jobs_reap(struct server *s);  /* a child has ended */
void jobs_close(struct server *s); /* kills all, unless a planted fault spares them */

/* Answers the call that waits: the job has ended, or, in the background, the time is over (run.c). */
void job_answer(struct job *j);

#endif
