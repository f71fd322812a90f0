/* The loop that ties pick, mutate, run, judge and keep together, for the verbs run, fuzz and replay. Workers are
 * threads with a session each at a time; the store is the only thing they share and write. */
#ifndef EXEC_LOOP_H
#define EXEC_LOOP_H

#include "corpus/store.h"
#include "exec/oracle/check.h"
#include "exec/runner.h"
#include "gen/tools.h"
#include "mutate/select.h"

enum loop_end {
    LOOP_END_DONE,   /* nothing is left to run */
    LOOP_END_RUNS, LOOP_END_TIME, LOOP_END_STABLE, /* an option of that name */
    LOOP_END_STOP,   /* *stop was set */
    LOOP_END_FAILED  /* loop_run gives the error */
};
const char *loop_end_name(enum loop_end end);

struct loop_progress {
    int64_t executions, executed, passed, failed, skipped, harness;
    int64_t calls;             /* steps that reached the target */
    int64_t features, corpus;
    int64_t trimmed;           /* executions stored beside those: a session of several tasks that was kept as some of them */
    int64_t again;             /* sessions in which a task was run again because it had shown something new */
    int64_t findings, confirmed, interface_findings, sandbox_findings;
    int64_t elapsed_ms;
    int64_t gone_ms;           /* since no session of the target can be had; 0: it can */
    int64_t given, generated, mutated, spliced; /* executions by where their task came from: the caller, the templates, a kept task, two of them */
    int64_t last_feature_ms, last_finding_ms; /* as elapsed_ms, when there last was a new one; -1: not yet */
    double rate, call_rate;    /* executions and calls a second, of the last few seconds; in the end of all */
    enum loop_end end;         /* filled by loop_run */
    const char *last_title;    /* of the newest finding, or NULL; valid during the callback */
};

struct loop_options {
    struct target *target;
    struct store *store;
    int64_t run;                              /* of store_run_begin */
    const struct generate_options *generate;  /* NULL: only the given tasks (run from standard input) */
    const struct selection *select;           /* which tasks to make with it; NULL: task i is that of index i */
    const struct toolset *tools;              /* the target's own, to make tasks of; NULL: none */
    unsigned tools_share, tools_period;       /* of each tools_period indices the last tools_share are theirs */
    struct task *const *tasks;                /* given tasks, run in order before anything else */
    size_t task_count;
    const struct dictionary *words;           /* for mutants; NULL: none */
    const struct settings *settings;
    const struct ops *ops;
    uint64_t seed, first_index;
    int64_t count;             /* generated tasks; 0: no limit */
    int64_t time_ms;           /* 0: no limit */
    int64_t runs;              /* executions, those of confirmation and shrinking not counted; 0: no limit */
    int64_t stable_ms;         /* end when for so long nothing new was shown and nothing new was found; 0: never */
    double mutate;             /* strength of hazards, 0..1 */
    bool feed_back;            /* fuzz: mutate corpus members too, and run again what showed something new */
    uint64_t features;         /* domains of features that count (exec/oracle/feedback.h); 0: all */
    bool confirm;              /* re-run new signatures in fresh sessions */
    bool shrink;               /* make the tasks of confirmed findings smaller, in the share of time shrink.share */
    struct observers *observers; /* who looks on while tasks run, but not in the fresh sessions of findings; NULL: nobody */
    enum runner_reset reset;   /* between two tasks of a worker; findings are confirmed in fresh sessions in any case */
    unsigned workers;          /* at least 1 */
    const atomic_int *stop;  /* set by a signal handler */
    atomic_int *hurry;       /* set by whoever wants progress to be told at once; taken back then; NULL */
    void (*answered)(void *user); /* once, when the first session has been opened; NULL */
    void (*progress)(void *user, const struct loop_progress *p);       /* each status.interval, from one thread */
    void (*finding)(void *user, const struct finding *f);              /* a finding was stored or changed state */
    void (*executed)(void *user, const struct task *t, const struct execution *e, const char *why_failed); /* each one; NULL */
    void *user;
};

/* Runs until the count, the runs, the time, nothing new for long enough, or *stop. Fills *total. ERR_TARGET when no session could be
 * had for loop.patience, ERR_OUTPUT when the store fails; what was found is kept in any case. */
int loop_run(const struct loop_options *o, struct loop_progress *total, struct error **err);

/* Runs one task `runs` times in fresh sessions and counts how often the signature shows. */
int loop_replay(struct target *target, const struct task *task, const char *signature, int runs,
                const struct settings *settings, const atomic_int *stop, int *n_failed, int *n_run, struct error **err);
/* Who is told of each run, while the execution is there. `record`: what would be kept with the finding (exec/reproduce.h); NULL: the
 * signature did not show. */
struct loop_view {
    void (*ran)(void *user, const struct execution *e, const char *record);
    void *user;
};
int loop_replay_seen(struct target *target, const struct task *task, const char *signature, int runs,
                     const struct settings *settings, const atomic_int *stop, const struct loop_view *view, int *n_failed,
                     int *n_run, struct error **err);

#endif
