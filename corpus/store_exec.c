/* Runs, executions, and the corpus that grows out of them.
 *
 * What is kept of an execution: its row always; what its steps showed when it brought a feature, and of
 * failed ones the newest store.keep-failed bytes; the task's JSON when it brought a feature. Every other task
 * can be made again from seed, index and grammar, or is a mutant that taught nothing. */
#include "corpus/store_internal.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/encode.h"

enum { JSON_MAX = 1 << 30 };

static const char *const outcome_names[] = {
    [EXECUTION_PASSED] = "passed",
    [EXECUTION_FAILED] = "failed",
    [EXECUTION_SKIPPED] = "skipped",
    [EXECUTION_HARNESS] = "harness",
};

static const char *const ending_names[] = {
    [ENDING_WELL] = "",
    [ENDING_TIMED_OUT] = "timed-out",
    [ENDING_PAGE_CRASHED] = "page-crashed",
    [ENDING_REFUSING] = "refusing",
    [ENDING_SILENT] = "silent",
    [ENDING_LOST] = "lost",
    [ENDING_OUT_OF_MEMORY] = "out-of-memory",
    [ENDING_DIED] = "died",
};

const char *execution_ending_name(enum execution_ending ending)
{
    return ending_names[ending];
}

/* ---- runs ---- */

static int run_begin(struct store *s, const struct store_run *run, int64_t *id, struct error **err)
{
    TRY(store_begin(s, err));
    TRY(store_do(s, SQL_RUN_ADD, err, "ssssisi", run->verb, run->command, run->target, run->grammar,
                 (int64_t)run->seed, run->settings, clock_wall_ms()));
    *id = sqlite3_last_insert_rowid(s->db);
    return store_commit(s, err);
}

int store_run_begin(struct store *s, const struct store_run *run, int64_t *id, struct error **err)
{
    pthread_mutex_lock(&s->mutex);
    return store_leave(s, run_begin(s, run, id, err));
}

static int run_end(struct store *s, int64_t id, const char *identity, struct error **err)
{
    TRY(store_begin(s, err));
    TRY(store_do(s, SQL_RUN_END, err, "isi", id, identity, clock_wall_ms()));
    TRY(store_stat(s, id, err));
    return store_commit_all(s, err);
}

int store_run_end(struct store *s, int64_t id, const char *identity, struct error **err)
{
    pthread_mutex_lock(&s->mutex);
    return store_leave(s, run_end(s, id, identity, err));
}

static int run_refused(struct store *s, int64_t id, struct error **err)
{
    TRY(store_begin(s, err));
    TRY(store_do(s, SQL_RUN_REFUSED, err, "i", id));
    return store_finish(s, err);
}

int store_run_refused(struct store *s, int64_t id, struct error **err)
{
    pthread_mutex_lock(&s->mutex);
    return store_leave(s, run_refused(s, id, err));
}

int store_next_index(struct store *s, uint64_t seed, const char *grammar, const char *target, uint64_t *index,
                     struct error **err)
{
    pthread_mutex_lock(&s->mutex);
    uint64_t next = 0;
    int more = store_step(s, SQL_RUN_NEXTS, err, "ist", (int64_t)seed, grammar, target);
    for (; more > 0; more = store_next(s, SQL_RUN_NEXTS, err)) {
        uint64_t one = (uint64_t)store_integer(s, SQL_RUN_NEXTS, 0);
        next = one > next ? one : next;
    }
    pthread_mutex_unlock(&s->mutex);
    if (more < 0)
        return more;
    *index = next;
    return 0;
}

/* A fresh task moves its run's next index on. */
static int note_index(struct store *s, const struct store_execution *e, struct error **err)
{
    if (e->parent || e->run <= 0)
        return 0;
    if (s->next_run != e->run) {
        int row = store_step(s, SQL_RUN_NEXT, err, "i", e->run);
        if (row <= 0)
            return row < 0 ? row
                           : error_set(err, ERR_INPUT, "'%s' has no run %lld", s->path, (long long)e->run);
        s->next_run = e->run;
        s->run_seed = (uint64_t)store_integer(s, SQL_RUN_NEXT, 0);
        s->next_index = (uint64_t)store_integer(s, SQL_RUN_NEXT, 1);
        store_done(s, SQL_RUN_NEXT);
    }
    uint64_t index = e->task->index;
    if (e->task->seed != s->run_seed || index < s->next_index)
        return 0;
    s->next_index = index + (index < UINT64_MAX);
    return store_do(s, SQL_RUN_NEXT_SET, err, "ii", e->run, (int64_t)s->next_index);
}

/* ---- tasks ---- */

int store_read_id(const struct store *s, const char *id, uint8_t hash[16], struct error **err)
{
    struct buf raw;
    buf_init(&raw, 16);
    int status = strlen(id) == 32 ? hex_decode(&raw, bytes_of_string(id)) : -1;
    if (status < 0 || raw.len != 16)
        status = error_set(err, ERR_INPUT, "'%s' cannot keep a task with the id '%s', expected 32 hex digits",
                           s->path, id);
    else
        memcpy(hash, raw.data, 16);
    buf_release(&raw);
    return status;
}

/* The row of a task that may be there; 0 in *row when it is not. */
static int find_task(struct store *s, const uint8_t hash[16], int64_t *row, bool *whole, struct error **err)
{
    int found = store_step(s, SQL_TASK_FIND, err, "b", bytes_of(hash, 16));
    *row = found > 0 ? store_integer(s, SQL_TASK_FIND, 0) : 0;
    *whole = found > 0 && store_integer(s, SQL_TASK_FIND, 1);
    return store_did(s, SQL_TASK_FIND, found);
}

int store_bare_task(struct store *s, const char *id, int64_t *row, struct error **err)
{
    uint8_t hash[16];
    bool whole;
    TRY(store_read_id(s, id, hash, err));
    TRY(find_task(s, hash, row, &whole, err));
    if (*row)
        return 0;
    TRY(store_do(s, SQL_TASK_ADD, err, "bnnnnni", bytes_of(hash, 16), (int64_t)0));
    *row = sqlite3_last_insert_rowid(s->db);
    return 0;
}

/* The mutators of a task in their order, with one blank between; "" where there are none. */
static void list_mutators(const struct task *t, struct buf *out)
{
    for (const struct json *m = t->mutations->first; m; m = m->next) {
        if (out->len)
            buf_add_byte(out, ' ');
        buf_add(out, json_as_text(json_get(m, "mutator")));
    }
}

static int put_task_row(struct store *s, const struct store_execution *e, const uint8_t hash[16], int64_t *row, int64_t parent,
                        const char *mutators, struct error **err)
{
    const struct task *t = e->task;
    int64_t seed = (int64_t)t->seed, index = (int64_t)t->index;
    if (*row) /* a parent that was never executed, or a seed: now it is known whole */
        return store_do(s, SQL_TASK_FILL, err, parent ? "isssiiti" : "isssiit", *row, t->domain, t->workflow, t->grammar_hash, seed,
                        index, mutators, parent);
    TRY(store_do(s, SQL_TASK_ADD, err, parent ? "bsssiiiti" : "bsssiiit", bytes_of(hash, 16), t->domain, t->workflow, t->grammar_hash,
                 seed, index, (int64_t)1, mutators, parent));
    *row = sqlite3_last_insert_rowid(s->db);
    return 0;
}

static int task_row(struct store *s, const struct store_execution *e, int64_t parent, int64_t *row, struct error **err)
{
    uint8_t hash[16];
    bool whole;
    struct buf mutators;
    TRY(store_read_id(s, e->task->id, hash, err));
    TRY(find_task(s, hash, row, &whole, err));
    if (*row && whole)
        return store_do(s, SQL_TASK_AGAIN, err, "i", *row);
    buf_init(&mutators, JSON_MAX);
    list_mutators(e->task, &mutators);
    int status = put_task_row(s, e, hash, row, parent, mutators.len ? buf_string(&mutators) : NULL, err);
    buf_release(&mutators);
    return status;
}

/* ---- executions ---- */

static int put_new_features(struct store *s, const uint64_t *fresh, size_t count, int64_t exec,
                            struct error **err)
{
    for (size_t i = 0; i < count; i++)
        TRY(store_do(s, SQL_FEATURE_ADD, err, "ii", (int64_t)fresh[i], exec));
    return 0;
}

/* With all its features, not only the new ones: what the corpus can do without is found from these rows. */
int store_join_corpus(struct store *s, const struct store_execution *e, int64_t task, int64_t parent, int64_t exec,
                      struct error **err)
{
    struct buf json;
    buf_init(&json, JSON_MAX);
    task_write(e->task, &json);
    int status = json.overflow ? error_set(err, ERR_LIMIT, "task %s is longer than %d bytes", e->task->id,
                                           (int)JSON_MAX)
                               : store_do(s, SQL_TASK_JSON, err, "ij", task, buf_bytes(&json));
    buf_release(&json);
    if (!status)
        status = store_do(s, SQL_CORPUS_ADD, err, "ii", task, exec);
    if (!status && sqlite3_changes(s->db) == 1)
        store_members_add(s, e, sqlite3_last_insert_rowid(s->db), task);
    if (!status && parent)
        status = store_pick_begot(s, parent, err);
    for (size_t i = 0; i < e->feature_count && !status; i++)
        status = store_do(s, SQL_TASK_FEATURE_ADD, err, "ii", task, (int64_t)e->features[i]);
    return status;
}

int store_prune_traces(struct store *s, struct error **err)
{
    while (s->spare_bytes > s->keep_failed) {
        int row = store_step(s, SQL_TRACE_OLDEST, err, "");
        if (row <= 0)
            return row;
        int64_t oldest = store_integer(s, SQL_TRACE_OLDEST, 0);
        s->spare_bytes -= store_integer(s, SQL_TRACE_OLDEST, 1);
        store_done(s, SQL_TRACE_OLDEST);
        TRY(store_do(s, SQL_TRACE_DROP, err, "i", oldest));
    }
    return 0;
}

int store_put_trace(struct store *s, const struct store_execution *e, int64_t exec, bool keep, struct error **err)
{
    if (!keep && e->outcome != EXECUTION_FAILED)
        return 0;
    const char *steps = e->steps || !e->make_steps ? e->steps : e->make_steps(e->make_user);
    if (!steps || !*steps)
        return 0;
    int64_t bytes = (int64_t)strlen(steps);
    TRY(store_do(s, SQL_TRACE_ADD, err, "iiis", exec, (int64_t)keep, bytes, steps));
    if (keep)
        return 0;
    s->spare_bytes += bytes;
    return store_prune_traces(s, err);
}

static int put_rows(struct store *s, const struct store_execution *e, const uint64_t *fresh, size_t fresh_count, size_t gained,
                    struct error **err)
{
    int64_t parent = 0, task, exec;
    if (e->parent)
        TRY(store_bare_task(s, e->parent, &parent, err));
    TRY(task_row(s, e, parent, &task, err));
    TRY(store_do(s, SQL_EXEC_ADD, err, e->run > 0 ? "isitiiittti" : "isitiiittt", task, outcome_names[e->outcome],
                 (int64_t)e->executed, e->outcome == EXECUTION_SKIPPED ? e->skip_reason : NULL,
                 clock_wall_ms(), e->ns, (int64_t)gained, e->ending ? execution_ending_name(e->ending) : NULL,
                 e->ending ? e->ending_op : NULL, e->outcome == EXECUTION_FAILED ? e->why : NULL, e->run));
    exec = sqlite3_last_insert_rowid(s->db);
    TRY(put_new_features(s, fresh, fresh_count, exec, err));
    if (gained) {
        TRY(store_admit_new(s, e, exec, err));
        TRY(store_join_corpus(s, e, task, parent, exec, err));
    }
    if (e->picked)
        TRY(store_pick_put(s, exec, e->picked, err));
    bool waits = e->trials && e->trials->count; /* store_admit knows what to do with the trace */
    if (e->trials)
        e->trials->exec = exec;
    if (!waits)
        TRY(store_put_trace(s, e, exec, gained > 0, err));
    return note_index(s, e, err);
}

static int put_execution(struct store *s, const struct store_execution *e, size_t *new_features,
                         struct error **err)
{
    uint8_t hash[16];
    TRY(store_read_id(s, e->task->id, hash, err));
    if (e->parent)
        TRY(store_read_id(s, e->parent, hash, err));
    TRY(store_begin(s, err));
    uint64_t *fresh = xmalloc((e->feature_count + 1) * sizeof *fresh);
    size_t fresh_count = store_see_features(s, e, fresh, new_features);
    int status = put_rows(s, e, fresh, fresh_count, *new_features, err);
    free(fresh);
    if (status < 0)
        return status;
    s->pending++;
    if (store_stat_due(s))
        TRY(store_stat(s, e->run, err));
    return store_finish(s, err);
}

int store_put_execution(struct store *s, const struct store_execution *e, size_t *new_features,
                        struct error **err)
{
    pthread_mutex_lock(&s->mutex);
    *new_features = 0;
    if (e->trials)
        e->trials->count = 0;
    return store_leave(s, put_execution(s, e, new_features, err));
}
