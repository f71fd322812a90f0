/* The store: one SQLite file (default ./taskgen.db) with runs, tasks, executions, features, findings and counters. SQL stands
 * only in corpus/. WAL, synchronous=NORMAL, one writer; what was handed over is written in one transaction a batch, so
 * kill -9 loses at most the batch that was not yet committed, and a finding is committed before it is announced.
 * docs/database.md describes the tables. An older schema is migrated, a newer one is ERR_INPUT.
 *
 * All functions may be called from any thread; a lock inside makes them one after the other. */
#ifndef CORPUS_STORE_H
#define CORPUS_STORE_H

#include "base/arena.h"
#include "base/error.h"
#include "base/rng.h"
#include "base/settings.h"
#include "gen/task.h"

struct store;

enum store_mode { STORE_READ, STORE_WRITE /* made when absent */ };
int store_open(const char *path, enum store_mode mode, const struct settings *settings, struct store **store,
               struct error **err); /* ERR_INPUT: not a database, damaged, newer; ERR_OUTPUT: cannot be made or locked by another writer */
/* From now on every text that is written has these replaced (base/redact.h). Borrowed until store_close; NULL: nothing. */
struct redactor;
void store_keep_secret(struct store *s, const struct redactor *secrets);
void store_close(struct store *s); /* commits what is pending */
int store_flush(struct store *s, struct error **err); /* commits the batch now */

/* Runs. */
struct store_run {
    const char *verb;       /* "fuzz", "run", "replay" */
    const char *command;    /* argv, joined as a shell would need it, secrets left out by the caller */
    const char *target;     /* SPEC */
    const char *grammar;    /* hashes of the domains */
    uint64_t seed;
    const char *settings;   /* JSON */
};
int store_run_begin(struct store *s, const struct store_run *run, int64_t *id, struct error **err);
int store_run_end(struct store *s, int64_t id, const char *identity, struct error **err);
/* A session of its target could not be had. Commits with the batch. */
int store_run_refused(struct store *s, int64_t id, struct error **err);
/* First index of (seed, grammar) that no earlier run on that target has executed: resuming goes on there. 0 when there was
 * none. It is one more than the largest index among fresh tasks (without a parent) of the run's own seed; an index that a
 * killed worker was at, below that, is not made up for. target NULL: on any target. */
int store_next_index(struct store *s, uint64_t seed, const char *grammar, const char *target, uint64_t *index,
                     struct error **err);

/* A member of the corpus that was picked to be mutated, and the arithmetic of it (docs/internals/corpus.md):
 * weight = rarity x speed x freshness / (1 + log2(1 + selected)); of the members of its domain, in the order of their numbers, those
 * before it weigh `before` and all of them `total`, and before <= draw x total < before + weight. */
struct store_picked {
    struct bytes json;      /* the task */
    int64_t number;         /* of the member, from 1; 0: it has left the corpus since */
    int64_t task;           /* its row */
    const char *domain;     /* whose turn it was */
    double rarity, speed, freshness, before, total, draw;
    int64_t selected;       /* times that it was picked before */
    uint64_t feature;       /* a rare one that it was the first to show, and whose chance the numbers tell; 0: they tell its own */
    const char *what;       /* the feature in words; only of store_pick_of, else NULL */
};
double store_weight(const struct store_picked *p);

/* Executions. */
enum execution_outcome { EXECUTION_PASSED, EXECUTION_FAILED, EXECUTION_SKIPPED, EXECUTION_HARNESS };
/* What became of the session, the worst last. */
enum execution_ending {
    ENDING_WELL,
    ENDING_TIMED_OUT,     /* a step was not answered in its time, and the session lived on */
    ENDING_PAGE_CRASHED,  /* the process of a page of a browser ended, and the browser lived on */
    ENDING_REFUSING,      /* from here on the session has perished: plain calls that went well before are refused, or answered with something else */
    ENDING_SILENT,        /* plain calls are not answered */
    ENDING_LOST,          /* what carries the answers is gone */
    ENDING_OUT_OF_MEMORY, /* its memory was used up, and it was killed */
    ENDING_DIED           /* its process ended without being asked to */
};
const char *execution_ending_name(enum execution_ending ending); /* "timed-out", "died"; ENDING_WELL: "" */
struct store_execution {
    int64_t run;
    const struct task *task;
    const char *parent;           /* id of the task it was mutated from; NULL: fresh */
    enum execution_outcome outcome;
    bool executed;                /* every step reached the target */
    const char *skip_reason;      /* EXECUTION_SKIPPED: the missing need */
    int64_t ns;
    const char *why;              /* EXECUTION_FAILED: why, a sentence; NULL */
    enum execution_ending ending;
    const char *ending_op;        /* the op of the step that this is put down to; NULL: none */
    const char *steps;            /* JSON array: a short outcome per step, outputs cut to store.keep-output */
    /* In its place: asked for that text when it will be kept, which is seldom. From inside the store, so it must not call it. */
    const char *(*make_steps)(void *user);
    void *make_user;
    const uint64_t *features;     /* hashes, domain in the top byte */
    size_t feature_count;
    const struct store_picked *picked; /* what the parent was picked by, kept with the execution; NULL */
    struct store_trials *trials;  /* out: which of them have not been found stable; NULL: whatever is new counts as stable at once */
    uint64_t weak;                /* with trials: set of domains (bit N for N) whose features are handed out only beside others */
};
/* A feature that nobody has found stable yet. From store_put_execution to store_admit it is the caller's, and nobody else gets it. */
struct store_trial {
    uint64_t feature;
    unsigned tries, shows; /* fresh sessions of tasks that had shown it, and those that showed it again; since its last failure */
    bool stable, failed;   /* set by the caller; neither: undecided, and the next task that shows it goes on from there */
    const char *text;      /* in words, for people; set by the caller of one that is stable */
};
struct store_trials {
    struct store_trial *items; /* room for as many as there are features */
    size_t count;
    int64_t exec; /* this and the next are the store's */
    uint64_t age;
};
/* *new_features: how many are stable and were not before; the task becomes part of the corpus when there are any. ERR_INPUT,
 * and nothing else lost, when an id is not 32 hex digits. ERR_OUTPUT gives up what was not yet committed, nothing more; a later
 * call may succeed (the disk has room again). `run` 0: of no run. */
int store_put_execution(struct store *s, const struct store_execution *e, size_t *new_features, struct error **err);

/* What came of an execution's trials; `e` as it was put. `joins`: its task becomes part of the corpus, with all features that it showed, and
 * what is stable is known as brought by it (*gained says how many); else that stays undecided. A feature that has failed feedback.give-up
 * times is not handed out again. */
int store_admit(struct store *s, const struct store_execution *e, bool joins, size_t *gained, struct error **err);

/* How common features are. From memory; a reader has what the file said when it was first asked. */
struct store_rarity {
    uint32_t shown;  /* executions that showed it; 0: it is not known */
    bool stable;
};
int store_rarity(struct store *s, const uint64_t *features, size_t count, struct store_rarity *out, struct error **err);
struct store_domain {
    int64_t features, stable; /* that were ever shown; of those found stable */
    int64_t shown;            /* sum of the executions that showed each */
};
int store_domain(struct store *s, unsigned domain, struct store_domain *out, struct error **err); /* 0: all domains together */

/* What the domains were good for: tasks that a domain's features let into the corpus, and those of them that no other domain would have. */
struct store_domain_yield {
    int64_t let_in, alone;
};
int store_domain_yields(struct store *s, struct store_domain_yield yields[256], struct error **err);

/* What a member of the corpus showed when it joined: first what it was let in for, then the rest; each the rarest first. In `a`; none of a task
 * that never joined. ERR_INPUT: `task` is no id. */
struct store_shown {
    uint64_t feature;
    const char *text;  /* in words; "" where they were not kept */
    bool brought;      /* the task was let in for it */
    bool stable;
    int64_t shown;     /* executions that showed it since */
};
int store_shown(struct store *s, const char *task, struct arena *a, struct store_shown **out, size_t *count, struct error **err);

/* The corpus: tasks that brought new features. A pseudo-random pick: domains of tasks take turns, and among the members of one a
 * member's chance is its weight. ERR_LIMIT when it is empty. For writers. */
int store_pick(struct store *s, struct rng *rng, struct arena *a, struct store_picked *picked, struct error **err);
/* The same, of what was the first to show features of one domain: a feature's chance is 1 / (executions that showed it). ERR_LIMIT: there is none. */
int store_pick_rare(struct store *s, unsigned domain, struct rng *rng, struct arena *a, struct store_picked *picked, struct error **err);
/* The same, where the caller says which features, and what each weighs. */
int store_pick_weighed(struct store *s, const uint64_t *features, const double *weights, size_t count, struct rng *rng, struct arena *a,
                       struct store_picked *picked, struct error **err);
/* Stable features of a domain, the last `max` that became so; how many there are. For writers. */
size_t store_stable(struct store *s, unsigned domain, uint64_t *features, size_t max);
/* Those of one domain that a member showed when it joined; `task`: its row. */
int store_member_features(struct store *s, int64_t task, unsigned domain, uint64_t *features, size_t max, size_t *count, struct error **err);
/* The weight that member `number` has now, as far as it is known without a pick: *picked without json; `before` and `total` of its
 * domain; draw is -1. Also for readers. ERR_INPUT: there is no such member. */
int store_weigh(struct store *s, int64_t number, struct arena *a, struct store_picked *picked, struct error **err);
/* What the parent of a task was picked by when the task was first executed; *known false: it was not picked. `id`: 32 hex digits. */
int store_pick_of(struct store *s, const char *id, struct arena *a, struct store_picked *picked, bool *known, struct error **err);

/* Seeds: tasks that somebody gave, and where they were read from. The first `run` that read it from there is kept. Commits with the
 * batch. */
struct store_seed {
    const char *task;   /* its id */
    const char *file;   /* as a person would find it again */
    int64_t line;       /* in the file, from 1; 0: the file as a whole */
    const char *format; /* "harbor" */
};
int store_put_seed(struct store *s, int64_t run, const struct store_seed *seed, struct error **err);
/* Has the task been executed on that target: not skipped for a need, nor stopped by a fault of this machine? target NULL: on any. */
int store_executed(struct store *s, const char *task, const char *target, bool *executed, struct error **err);

/* Where an input came from. */
struct store_origin {
    char id[33];
    const char *domain, *workflow, *grammar; /* "" when it was never executed here */
    uint64_t seed, index;
    const char *mutators;   /* those in the task in their order, one blank between; "": none */
    int64_t times;          /* executions */
    int64_t run, first_ms;  /* that executed it first, and when; 0: none */
    const char *verb, *command, *target; /* of that run; "" */
    const char *file, *format; /* that it was read from first; NULL: it was no seed */
    int64_t line;
    bool member, retired;   /* of the corpus; it was, and the others show all that it shows */
    int64_t number;         /* of a member */
    const char *json;       /* the task, where it is kept; NULL: made again from seed, index and grammar, or lost */
};
/* The task, then what it was mutated from, and so on to one that has no parent; in `a`. `id` may be a prefix; ERR_INPUT when it is
 * none of hex digits, or names no task or several. */
int store_origins(struct store *s, const char *id, struct arena *a, struct store_origin **out, size_t *count, struct error **err);

/* Members of the corpus in the order in which they joined: the first one behind `number`. 1: *m is filled, texts in `a`; 0: no more. */
struct store_member_view {
    int64_t number, task;
    char id[33];
    const char *json;
    int64_t features;       /* that it showed, and of these */
    int64_t gained;         /* nobody had shown before */
    int64_t ns;
};
int store_member_after(struct store *s, int64_t number, struct arena *a, struct store_member_view *m, struct error **err);

/* Finds the members that the corpus can do without: what others show too, preferring small and quick ones, from what is stored; nothing
 * is executed. They leave the corpus and are never picked again; their rows stay (table retired). `dry`: only counts. The result
 * depends on the members alone. All or nothing. */
struct store_minimised {
    size_t members, needed, features;
};
int store_minimise(struct store *s, bool dry, struct store_minimised *m, struct error **err);

/* Takes in what another database knows that this one does not: sets become their unions, findings with one signature one (the worse
 * state, but for one found fixed after anybody last saw it; the smaller task), what is known already changes nothing. How often features were seen, and the counters, are taken in the
 * proportion in which the other's executions were new. The other may be of an older schema, and in use; it is copied beside this one
 * first (as "<database>-merge") and never written. *m: how many rows there are more. ERR_INPUT: the other one is no database of ours; ERR_OUTPUT.
 * All or nothing. */
struct store_merged {
    int64_t runs, executions, tasks, features, members, findings;
};
int store_merge(struct store *s, const char *path, const struct settings *settings, struct store_merged *m, struct error **err);

/* Findings. */
enum finding_state { FINDING_NEW, FINDING_CONFIRMED, FINDING_FLAKY, FINDING_UNCONFIRMED, FINDING_FIXED, FINDING_REGRESSED };
const char *finding_state_name(enum finding_state state);

enum finding_shrunk {
    SHRUNK_NOT,  /* its task is as it was met */
    SHRUNK_PART, /* made smaller, and then somebody stopped it */
    SHRUNK_WHOLE /* nothing smaller shows it, or the allowed number of sessions was used up */
};

struct finding {
    char signature[17];     /* 16 hex digits of XXH3-64 of `text`; people use a prefix */
    const char *text;       /* "layer/primitive/check/op: detail", canonical */
    const char *layer, *primitive, *check, *op, *detail;
    const char *raw;        /* detail before rules took from it what differs from run to run; NULL: as detail */
    const char *title;      /* one sentence for a person */
    const char *evidence;   /* plain words: what was sent, what each witness saw */
    const char *target;     /* SPEC it was found on */
    const char *identity;   /* what answered */
    enum finding_state state;
    int n_failed, n_run;    /* of the fresh sessions after the first sight */
    int64_t times_seen;
    int64_t first_ms, last_ms; /* wall clock */
    int64_t tested_ms;      /* when its state was found out; 0: it was not, or, when put, at last_ms */
    const char *task;       /* smallest known task (fewest steps, then bytes), one JSON line */
    int64_t task_steps;
    const char *wire;       /* what was sent when the task ran, and how to tell (exec/reproduce.h); JSON; NULL or "": not kept */
    bool client_illegal, suppressed;
    enum finding_shrunk shrunk; /* read only: set by store_put_shrunk */
};
/* Is it known, and in which state? */
int store_find(struct store *s, const char *signature, bool *known, enum finding_state *state, struct error **err);
/* New or seen again: keeps the smaller task, adds up times_seen; a state other than FINDING_NEW and its rates replace the
 * old ones. Commits at once. *grew: the signature was not known before. */
int store_put_finding(struct store *s, int64_t run, const struct finding *f, bool *grew, struct error **err);
/* A smaller task that shows the same, with its title, evidence, target and identity, in place of the old ones, and how far that
 * went; f->task NULL: only how far. Commits at once. ERR_INPUT for an unknown signature. From then on a sighting changes the task
 * only for one with fewer steps, of which nobody knows again whether it could be smaller. */
int store_put_shrunk(struct store *s, const struct finding *f, enum finding_shrunk how, struct error **err);
/* After a replay, whose rate replaces the old one: a confirmed or regressed one that passes all of at least confirm.runs runs is fixed, a fixed one that fails is
 * regressed; one that was not confirmed yet gets the state of the rate (setting confirm.need), but a flaky one that passes stays
 * flaky. ERR_INPUT for an unknown signature. */
int store_retested(struct store *s, const char *signature, int n_failed, int n_run, enum finding_state *state,
                   struct error **err);

/* Reading findings, the worst states first, then by times_seen; strings live in `a`. `prefix` of a signature or NULL. */
int store_findings(struct store *s, const char *prefix, struct arena *a, struct finding **out, size_t *count,
                   struct error **err);

/* Gives the finding `old` the signature, text and detail of *to. When another finding has that signature already both become
 * that one: sightings and times add up, the worse state stays with its rate, the smaller task stays with what belongs to it.
 * *merged says so. The old signature, and those it stood for, still find it. All or nothing; ERR_INPUT: there is no `old`. */
int store_rename(struct store *s, const char *old, const struct finding *to, bool *merged, struct error **err);
/* The signatures that a finding had before, in `a`. */
int store_aliases(struct store *s, const char *signature, struct arena *a, const char ***out, size_t *count, struct error **err);
/* The settings of the last run that saw the finding, as JSON in `a`; "{}" when none is known. */
int store_finding_settings(struct store *s, const char *signature, struct arena *a, const char **settings, struct error **err);

/* The text of the suppressions that are in force for this database (corpus/suppress.h), kept until another one is put; "" when
 * there is none. Whether a finding is suppressed is found out when it is read, since rules expire. */
int store_put_suppressions(struct store *s, const char *text, struct error **err);
int store_suppressions(struct store *s, struct arena *a, const char **text, struct error **err);

struct store_totals {
    int64_t runs, executions, executed, passed, failed, skipped, harness, tasks, corpus, features, findings, confirmed;
};
int store_totals(struct store *s, struct store_totals *t, struct error **err);
/* The time series: what the database held, all runs, about every ten seconds and at the end of each run; the oldest first, in `a`. */
struct store_stat {
    int64_t at_ms, run, executions, features, corpus, findings;
};
int store_stats(struct store *s, struct arena *a, struct store_stat **out, size_t *count, struct error **err);
/* Executions by reason of skipping, most first: name and count pairs in `a`. */
struct store_count {
    const char *name;
    int64_t count;
};
int store_skips(struct store *s, struct arena *a, struct store_count **out, size_t *count, struct error **err);

/* The targets that runs had, in the order in which they first had them; in `a`. */
struct store_side {
    const char *target;       /* SPEC */
    const char **identities;  /* what answered: several when it changed between runs */
    size_t identity_count;
    int64_t runs;
    int64_t runs_open;        /* of these: not ended yet, or killed */
    int64_t runs_with_endings; /* of these: by a taskgen that wrote down how sessions end */
    int64_t refused;          /* sessions that could not be had */
    int64_t first_ms, last_ms; /* when the first began, and the last ended (or began, when it has not ended) */
};
int store_sides(struct store *s, struct arena *a, struct store_side **out, size_t *count, struct error **err);

/* Each execution, told one after the other, in the order of their numbers. Texts are valid while they are told; "" where there is none. */
struct store_workload {
    const char *target, *domain, *workflow;
    const char *mutators;     /* of its task, one blank between */
    enum execution_outcome outcome;
    enum execution_ending ending;
    const char *ending_op;
    const char *why;          /* it failed */
    bool ending_known;        /* its run wrote that down */
    int64_t ns;
};
int store_workloads(struct store *s, void (*told)(void *user, const struct store_workload *w), void *user, struct error **err);

/* How often findings were seen on each target, by signature; in `a`. */
struct store_sighting {
    char finding[17];
    const char *target;
    int64_t times;
};
int store_sightings(struct store *s, struct arena *a, struct store_sighting **out, size_t *count, struct error **err);

/* Counters: mutators, domains and sources of tasks (tried, won, and the time it took). */
struct store_yield {
    const char *name;
    int64_t tried, won, ns;
};
int store_count(struct store *s, const char *kind, const char *name, int64_t tried, int64_t won, int64_t ns, struct error **err);
int store_yields(struct store *s, const char *kind, struct arena *a, struct store_yield **out, size_t *count,
                 struct error **err); /* by name */

#endif
