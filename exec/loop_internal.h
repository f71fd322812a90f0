/* The loop's parts: choosing what to run next (loop_next.c), settling what was seen (loop_settle.c, loop_confirm.c), the workers
 * and the clock (loop.c). */
#ifndef EXEC_LOOP_INTERNAL_H
#define EXEC_LOOP_INTERNAL_H

#include <pthread.h>

#include "exec/loop.h"
#include "exec/loop_cost.h"
#include "exec/loop_latency.h"
#include "exec/loop_pairs.h"
#include "exec/loop_yield.h"
#include "exec/oracle/feedback.h"
#include "gen/arm/arm.h"

/* A signature that this process has dealt with. */
struct loop_known {
    char signature[17];
    bool settled;    /* tried in fresh sessions, or settled in the database from earlier */
    bool busy;       /* a worker is at it */
    int attempts;    /* inputs tried in fresh sessions */
    bool sandbox, interface, counted, confirmed;
    bool shrunk;     /* its task is as small as it gets, or that was tried often enough */
    int shrinks;     /* times that it was tried */
};

struct loop {
    const struct loop_options *options;
    pthread_mutex_t lock;      /* guards all below */
    struct loop_progress total;
    uint64_t next_index;
    uint32_t armed[ARM_CLASSES]; /* tasks run, while exploring, that arm the class */
    struct loop_costs costs;
    struct loop_yields sources;  /* by enum loop_source */
    struct loop_yields mutators; /* by mutator_at */
    struct loop_yields trees;    /* by tree_mutator_at */
    struct loop_yields focuses;  /* by feedback_at, the domain of features for which a kept task was picked */
    struct loop_pairs pairs;
    double run_ns;             /* mean time of the last executions; 0: there was none */
    struct loop_latencies latencies;
    int64_t kept_before;       /* members of the corpus when the loop began */
    int64_t start_ns;          /* monotonic */
    int64_t shrink_ns;         /* of all workers, for smaller tasks of findings */
    int64_t again_ns;          /* of all workers, for sessions in which what is new should show again */
    int64_t again_of_ns[FEEDBACK_IDS]; /* the part of it that each domain of features had */
    int64_t note_ns;           /* of all workers, for what only notes get: fresh sessions, smaller tasks */
    size_t next_task;
    int64_t made;              /* tasks begun, beside the given ones */
    int64_t begun;             /* executions that are under way or over */
    int refused;               /* sessions in a row that could not be had */
    int64_t refused_ns;        /* since when, monotonic; 0: the last one could */
    int running;               /* workers that have not ended */
    struct error *err;         /* the first that ends the loop */
    char last_title[256];
    struct loop_known *known;
    size_t known_count, known_capacity;
    atomic_int halt;        /* read by runners without the lock: time is up, or we were asked to stop */
};

enum { LOOP_PARTS_MAX = 8 };

/* What a worker runs next. */
struct loop_work {
    bool wired;                /* a frame or the environment of a call was mutated */
    struct task *task;         /* given ones are borrowed */
    struct task *parts[LOOP_PARTS_MAX]; /* of which it was put together, in their order; NULL: it was not */
    size_t part_count;
    bool borrowed;
    enum loop_source source;
    char parent[33];           /* "" for a task that was not made of a kept one */
    struct arm_set armed;      /* what the task arms, when armed_known */
    bool armed_known;
    struct store_picked picked; /* how the parent was chosen; number 0: it was not. Without its texts */
};
/* 1: *work is filled; 0: nothing is left; negative: error. `a` is for passing use. */
int loop_next(struct loop *l, struct rng *rng, struct arena *a, struct loop_work *work, struct error **err);
void loop_work_release(struct loop_work *work);
/* How long choosing among tasks may take. On a target whose tasks take microseconds a task that was not run costs as much as one that
 * was: choosing must be little of the time that an execution takes. */
int64_t loop_choosing_ns(struct loop *l);

/* The parts of that. The fault classes that are asked for; NULL: all alike. */
const struct arm_set *loop_classes(const struct loop_options *o);
/* For comparison, nothing that was seen decides what runs next (loop.feedback). */
bool loop_blind(const struct loop_options *o);
/* The fresh task of an index. */
int loop_fresh(const struct loop_options *o, uint64_t index, struct loop_work *work, struct error **err);
/* A kept task, and how it was chosen; 0 when there is none. Blind: any fresh one. */
int loop_pick(struct loop *l, struct rng *rng, struct arena *a, struct task **task, struct store_picked *picked,
              struct error **err);
/* A kept task that brings about a state of the target behind which much is left to try; 0 when there is none. */
int loop_pick_state(struct loop *l, struct rng *rng, struct arena *a, struct task **task, struct store_picked *picked, struct error **err);
/* Adds the states that the member brings about. */
int loop_states_of(struct loop *l, const struct store_picked *picked, struct loop_deeds *deeds, struct error **err);
/* Takes back, mostly, what was done to the frames and surroundings of a kept task that is about to be changed. */
void loop_calm(struct task *t, struct rng *rng);
/* A mutant of a kept task; 0 when there is none to mutate. */
int loop_mutant(struct loop *l, struct rng *rng, struct arena *a, struct loop_work *work, struct error **err);
/* Some tasks in one session (loop_splice.c); 0 when no two were found that go together. */
int loop_splice(struct loop *l, struct rng *rng, struct arena *a, struct loop_work *work, struct error **err);
/* What the work has brought (loop_yield.h). */
void loop_note_yield(struct loop *l, const struct loop_work *work, double won, int64_t ns);
/* What earlier runs of the database have learnt. */
int loop_load_yields(struct loop *l, struct error **err);

/* Is this a task of the target's own tools, as they are now? */
bool loop_tools_own(const struct loop_options *o, const struct task *t);
/* Another task of the same tools, by an edit of the parent's derivation. 1: *task is new; 0: it has none; negative: error. */
int loop_tools_mutant(const struct loop_options *o, const struct task *parent, struct rng *rng, struct task **task,
                      struct error **err);

/* Stores the execution and its features, judges it, and tries new signatures again in fresh sessions. Called by the
 * worker that ran it, without the lock. */
int loop_settle(struct loop *l, const struct loop_work *work, const struct execution *e, struct arena *a, struct error **err);

/* One execution on its way into the corpus (loop_admit.c, loop_trim.c); not shared. `record` and `work` are filled by the caller, `record` but for what has to do
 * with features. */
struct loop_admission {
    struct loop *loop;
    const struct loop_work *work;
    uint64_t states; /* set of domains that sessions are held for, though all of theirs is decided: to trim what shows it */
    struct task *trimmed; /* in the place of the work's task: what of it shows the same */
    double worth; /* of what is new: 0 to 1 */
    size_t found; /* signatures that it was the first to settle; notes do not count */
    struct store_execution record;
    struct store_trials trials;
    struct feedback_context context;
    int ran;    /* sessions that were held for it alone */
    bool blind; /* in one of them no observer saw anything */
};
/* Stores the execution with its features (`keep` false: it has none). Fills what is in `a`, which must live until the end. */
int loop_admission_begin(struct loop *l, struct loop_admission *m, const struct execution *e, bool keep, struct arena *a,
                         struct error **err);
/* The same task ran once more, in a fresh session. */
void loop_admission_ran(struct loop_admission *m, const struct execution *e);
/* Runs it again where that is needed and there is time for it, and says what came of it: *gained features, and a member of the corpus when
 * there are any. `e` and `a` as at the begin. */
int loop_admission_end(struct loop_admission *m, const struct execution *e, struct arena *a, size_t *gained, struct error **err);

/* The parts of that. May a session that takes so long be held now, in the share of time that there is for it? */
bool loop_admission_may_run(struct loop_admission *m, int64_t ns);
/* One fresh session of a task. 1: it ran; 0: it could not be had, or the end has come, so nothing is decided by it; negative: error. */
int loop_admission_run(struct loop_admission *m, const struct task *task, struct arena *a, struct execution *e, struct error **err);
/* The features of an execution, ascending; in `a`. */
uint64_t *loop_admission_features(const struct loop_admission *m, const struct execution *e, struct arena *a, size_t *count);
bool loop_admission_has(const uint64_t *features, size_t count, uint64_t feature);
/* May the feature let a task in by itself? */
bool loop_admission_strong(const struct loop_admission *m, const struct store_trial *t);
/* It showed, or did not, in one more session. */
void loop_admission_tried(struct store_trial *t, bool showed);
/* What the store keeps of an execution beside its task and its features, in `a`. */
void loop_describe(const struct loop *l, const struct execution *e, struct arena *a, struct store_execution *record);
/* Leaves out what of several tasks in one session is not needed for what is new; *m is about the rest then. */
int loop_trim(struct loop_admission *m, struct arena *a, struct error **err);

/* What a run that showed a signature says of it; texts live in the arena that was given. */
struct loop_shown {
    const char *title, *evidence, *wire;
    bool client_illegal;
};
/* Stores what a verdict says of the execution, and tries it again in fresh sessions where that is still to be done. */
int loop_settle_verdict(struct loop *l, const struct execution *e, const char *task_text, const struct verdict *v,
                        struct loop_admission *m, struct error **err);

/* As loop_shows below, and says what was shown. */
int loop_look(struct target *target, const struct task *task, const char *signature, const atomic_int *halt,
              struct arena *keep, struct loop_shown *shown, struct error **err);

/* The parts of the work that are not left out, in one task; NULL: they do not go together without the rest. */
struct task *loop_rejoin(const struct loop *l, const struct loop_work *work, const bool *out);
/* *smaller: a task of fewer parts that showed the signature in a fresh session, which the caller frees, and *shown what it said, in the execution's arena;
 * NULL: there is none. `observation`: that the verdict speaks of. */
int loop_narrow(struct loop *l, const struct loop_work *work, const struct execution *e, size_t observation, const char *signature,
                struct loop_shown *shown, struct task **smaller, struct error **err);

/* Is the finding a note for which there is no time now? A note on every recommendation that a server does not follow, each with its
 * fresh sessions, would take most of a short campaign. So while exploring they get a share of the time; one that has to wait is
 * tried when it is seen again. */
bool loop_note_waits(struct loop *l, const struct finding *f);

/* Makes the task of a settled finding smaller, when the share of time for that is not used up (loop_shrink.c). Called without
 * the lock. */
int loop_shrink(struct loop *l, const char *signature, struct error **err);
/* The row of a signature, made when there is none; with the lock held. */
struct loop_known *loop_known_row(struct loop *l, const char *signature);

/* Does the task show the signature in a fresh session? 1 yes, 0 no, negative error (ERR_STOP: halted). */
int loop_shows(struct target *target, const struct task *task, const char *signature, const atomic_int *halt,
               struct error **err);
/* The same, told to `view` (NULL: nobody). */
int loop_shows_seen(struct target *target, const struct task *task, const char *signature, const atomic_int *halt,
                    const struct loop_view *view, struct error **err);

#endif
