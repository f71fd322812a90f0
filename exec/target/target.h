/* Targets: what tasks run against. A SPEC string names one (docs/targets.md):
 *
 *   mcp:COMMAND LINE    an MCP server over stdio          exec:PREFIX   a command that runs a command, one process a call
 *   plugin:COMMAND LINE a driver of one's own (docs/plugins.md)
 *   demo[:FAULTS]       leakybox with a named set of its faults on ("demo:none": all off)
 *
 * Words are split as a POSIX shell does (quotes and backslashes; no expansion). {root} {home} {port} {db} {site} expand to fresh
 * values per session. What is started runs in a box (exec/target/box.h).
 *
 * struct target is the parsed SPEC with options, immutable and shared by workers; struct session is one
 * conversation with a fresh root and home, owned by one worker. A driver is one file and one row of driver_table; it
 * never judges. Opening a session that gives no valid first answer is ERR_TARGET with one clear line; whatever happens
 * later is data in outcomes. */
#ifndef EXEC_TARGET_TARGET_H
#define EXEC_TARGET_TARGET_H

#include <stdatomic.h>

#include "base/redact.h"
#include "base/settings.h"
#include "exec/oracle/policy.h"
#include "exec/outcome.h"
#include "gen/task.h"
#include "mutate/start/start.h"
#include "mutate/wire/wire.h"

/* Which era of MCP a server is spoken to in (exec/target/mcp_era.h). */
enum target_era { TARGET_ERA_AUTO, TARGET_ERA_OLD, TARGET_ERA_MODERN };

struct user_checks;
struct driver;

struct target_options {
    const char *spec;               /* as given */
    const char *profile;            /* file, or NULL: found by the tool names of the server, or none */
    const char *const *env;         /* K=V, NULL-terminated, may hold {placeholders}; NULL */
    const char *start, *ready, *stop; /* commands as the shell splits them, and what to wait for; {placeholders}; NULL */
    const char *const *headers;     /* "Name: value" of HTTP requests, NULL-terminated; NULL */
    enum target_era era;
    const char *ca_file;            /* certificates to trust; NULL */
    bool insecure;                  /* any certificate will do */
    const char *cwd;                /* may hold {placeholders}; NULL: {root} */
    const char *const *tools;       /* globs: only these tools; NULL */
    const char *const *exclude_tools; /* globs; NULL */
    /* What SPEC's words are, when its text only says so (variables in it stay as they are, since it is stored); NULL: as it says. */
    char *const *words;
    const struct redactor *secrets; /* what must not leave (base/redact.h); borrowed, outlives the target; NULL: nothing */
    const char *offer;              /* what an MCP server may ask of us, beside what the SPEC says: "roots,sampling"; NULL */
    const struct policy *policy;    /* what the sandbox promises; copied; NULL: nobody has said */
    const struct normaliser *rules; /* for signatures (exec/oracle/normalise.h); borrowed, outlives the target; NULL: none */
    const struct user_checks *checks; /* the user's own (exec/oracle/user_check.h); borrowed, outlives the target; NULL: none */
    const struct driver *driver;    /* the caller's own, in this process (exec/target/driver.h); spec is but its name then; NULL: as spec says */
    const char *site;               /* address of a fixture site that is served elsewhere; NULL: each session has one of its own */
    bool no_box;                    /* start without the box */
    bool allow_remote;              /* the target may be on another machine */
    bool allow_destructive;         /* tools marked destructive may be called outside our box too */
    const struct settings *settings;
    const struct ops *ops;
};

struct target;
struct session;
struct strings;

/* Everything that the functions below say (outcomes, events, texts, errors) has the secrets replaced by [redacted NAME]. */

/* For a program that is about to run targets, before it starts threads: what sessions mount on this machine is seen by this
 * process and its boxes alone, and goes with them, also when they are killed. */
void target_isolate(void);

int target_new(const struct target_options *options, struct target **target, struct error **err);
void target_free(struct target *t);
const char *target_spec(const struct target *t); /* with what is offered in it: "mcp+roots:COMMAND" */
const struct redactor *target_secrets(const struct target *t); /* as in its options */
const struct normaliser *target_rules(const struct target *t); /* as in its options */
const struct user_checks *target_checks(const struct target *t); /* as in its options */
const char *target_driver(const struct target *t);      /* "mcp", "exec" */
const struct policy *target_policy(const struct target *t); /* NULL: as in its options */
const struct settings *target_settings(const struct target *t);
const struct ops *target_ops(const struct target *t);
/* One line that names what answered: "mcp secure-filesystem-server 0.2.0 (14 tools)"; "" before a first session. */
const char *target_identity(const struct target *t);

/* True when what is started for this target runs in our box: not with no_box, and not where the machine has none to give,
 * which *why says in one line (static; NULL: not wanted) for the command line to print. */
bool target_boxed(const struct target *t, const char **why);

/* What a session of the target did not have at its start, no later one will: tasks that need it need no session to be skipped. */
bool target_lacks(struct target *t, const char *need);
void target_note_lack(struct target *t, const char *need);

/* The sandbox is elsewhere, and what is started here only leads there: ssh. Then there is no box, and none is missed. */
bool target_beyond(const struct target *t);
/* It is part of this process, see struct driver. */
bool target_in_process(const struct target *t);

/* Fresh root and home, box, start, first answer. */
int session_open(struct target *t, struct session **session, struct error **err);
/* The same, started as a task wants it (mutate/start/start.h), as far as that can be done here. */
int session_open_as(struct target *t, const struct start *start, struct session **session, struct error **err);
/* Somebody who looks on while a session lives (exec/observe/observer.h). Both are called by the thread that opens it, at each start of
 * a target in it, and in sessions beside it. */
struct session_extra {
    struct strings *env;   /* NAME=VALUE, for what the target is started with; {placeholders} do not expand */
    struct strings *shown; /* pairs: a file of this machine, and the name below SESSION_SHOWN that it has in the box */
};
#define SESSION_SHOWN "/run/taskgen/"
struct session_watch {
    void *context;
    void (*starting)(void *context, struct session *s, struct session_extra *extra); /* its directories are there */
    void (*started)(void *context, struct session *s);                               /* its target has answered */
};
/* As session_open_as. The watch outlives the session; NULL: nobody looks. */
int session_open_watched(struct target *t, const struct start *start, const struct session_watch *watch, struct session **session,
                         struct error **err);
/* One more client of the target on the root and home of `first`, with a process and a box of its own. Closed before `first` is. */
int session_open_beside(struct session *first, struct session **session, struct error **err);
/* Ends the target in good order, then kills whatever is left, removes root and home. Never fails. */
void session_close(struct session *s);
/* Ends the target in good order (driver close), waits leftover.settle, and lists what is still alive of the session's
 * processes, and what was left when the task itself first ended the session; returns how many there are and fills at most
 * max. No call may follow; session_close comes after. */
struct process_info;
size_t session_end(struct session *s, struct process_info *out, size_t max);
/* While *stop is true, calls of this session end within about 200 ms as OUTCOME_HARNESS. NULL: never. */
void session_stop_with(struct session *s, const atomic_int *stop);
/* Ends and starts again on the same root and home (op reopen). */
int session_reopen(struct session *s, struct error **err);

/* Between two tasks of one session: empties root and home when `files` is wanted, and begins its budgets anew. False: it cannot be
 * used for another task (it ended, something is mounted or staged, its files cannot be reached from here). */
bool session_reset(struct session *s, bool files);

struct target *session_target(const struct session *s);
const char *session_root(const struct session *s);      /* host path */
const char *session_home(const struct session *s);
bool session_supports(struct session *s, const char *need); /* a capability; probed once per target, then remembered */
bool session_supports_op(struct session *s, const struct op *op); /* the op itself, where its capability is that of several */
/* The first call of a server, made to find out a capability, was refused at once, and the same call right after it was carried out. */
bool session_first_refused(const struct session *s);
bool session_alive(struct session *s);                      /* the target's own process still runs */
bool session_out_of_memory(const struct session *s); /* a process of it was killed because budget.memory was used up, where that can be seen */
/* A file under {root} can be seen on this machine at session_root(): found out at open by a canary in both directions. */
bool session_root_visible(const struct session *s);

/* One call, with arguments resolved (no wrappers left but JSON_RAW; paths still relative, see path_as). */
struct call {
    const struct op *op;
    struct json *args;
    const char *path_as;      /* how `path` is spelled; NULL: the driver's default */
    const char *to_as;        /* how `to` is spelled; NULL: as path_as */
    int64_t timeout_ms;       /* more than 0 */
    int64_t own_limit_ms;     /* the time limit that the task gave the step, which the target is told where it can be; 0: none */
    int64_t cancel_after_ms;  /* -1: never */
    const struct wire_mutation *mutation; /* to apply to the call while it runs; NULL: none. Static texts */
    struct outcome outcome;   /* filled; its data lives in `arena` */
    struct arena *arena;
};
/* Makes the calls, all at once when there is more than one, and waits for every answer or deadline. */
void session_calls(struct session *s, struct call *const *calls, size_t count);

/* Things the transport did outside any one call, since the last look: a line that is not a message, an answer to
 * nothing, a second answer, a request we did not offer to serve. Data for oracles. */
enum wire_kind {
    WIRE_STRAY_LINE, WIRE_UNKNOWN_ID, WIRE_DOUBLE_REPLY, WIRE_BAD_MESSAGE, WIRE_UNOFFERED_REQUEST,
    WIRE_NOTE,  /* no fault: what we answered, a list that changed; `detail` says it */
    WIRE_BREACH /* of a duty of the protocol: exec/oracle/duty.h */
};
struct wire_event {
    enum wire_kind kind;
    int duty;                 /* of a breach; else 0 */
    const char *detail;       /* of a breach or note; else NULL; lives as `text` does */
    struct bytes text;        /* cut to 4 KiB; lives until the next session_wire_events */
    int64_t at_ns;
};
size_t session_wire_events(struct session *s, const struct wire_event **events);
struct bytes session_stderr_tail(struct session *s); /* last 4 KiB the target wrote to its standard error */

/* The address of the session's fixture web site, for {site} (docs/site.md); NULL: it has none. It has one when its SPEC speaks of it, or
 * from when it was asked whether it supports "site". */
const char *session_site(const struct session *s);
/* Visits that begin from now on belong to that observation; -1: to none yet. */
void session_site_step(struct session *s, int64_t step);
/* What the site has seen so far, in the arena. False: there is none, or its record cannot be had. */
struct web_visits;
bool session_site_visits(struct session *s, struct arena *a, struct web_visits *out);

/* Processes of this session still alive, beside the target's own main process; for the leftover check. */
struct process_info {
    int pid, parent;          /* as seen by the session's agent */
    char state;               /* R S D Z T … as in /proc/PID/stat */
    char name[32];
    char command[256];        /* start of its command line, NULs as spaces */
};
size_t session_processes(struct session *s, struct process_info *out, size_t max);

/* The tools that may be called by the op `call`, as a JSON array of what tools/list said of them, appended to out; of an MCP server
 * an object of these (`tools`) and what else can be asked of it, as gen/tools.h takes it. False:
 * this kind of target has no list of tools. */
struct target_tools {
    size_t listed, callable; /* by the server; of them those that --tool and the like leave */
    size_t mapped_ops;       /* ops that some tool carries out */
    size_t without_op;       /* callable tools that carry out none */
    size_t things;           /* resources, templates and prompts that tasks can name */
    bool stateless, over_http; /* of MCP's stateless era; spoken to over HTTP */
};
bool session_tools(struct session *s, struct buf *out, struct target_tools *facts);
bool target_has_frames(const struct target *t); /* its calls are frames of MCP: mutators of the groups wire and env apply */
bool target_lists_tools(const struct target *t); /* whether that is asked for at all */

/* Around the calls of an observation, in the log of what is sent ("step", "done"). */
void session_wire_mark(struct session *s, const char *what, size_t index);
/* What was sent since the start (exec/target/wire_log.h), appended as a JSON array; nothing where that is not kept (plug-ins,
 * sandboxes elsewhere) or grew too long. And the words that started the target, with WIRE_LOG_ROOT for the root, as a JSON array;
 * of a server over HTTP its address, and the words that start it. */
void session_wire_log(struct session *s, struct buf *wire, struct buf *command);

/* Would the data show a secret that the task has not sent itself? Such a file is not looked at, as a witness's view would be kept. */
bool session_shows_secret(struct session *s, struct bytes data);

/* For `taskgen targets --explain`: what each op maps to, how sure (0..1), why; text lines for a person. */
void session_explain(struct session *s, struct buf *out);

#endif
