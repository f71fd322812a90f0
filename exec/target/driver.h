/* The inside of drivers: one file and one row each. */
#ifndef EXEC_TARGET_DRIVER_H
#define EXEC_TARGET_DRIVER_H

#include "exec/target/agent.h"
#include "exec/target/strings.h"
#include "exec/target/target.h"
#include "exec/target/wire_log.h"

/* How well an op can be had. */
enum support { SUPPORT_NONE, SUPPORT_LOWERED, SUPPORT_NATIVE };

/* What a driver's `run` does with bytes. Where one of the first three is missing, commands that ops are lowered to
 * (exec/target/lower.h) pack their answer into base64 between marks. */
enum run_channel {
    RUN_BINARY = 1,   /* standard output comes back byte for byte */
    RUN_SPLIT = 2,    /* standard error comes back apart from it */
    RUN_EXIT = 4,     /* the exit status comes back */
    RUN_STDIN = 8,    /* the argument `stdin` is passed on, byte for byte */
    RUN_NETWORK = 16, /* a later call sees the network of an earlier one (needed by a lowered `serve`) */
};

/* The kernel counts threads as it counts processes, and a browser has dozens in each: so many for each of budget.processes where there is one. */
enum { BROWSER_THREADS = 24 };

struct driver {
    const char *name;   /* "mcp" */
    const char *prefix; /* of a SPEC: "mcp:" */
    const char *doc;
    /* Starts the target in s->box and gets its first answer. s->driver_state is the driver's own. */
    int (*open)(struct session *s, struct error **err);
    void (*close)(struct session *s); /* good order first (close stdin, wait exec.grace), no killing: session.c does that */
    /* Carries out calls whose ops it supports natively, all at once. */
    void (*calls)(struct session *s, struct call *const *calls, size_t count);
    enum support (*supports)(struct session *s, const char *need);
    /* Ops of the group browser can be had one without the other: `supports` is asked for each by its name as well. */
    bool apart;
    /* An op beside the vocabulary that it carries out for others to be lowered to, by name; NULL, or a result of NULL: none. */
    const struct op *(*helper)(struct session *s, const char *name);
    bool (*alive)(struct session *s);
    size_t (*wire_events)(struct session *s, const struct wire_event **events); /* NULL: none ever */
    struct bytes (*stderr_tail)(struct session *s);
    void (*explain)(struct session *s, struct buf *out);
    bool (*tools)(struct session *s, struct buf *out, struct target_tools *facts); /* NULL: there is no list of tools */
    /* enum run_channel flags of `run`; NULL or 0: none of them. Asked only when `run` is supported natively. */
    unsigned (*run_channel)(struct session *s);
    /* The words that start it, for scripts that send again what it was sent; a NULL-terminated copy. NULL: those of the SPEC. */
    char **(*wire_words)(const struct session *s);
    char *(*url)(struct session *s); /* where it will connect to, to be freed; NULL: nowhere */
    const char *spelling; /* of paths in commands that ops are lowered to; NULL: "absolute" */
    bool frames;        /* its calls are requests of MCP, whose frames can be mutated */
    bool lives_in_home; /* what it runs has its own files in the session's home, so those cannot be taken away while it goes on */
    bool bare;          /* its commands run in our box with nothing between, whatever the SPEC's words are */
    unsigned threads;   /* as in struct box, for what has many */
    bool nests;         /* its commands may be sandboxes: they get a user namespace with capabilities of their own */
    /* It lives in this process (target_options.driver): its sessions have no agent and no box, and their directories are but names.
     * Nothing in it happens by itself, so time that a task lets go by does not go by. */
    bool in_process;
    /* Of such a one: the session's files go. close leaves them, since a session may be opened again on them. */
    void (*release)(struct session *s);
};

struct session {
    struct target *target;
    const struct driver *driver;
    struct start start;        /* how the task wants the target to be started */
    char *root, *home;         /* fresh directories on this machine */
    struct session_site *site; /* the fixture site; of the first session on a root; NULL: not asked for, or not to be had */
    struct web_door *site_door; /* into the network of this session's box; NULL: none */
    uint16_t port;             /* a free TCP port, for {port} */
    struct agent *agent;       /* starts, lists and kills the session's processes, in the box; NULL: not running, or in this process */
    void *driver_state;
    struct exec_state *commands; /* of drivers that run commands themselves (exec_internal.h); NULL */
    bool root_visible;
    bool disk_visible;         /* what we mount in the root shows in the target too */
    /* Against budget.calls, budget.bytes and budget.tabs; of the first session on a root, guarded by the target's lock. */
    uint64_t calls_made, bytes_sent, tabs_open;
    struct session *first;     /* of a session beside another one: that one; NULL */
    int launched_id;           /* the agent's handle of what --start began; 0: nothing */
    char *base;                /* holds root and home; what stage-sibling-dir makes lies here too */
    int base_lock;             /* open as long as base is in use; -1 when it is another session's */
    char *db;                  /* a path in home where nothing is yet, for {db} */
    const char *root_inside;   /* how commands in the target name the root, set by the driver; NULL: as we do */
    const struct session_watch *watch; /* NULL: nobody looks */
    struct strings watch_env;  /* what it wants in the environment of this start */
    int main_pid;              /* of the target's own process, as the agent gave it, set by the driver; 0: there is none */
    bool boxed;                /* false: --no-box, or this machine has no box to give */
    unsigned languages_probed, languages_there; /* MCP: sets of 1 << index into language_rows; kept when it is opened again */
    bool first_refused;        /* see session_first_refused */
    struct process_info *ended; /* left when the task ended it in good order, the first time; NULL: it has not */
    size_t ended_count;
    bool began_anew;           /* it was opened again */
    bool running;              /* it was started, and has not been shut since */
    bool closed;               /* by the op `close`, which `reopen` undoes, or by session_end */
    struct redact_set sent;    /* secrets that calls themselves held; of the first session; guarded by the target's lock */
    struct arena end_arena;
    struct wire_event *end_events; /* breaches seen while the session ended, in end_arena; given out once */
    size_t end_count;
    struct arena event_arena, tail_arena; /* of what session_wire_events and session_stderr_tail gave last, when it was changed */
    bool beside;               /* base, root and home are those of another session */
    bool left;                 /* the driver's close was called */
    bool again;                /* set by the driver's open with its error: start all over; another try may go well */
    unsigned threads;          /* as in struct box, of the one it was started in */
    struct mounts *mounts;     /* of stage-small-disk, newest first */
    struct staged_socket *sockets; /* of stage-socket, newest first */
    struct wire_log wire;      /* what went over pipes, from the start */
    struct tripwires *tripwires; /* NULL: none could be planted, or they are another session's */
    struct strings staged;     /* names beside the root that ops stage-* have made */
    const atomic_int *stop;    /* of session_stop_with; see session_stopping */
    int64_t disk_look_ns;      /* when the disk is looked at again */
    int64_t disk_walk_ns;      /* when the session's own directories may be walked again */
    const char *disk_full;     /* why the session is to stop (static text); NULL */
    uint64_t disk_floor;       /* bytes free on the disk that holds base; with fewer the session is stopped */
    uint64_t disk_free;        /* likewise; with budget.disk fewer its own directories are walked */
};

enum { TARGET_LANGUAGES = 7 }; /* rows of language_rows */

struct target {
    struct target_options options; /* strings owned */
    struct policy policy;      /* that options.policy points to, if there is one */
    const struct driver *driver;
    char **words;              /* of the SPEC after its prefix, not expanded */
    size_t word_count;
    unsigned offers;           /* OFFER_… of mcp_offer.h */
    bool joins;                /* as in struct spec_kind */
    bool beyond;               /* likewise, and nothing is started first */
    char identity[256];
    void *driver_shared;       /* a driver's per-target memory (mapping, probed capabilities), guarded by `lock` */
    void (*free_shared)(void *);
    struct strings lacking;    /* needs that a session did not meet at its start; guarded by `lock` */
    struct strings programs;   /* what programs.c found out: "+program:git", "-python:numpy"; guarded by `lock` */
    struct target_lock *lock;
    uint8_t languages_met[TARGET_LANGUAGES]; /* MCP: sessions that had it, up to some; guarded by `lock` */
    int site_reached;          /* targets of this SPEC reach the fixture site; -1: not tried yet; guarded by `lock` */
    bool browser_bare;         /* a browser of this machine starts without a sandbox of its own only; guarded by `lock` */
    int era;                   /* enum mcp_era: what is known of an MCP server; guarded by `lock` */
    int64_t next_call_ns;      /* not before, for budget.rate; guarded by `lock` */
    unsigned threads;          /* as in struct driver: what sessions of this target have turned out to need; guarded by `lock` */
    int root_visible, disk_visible; /* as in struct session; -1: not found out yet; guarded by `lock` */
};

extern const struct driver driver_mcp;
extern const struct driver driver_http;
extern const struct driver driver_exec;
extern const struct driver driver_cdp, driver_cdp_url;
extern const struct driver driver_plugin;

/* The lock of driver_shared (a row in `struct target` that sessions of several threads share). */
void target_lock(struct target *t);
void target_unlock(struct target *t);
/* What target_identity says from now on; cut to 255 bytes. Locks by itself. */
void target_set_identity(struct target *t, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* What a driver starts: the SPEC's words expanded, the whole environment (a small one of ours, HOME={home}, and --env), the
 * working directory. Owned by the caller: strings_free, free. */
char **session_words(const struct session *s);
char **session_environment(const struct session *s);
char *session_directory(const struct session *s);

/* Drivers that wait ask this every 200 ms at least, and when it is true end their calls as OUTCOME_HARNESS: somebody wants us
 * to stop, or the session eats up this machine's disk. The reason is NULL, or one for the message. */
bool session_stopping(struct session *s);
/* For a driver that ends: the breaches among its last events, for session_wire_events to give out once the driver is gone. */
void session_keep_breaches(struct session *s, const struct wire_event *events, size_t count);
/* What budget.bytes still has, for who makes up bytes to send. */
uint64_t session_bytes_left(struct session *s);
const char *session_stop_reason(struct session *s);

/* Expands {root} {home} {port} {db} {site} in one word; owned by the caller. Unknown braces stay as they are. */
char *session_expand(const struct session *s, const char *word);
/* Path under the root as `as` spells it: relative, absolute, tilde, dotted, link; bytes in `a`. */
struct bytes session_spell(const struct session *s, struct bytes path, const char *as, struct arena *a);

#endif
