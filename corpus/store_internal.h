/* The store's inside: one connection, one mutex, one open transaction at a time.
 *
 * store.c        opening, closing, the batch and the thread that commits it in time
 * store_lock.c   one writer at a time, across processes
 * store_schema.c the tables and the steps from older versions
 * store_sql.c    every statement, in one table, and how they are bound, stepped and how their errors are told
 * store_index.c  the features that are known, in memory
 * store_exec.c   runs, executions, the corpus
 * store_admit.c  which features are stable, and who joins the corpus
 * store_seed.c   seeds, and where an input came from
 * minimise.c     members that the corpus can do without
 * merge.c        what another database knows
 * store_pick.c   which member of the corpus is mutated next
 * store_finding.c findings
 * store_count.c  counters and totals
 * store_sides.c  what each target was put to, and how that ended
 *
 * Everything below expects the store's mutex to be held, but for what store_open does before others know the
 * store. */
#ifndef CORPUS_STORE_INTERNAL_H
#define CORPUS_STORE_INTERNAL_H

#include <pthread.h>
#include <sqlite3.h>

#include "base/redact.h"
#include "corpus/store.h"

enum {
    STORE_APPLICATION_ID = 0x7467656e, /* "tgen", in the database's header */
    STORE_SCHEMA = 11                   /* of this program; PRAGMA user_version of a database */
};

enum store_statement {
    SQL_RUN_ADD,
    SQL_RUN_END,
    SQL_RUN_NEXT,
    SQL_RUN_NEXT_SET,
    SQL_RUN_NEXTS,
    SQL_RUN_REFUSED,
    SQL_TASK_FIND,
    SQL_TASK_ADD,
    SQL_TASK_AGAIN,
    SQL_TASK_FILL,
    SQL_TASK_JSON,
    SQL_EXEC_ADD,
    SQL_FEATURES_SHOWN,
    SQL_FEATURES_LET_IN,
    SQL_FEATURES_ALONE,
    SQL_EXEC_TASK,
    SQL_EXEC_GAINED,
    SQL_TRACE_ADD,
    SQL_TRACE_OLDEST,
    SQL_TRACE_DROP,
    SQL_TRACE_BYTES,
    SQL_FEATURE_ADD,
    SQL_FEATURE_MORE,
    SQL_FEATURE_TRIED,
    SQL_FEATURES,
    SQL_TASK_FEATURE_ADD,
    SQL_CORPUS_ADD,
    SQL_PICK_MEMBERS,
    SQL_PICK_TASK,
    SQL_RARE_MEMBER,
    SQL_PICK_FEATURES,
    SQL_PICK_SELECTED,
    SQL_PICK_BEGOT,
    SQL_PICK_ADD,
    SQL_PICK_GET,
    SQL_FINDING_GET,
    SQL_FINDING_SETTINGS,
    SQL_FINDING_ADD,
    SQL_FINDING_SEEN,
    SQL_FINDING_TASK,
    SQL_FINDING_STATE,
    SQL_FINDING_SHRUNK,
    SQL_FINDING_RENAME,
    SQL_FINDING_MERGE,
    SQL_FINDING_DROP,
    SQL_SIGHTING_MERGE,
    SQL_SIGHTING_DROP,
    SQL_ALIAS_ADD,
    SQL_ALIAS_MOVE,
    SQL_ALIAS_DROP,
    SQL_ALIASES,
    SQL_SIGHTING_ADD,
    SQL_FINDINGS,
    SQL_TOTAL_RUNS,
    SQL_TOTAL_EXECS,
    SQL_TOTAL_KEPT,
    SQL_TOTAL_FINDINGS,
    SQL_SKIPS,
    SQL_SIDES,
    SQL_SIDE_IDENTITIES,
    SQL_WORKLOADS,
    SQL_SIGHTINGS,
    SQL_COUNTER_ADD,
    SQL_COUNTERS,
    SQL_STAT_ADD,
    SQL_STATS,
    SQL_SEED_ADD,
    SQL_SEED_OF,
    SQL_EXECUTED,
    SQL_TASK_PREFIX,
    SQL_ORIGIN,
    SQL_MEMBER_AFTER,
    SQL_MEMBERS,
    SQL_MEMBER_FEATURES,
    SQL_MEMBER_RETIRE,
    SQL_MEMBER_DROP,
    SQL_MEMBER_RENUMBER,
    SQL_META_PUT,
    SQL_META_GET,
    SQL_STATEMENTS
};

/* A known feature. */
struct store_feature {
    uint64_t hash;
    uint32_t shown;   /* executions that showed it */
    uint32_t more;    /* of those, how many the table does not say yet */
    uint32_t seen_in; /* serial of the last execution that was counted; 0: free slot */
    uint8_t tries, shows, failed;
    bool stable : 1;
    bool busy : 1;    /* somebody tries it just now */
};
/* Open addressing; the slot count is a power of two, at most half of it is used. */
/* The stable features of one domain, in the order in which they became so. */
struct store_stable {
    uint64_t *items;
    size_t count, capacity;
};
struct store_index {
    struct store_feature *slots;
    size_t capacity, count;
    size_t *dirty; /* slots with more > 0 */
    size_t dirty_count, dirty_capacity;
    uint32_t serial;
    struct store_domain domains[256], all;
    struct store_stable stable[256];
    int64_t written_ns; /* when the counts went into the table, monotonic */
};

/* A member of the corpus, as the picks need it. */
struct store_member {
    int64_t number, task, ns;
    int64_t born_ms;     /* on the monotonic clock; before it began for members of an earlier run */
    double rarity;       /* when it was looked at last; it only falls, as features become more common */
    uint32_t selected, begot;
    uint32_t domain;     /* index */
};
struct store_members {
    struct store_member *items; /* by number */
    size_t count, capacity;
    char **domains;             /* of tasks, in the order of their first members */
    size_t domain_count;
    size_t turn;                /* the domain that was picked from last */
    double speed_sum;           /* of ln(ns) of all, for their geometric mean */
    bool loaded;
};

struct store {
    char *path; /* as the user gave it, for messages */
    char *file; /* absolute, for SQLite */
    bool writes;
    const struct store_step *steps; /* to the newest schema; their count is its version */
    int step_count;
    sqlite3 *db;
    sqlite3_stmt *statements[SQL_STATEMENTS];
    int lock_fd; /* -1 for readers */
    char *lock_file;

    pthread_mutex_t mutex;
    pthread_cond_t changed; /* the batch began, or the store closes */
    pthread_t committer;
    bool has_committer, closing;

    int64_t batch, batch_ms;  /* settings loop.batch, loop.batch-ms */
    int64_t confirm_need;     /* setting confirm.need */
    int64_t confirm_runs;     /* setting confirm.runs */
    int64_t keep_failed;      /* setting store.keep-failed */
    int64_t give_up;          /* setting feedback.give-up */
    const struct redactor *secrets; /* replaced in every text that is bound; NULL */
    bool touched;             /* the call that holds the mutex may have written */
    int64_t pending;          /* executions in the open transaction */
    int64_t pending_since_ns; /* when it was begun */
    struct error *failed;     /* met by the committer thread, told to the next caller that writes */

    struct store_index index;
    struct store_members members;
    uint64_t age;        /* how often a batch was given up: executions of an earlier age may not be in the file */
    int64_t spare_bytes; /* of the traces that may be dropped */
    int64_t next_run;    /* the run whose next index is known here; 0: none */
    uint64_t run_seed, next_index;
    int64_t stat_at_ms; /* when the last row of stat was written, monotonic; 0: none yet */
};

/* store_lock.c: takes or gives back the writer's lock. ERR_OUTPUT when somebody else has it. */
int store_lock(struct store *s, struct error **err);
void store_unlock(struct store *s);

/* store_schema.c. A step takes a database from version i to i + 1, in the transaction of all steps. */
struct store_step {
    const char *sql;
};
/* Looks at an open database. *version: 0 for an empty one. ERR_INPUT when it is not ours or newer than the
 * steps go. */
int store_schema_look(struct store *s, int *version, struct error **err);
/* Takes the database from `version` to the newest, all or nothing. */
int store_schema_migrate(struct store *s, int version, struct error **err);
extern const struct store_step store_schema_steps[STORE_SCHEMA];

/* store_sql.c. */
/* Sets *err from what SQLite says: ERR_INPUT for a database that is damaged or none, and for all that a
 * reader meets; else ERR_OUTPUT. */
int store_fault(const struct store *s, int result, struct error **err);
int store_exec_sql(struct store *s, const char *sql, struct error **err); /* no parameters, no rows */
int store_prepare(struct store *s, struct error **err);                   /* all statements */
void store_finalize(struct store *s);
/* Binds and steps. `types` has a letter for each parameter: i int64_t, r double, s const char * (NULL: ""), t const
 * char * (NULL: NULL), b struct bytes as BLOB, j struct bytes as TEXT, n nothing (NULL). 1: there is a row,
 * to be read from s->statements[which] and then either stepped on with store_next or given up with
 * store_done; 0: done. */
int store_step(struct store *s, enum store_statement which, struct error **err, const char *types, ...);
int store_next(struct store *s, enum store_statement which, struct error **err); /* as above */
void store_done(struct store *s, enum store_statement which);
/* For statements that give no rows, or none that matter: 0 or negative. */
#define store_do(s, which, err, ...) store_did(s, which, store_step(s, which, err, __VA_ARGS__))
int store_did(struct store *s, enum store_statement which, int status);
int64_t store_integer(const struct store *s, enum store_statement which, int column);
double store_real(const struct store *s, enum store_statement which, int column);
char *store_text(const struct store *s, enum store_statement which, int column, struct arena *a);

/* store.c. */
/* store_open with other steps than ours: for the tests of migration. */
int store_open_steps(const char *path, enum store_mode mode, const struct settings *settings,
                     const struct store_step *steps, int step_count, struct store **store,
                     struct error **err);
int store_reload(struct store *s, struct error **err); /* what is kept in memory, from the file */
/* A copy of a database as it is now, its log folded in, of whatever version; the original is only read. ERR_INPUT when it is none of ours. */
int store_copy(const char *path, const char *to, struct error **err);
int store_told(struct store *s, struct error **err);   /* 0, or what the committer thread met */
int store_begin(struct store *s, struct error **err);  /* the batch's transaction, when none is open */
int store_finish(struct store *s, struct error **err); /* commits when the batch is full or old */
int store_commit(struct store *s,
                 struct error **err); /* nothing to do is fine; on failure the batch is gone */
int store_commit_all(struct store *s, struct error **err); /* with the counts of features, however fresh */
/* Ends a public function that may have written: gives the batch up when it failed behind store_begin, lets go
 * of the mutex, returns status. What is checked before store_begin therefore costs nobody a batch. */
int store_leave(struct store *s, int status);
/* After a failed write: the batch is given up, what is in memory follows the file again. Returns status. */
int store_abandon(struct store *s, int status);

/* store_admit.c. */
/* Counts the features. In `fresh`, which has room for all: those that the table does not have yet; returns how many. Without trials *gained
 * says how many are not stable yet, and store_admit_new makes them so. */
size_t store_see_features(struct store *s, const struct store_execution *e, uint64_t *fresh, size_t *gained);
int store_admit_new(struct store *s, const struct store_execution *e, int64_t exec, struct error **err);

/* store_index.c. */
int store_index_load(struct store *s, struct error **err); /* from the table */
int store_index_need(struct store *s, struct error **err); /* the same for a reader, which has none otherwise, once */
void store_index_release(struct store_index *index);
void store_index_next(struct store_index *index); /* a new execution begins */
/* Counts a feature of the current execution; its slot, valid until the next one is counted. NULL: this execution has shown it already.
 * `shown` is 1 for one that was not known. */
struct store_feature *store_index_see(struct store_index *index, uint64_t hash);
struct store_feature *store_index_find(const struct store_index *index, uint64_t hash); /* NULL: not known */
void store_index_admit(struct store_index *index, struct store_feature *f);             /* it is stable */
bool store_index_due(const struct store_index *index); /* the counts have waited for a second */
int store_index_flush(struct store *s,
                      struct error **err); /* writes the counts, in the transaction that is open */
/* A feature's share in what makes a member rare: 1 / (features of its domain x executions that showed it). 0: it is not known, or not stable. */
double store_index_rarity(const struct store_index *index, uint64_t hash);

/* store_pick.c */
void store_members_release(struct store_members *m); /* they are loaded again with the next pick */
/* A task has joined the corpus, with the features of its execution. */
void store_members_add(struct store *s, const struct store_execution *e, int64_t number, int64_t task);
int store_members_need(struct store *s, struct error **err); /* they are loaded, if they were not */
/* The member is picked: its task goes into *picked, in `a`, and the pick counts. */
int store_picked_take(struct store *s, struct store_member *one, struct arena *a, struct store_picked *picked, struct error **err);
int store_pick_put(struct store *s, int64_t exec, const struct store_picked *picked, struct error **err);
int store_pick_begot(struct store *s, int64_t parent_task, struct error **err); /* a mutant of it has joined */

/* store_finding.c: the row at which SQL_FINDINGS stands. */
void store_read_finding(const struct store *s, struct arena *a, struct finding *f);

/* store_exec.c. */
int store_prune_traces(struct store *s, struct error **err); /* down to store.keep-failed, the oldest first */
int store_read_id(const struct store *s, const char *id, uint8_t hash[16], struct error **err); /* ERR_INPUT: no id */
/* parent: its row; 0: none. */
int store_join_corpus(struct store *s, const struct store_execution *e, int64_t task, int64_t parent, int64_t exec,
                      struct error **err);
int store_put_trace(struct store *s, const struct store_execution *e, int64_t exec, bool keep, struct error **err);
/* The row of a task; one with nothing but its id is made where there is none. */
int store_bare_task(struct store *s, const char *id, int64_t *row, struct error **err);

/* store_count.c */
bool store_stat_due(const struct store *s);
int store_stat(struct store *s, int64_t run, struct error **err); /* a row of the time series */

#endif
