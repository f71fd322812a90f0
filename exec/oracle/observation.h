/* What was observed while a task ran: the drivers' outcomes, what witnesses saw, the wire, what was left behind. Pure data in
 * an arena; oracles judge it and do no I/O, so recorded observations can be judged again. */
#ifndef EXEC_ORACLE_OBSERVATION_H
#define EXEC_ORACLE_OBSERVATION_H

#include "exec/oracle/normalise.h"
#include "exec/oracle/policy.h"
#include "exec/outcome.h"
#include "exec/site/visit.h"
#include "exec/traces.h"
#include "gen/task.h"

enum witness {
    WITNESS_NONE,
    WITNESS_OUTSIDE, /* this machine looked at the file under the session's root */
    WITNESS_INSIDE,  /* a command in the sandbox did (through `run`) */
    WITNESS_BESIDE   /* a second session did */
};
const char *witness_name(enum witness w);

/* A file as a witness saw it. */
struct file_view {
    enum witness by;
    bool exists;
    char kind;             /* f file, d directory, l link, o other; 0 when it does not exist */
    uint64_t size;
    unsigned mode;
    char sha256[65];       /* of a regular file, or of the one a link leads to inside the root; "" for a very big one */
    struct bytes data;     /* its bytes when not bigger than 4 MiB (else none, and have_data false) */
    bool have_data;
    struct bytes target;   /* of a link */
    /* Names in a directory, sorted bytewise, when they were asked for and are not too many. */
    const struct bytes *entries;
    size_t entry_count;
    bool have_entries;
};

/* The file that a cancelled program adds to, looked at twice when it should have ended. */
struct work_view {
    bool looked;
    uint64_t first, second;    /* its size; 0 when it is not there */
    int64_t after_ms;          /* from the end of the call to the first look */
};

/* The session's processes around a step that speaks of a job: live ones that were not there before the first step, the target's own
 * left out. Nobody sees those on another machine. */
struct jobs_view {
    bool looked;
    uint32_t before, after;    /* how many; those that a signal met had a moment to end */
    uint32_t working;          /* after a start: how many do the work of the job */
    uint32_t spared;           /* of those that a signal met: did the job's work, had no child of their own, and still live */
    int64_t none_ms;           /* how long before the step, at least, there had been none; 0: there were some, or nobody knows */
};

/* A program whose time limit was over, looked at just after its call was. */
struct deadline_view {
    bool looked;
    struct file_view before, file;   /* that its script names and an expectation does: before the call, and when it was over */
    const struct leftover *processes; /* of the session, not there before the call and not ended */
    size_t process_count;
    int64_t after_ms;                /* from the end of the call to the last look at them */
};

struct observation {
    const struct task_step *step;
    uint32_t round;            /* 0.. of a repeated step */
    struct json *args;         /* resolved */
    struct outcome outcome;
    /* Views of the step's `path` and `to` arguments just before and after the step; by = WITNESS_NONE when nobody looked.
     * Of a path that holds a NUL: of the part before it, which is where a careless target would act. */
    struct file_view before, after, to_before, to_after;
    /* The directory of `to`, or else of `path`, just afterwards: of a step on files that was refused, and with its entries of one that says
     * it has made what is not there. */
    struct file_view parent;
    /* Names that turned up directly in the root while the step ran alone and were there until the end; seen from outside only. */
    const struct bytes *appeared;
    size_t appeared_count;
    struct work_view work;
    struct jobs_view jobs;
    struct deadline_view deadline;
    uint32_t killed;           /* processes of the browser that we killed right before it, those that show pages or all */
    bool in_group;             /* ran beside others, so views are of the whole group */
    struct usage usage;        /* when it was over */
};

struct wire_record {
    const char *kind;          /* "stray-line", "unknown-id", "double-reply", "bad-message", "unoffered-request", "note", "breach" */
    int duty;                  /* of a breach: the number of the duty, see duty.h; else 0 */
    const char *detail;        /* of a breach: short, part of its signature; of a note: what it says; else NULL */
    struct bytes text;
    size_t after_step;         /* index into observations of the last one finished when it was seen */
};

#define CONTROL_BESIDE ", in session " /* in control.what: before the name of a session other than the first */

struct control {               /* a second real call on an object of our own, after a defect or at the end */
    bool made;
    bool answered;             /* and with the right bytes */
    const char *op;
    const char *what;          /* plain words when it did not */
    size_t after_step;
    size_t fine;               /* so many of the first observations had been made when one was last answered; 0: none was */
};

/* Two witnesses asked about one path: do the tools and the programs of the sandbox see the same files? */
struct cross_view {
    size_t observation;        /* the step that made the path */
    struct bytes path;
    struct file_view outside, inside;
    struct bytes found_at;     /* where else a file of that name stands that holds the bytes that were sent; none */
};

struct file_final {
    struct bytes path;         /* as in the task's expectations */
    struct file_view view;
};

struct file_kept {             /* a file that a step made, seen from outside just before and after a session's end */
    struct bytes path;
    struct file_view before, after;
};

/* What the fixture web site saw while the task ran: the witness outside a browser. The visits that a step led to bear its index, or a later
 * one's, since browsers do things when a call is over. */
struct site_view {
    const char *address;       /* what {site} stood for; NULL: the task has no site, or nobody looked */
    const struct web_visit *visits; /* in the order in which they came */
    size_t count;
    uint64_t dropped;          /* more came than are kept */
};

/* Tabs of a browser that the task opened, when its last step was over. */
struct tabs_view {
    uint64_t budget;           /* bytes that all of them may take: then no more are opened; 0: none was opened */
    bool listed;               /* the browser was asked which there are, and answered */
    uint32_t open;             /* how many it told of */
    uint64_t settled;          /* bytes, of the session's processes together, when those that closed tabs leave had time to go; 0: none was closed */
};

/* A command of the user's own (user_check.h) finds fault with a step. */
struct user_answer {
    size_t observation;
    const char *check, *primitive, *command;
    const char *detail;        /* the first line that it said, or words of ours */
};

/* What an observer of the target (exec/observe/observer.h) saw beside the steps: a system call, a stretch of code. A set: no two are equal. It
 * says what the target did, not whether that was right, so no check looks at it, and recordings do not have it. */
enum seen_domain { SEEN_SYSCALL = 1, SEEN_CODE = 2 };

struct seen {
    unsigned domain;           /* enum seen_domain */
    uint64_t hash;             /* XXH3-64 of what it is */
    const char *text;          /* for people, one line: "openat ENOENT tmp", "index.js:120-140" */
};

struct user_checks;

struct execution {
    const struct task *task;
    const struct policy *policy; /* what the sandbox promises; NULL: nobody has said */
    struct bytes sent, command;  /* what went over the pipes, and what started the target: JSON (exec/target/target.h); none */
    const char *driver;          /* who sent it: "mcp", "exec"; NULL */
    const struct normaliser *rules; /* for texts that differ from run to run; NULL: none */
    const struct user_checks *user_checks; /* what the user wants to hold (user_check.h); NULL: nothing */
    const struct facts *facts; /* found out by who judges it (facts.h); NULL: each question is answered anew */
    const struct user_answer *answers; /* what commands of the user find fault with */
    size_t answer_count;
    struct arena *arena;
    struct observation *observations;
    size_t count;
    struct wire_record *wire;
    size_t wire_count;
    struct leftover *leftovers;
    size_t leftover_count;
    struct snapshot at_start;  /* before the first step, and when the last one and the control call were over */
    struct snapshot at_end;
    struct tripwire_report *tripwires; /* in the order in which they were seen */
    size_t tripwire_count;
    struct canary_sighting *sightings;
    size_t sighting_count;
    struct control control;
    struct cross_view *crosses;
    size_t cross_count;
    struct site_view site;
    struct tabs_view tabs;
    struct file_final *finals; /* one for each path an expectation names */
    size_t final_count;
    struct file_kept *kept;
    size_t kept_count;
    bool target_died;          /* by the end, without being asked to */
    bool out_of_memory;        /* a process of the session was killed since budget.memory was used up. No check looks at it, recordings do not have it */
    bool first_refused;        /* the first call of a session, ours or the task's, was refused, and carried out when we made it again at once */
    bool executed;             /* every step reached the target */
    bool harness;              /* our own trouble: nothing may be concluded */
    const char *skip_reason;   /* not executed: the first missing need, or why the first step could not be sent */
    struct bytes stderr_tail;
    const struct seen *seen;     /* nothing where nobody observed */
    size_t seen_count;
    int64_t ns;
};

#endif
