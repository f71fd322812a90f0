/* Inside the exec driver: driver_exec.c opens and explains, exec_probe.c finds out what the prefix can do,
 * exec_command.c makes command lines, exec_job.c runs processes side by side, exec_calls.c makes outcomes of
 * them. */
#ifndef EXEC_TARGET_EXEC_INTERNAL_H
#define EXEC_TARGET_EXEC_INTERNAL_H

#include "exec/target/session_internal.h"

/* --- what the prefix can do: found out once per target --- */

struct exec_language {
    const char *name;       /* "python" */
    const char *candidates; /* programs to look for, best first, separated by spaces */
    const char *option;     /* before a script in the arguments: "-c"; NULL: it is compiled first */
    const char *from_stdin; /* the argument for a script on standard input; NULL: none does it */
    const char *suffix;     /* of its files */
    const char *compile;    /* shell script that compiles and runs; NULL: an interpreter */
};
enum { EXEC_SH, EXEC_LANGUAGES = 7 }; /* the first one is sh */
extern const struct exec_language exec_languages[EXEC_LANGUAGES];
int exec_language_find(struct bytes name); /* -1 when there is none */

struct exec_shared {
    char *programs[EXEC_LANGUAGES]; /* NULL: cannot be run */
    bool begins_in_root;            /* commands begin there when the prefix is started there */
    bool sees_root;                 /* they can go to the root by its name */
    bool shares_network;            /* a later command sees the network of an earlier one */
    bool joins;                     /* the command travels as one word, which a shell at the other end splits again */
    bool drops_environment;         /* variables that the prefix is given do not reach the command */
    unsigned namespaces;            /* which ones are not those in front of the prefix: bits, as in exec_namespaces */
    bool knows_namespaces;
    char *directory;                /* where they begin, when they cannot see the root at all */
    char *said;                     /* first line on standard error of a command that has nothing to say; NULL */
};
struct exec_namespace {
    const char *file, *name; /* in /proc/self/ns; for people */
};
enum { EXEC_NET, EXEC_NAMESPACES = 7 }; /* the first one is the network's */
extern const struct exec_namespace exec_namespaces[EXEC_NAMESPACES];
int exec_probe(struct session *s, struct exec_shared **shared, struct error **err);
void exec_shared_free(void *shared);

/* Where the root cannot be seen, a session's files are in a directory of its own behind the prefix (exec_root.c): made at its
 * begin, removed at its end. ERR_TARGET when none can be made. */
int exec_root_make(struct session *s, struct error **err);
void exec_root_remove(struct session *s);

/* What one command said, run outside any call. */
struct exec_answer {
    struct buf out, err;
    int exec_errno, status;
    bool ended; /* in time */
};
/* Runs words behind the prefix (or by themselves in the box). ERR_TARGET when no process can be had. The variable EXEC_ASKS is
 * set for it. */
#define EXEC_ASKS "TASKGEN_ASKS"
int exec_ask(struct session *s, bool prefixed, const char *const *words, int64_t ms, struct exec_answer *a, struct error **err);
bool exec_answer_good(const struct exec_answer *a); /* ended in time, with status 0 */
/* The first line that it wrote to standard error, fit for printing; to be freed; empty when there is none. */
char *exec_answer_said(const struct exec_answer *a);
void exec_answer_release(struct exec_answer *a);

/* --- processes --- */

struct job {
    struct agent_process process;
    struct bytes input; /* borrowed */
    size_t input_at;
    struct buf out, err;   /* what came, up to their maximum */
    bool out_cut, err_cut; /* more came, and was dropped */
    uint64_t received;     /* bytes, dropped ones too */
    bool ended;
    int status; /* as by waitpid */
    int64_t ended_ns;
    bool discard; /* its call is over: what still comes is dropped */
    struct job *next;
};

enum { EXEC_CHUNK = 256 * 1024 };
struct exec_state {
    const struct exec_shared *shared;
    char **words, **environment;
    char *directory;
    bool joins; /* as in struct exec_shared, also while that is being found out */
    char *made; /* the session's own directory where the root cannot be seen, or the one of the session it is beside; NULL */
    struct job *jobs; /* all of the session, newest first */
    uint8_t *chunk;   /* EXEC_CHUNK bytes to read into */
};

/* Starts it; NULL with *err when there is no process to be had. input none: standard input is empty. */
struct job *job_start(struct session *s, const struct agent_command *command, struct bytes input, size_t max,
                      struct error **err);
/* Moves bytes and notes ends of all jobs of the session; waits for something to happen, at most until then.
 */
void jobs_pump(struct session *s, int64_t until_ns);
bool job_open(const struct job *j); /* may still say something */
void job_close_pipes(struct job *j);
void jobs_forget(struct exec_state *x, struct job *j);    /* closes, frees */
struct job *jobs_find(struct exec_state *x, int64_t pid); /* the newest of that process id */
/* Of those whose call is over and that hold pipes open still, only the newest few are kept. */
void jobs_trim(struct exec_state *x);

/* --- commands --- */

struct exec_command {
    struct strings argv, environment;
    char *cwd;
    struct bytes input; /* standard input */
    char *script_file;  /* path below the root of a file made for this command, to be removed; NULL */
};
/* Of a run or start. False, with the call skipped, when it cannot be said to a program. */
bool exec_command_make(struct session *s, struct call *call, struct exec_command *c);
/* The prefix followed by these words, in the session's directory. */
void exec_command_plain(struct session *s, const char *const *words, struct exec_command *c);
void exec_command_release(struct session *s, struct exec_command *c);

/* --- the driver's functions, for drivers whose sessions run commands beside something else --- */

/* Makes s->commands, with these words before each command (NULL-terminated, owned from now on), and ends what was begun. The target's
 * driver_shared is what exec_probe found out. */
int exec_begin(struct session *s, char **words, struct error **err);
void exec_end(struct session *s);
enum support exec_supports(struct session *s, const char *need);
unsigned exec_channel(struct session *s);
void exec_explain_commands(struct session *s, struct buf *out); /* what they can do, and the ops */
/* Something else that goes on while commands run. */
struct exec_beside {
    bool (*busy)(void *context);
    void (*turn)(void *context); /* does what can be done now, without waiting */
    void *context;
};
/* Makes the calls; returns when all are over, whatever is beside them (NULL: nothing). */
void exec_calls_beside(struct session *s, struct call *const *calls, size_t count, const struct exec_beside *beside);
void exec_calls(struct session *s, struct call *const *calls, size_t count);

#endif
