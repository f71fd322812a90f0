/* How a feature becomes stable, and a task a member of the corpus.
 *
 * A feature that an execution shows and that nobody has found stable is handed out with it (store_trials). The caller runs the task again as
 * often as it takes and says what came of it (store_admit). What is known so far is kept with the feature, so trials go on with the next task
 * that shows it, also of a later run.
 *
 * Invariant: what is handed out is busy in the index until store_admit, or until the index is read from the file anew because a batch was
 * given up; by its age store_admit knows that its execution went with that. */
#include "corpus/store_internal.h"

#include <string.h>

/* Hands a feature that is not stable out to whoever tries it; not twice at a time, and not again when it failed too often. */
static void hand_out(const struct store *s, struct store_feature *f, struct store_trials *trials)
{
    if (f->stable || f->busy || f->failed >= s->give_up)
        return;
    f->busy = true;
    trials->items[trials->count++] = (struct store_trial){.feature = f->hash, .tries = f->tries, .shows = f->shows};
}

/* What may let a task in only beside others is no reason to try any of it. */
static void take_back_weak(struct store *s, const struct store_execution *e)
{
    struct store_trials *t = e->trials;
    bool strong = false;
    for (size_t i = 0; i < t->count; i++)
        strong |= !(e->weak >> (t->items[i].feature >> 56 & 63) & 1);
    for (size_t i = 0; i < t->count && !strong; i++)
        store_index_find(&s->index, t->items[i].feature)->busy = false;
    t->count = strong ? t->count : 0;
}

size_t store_see_features(struct store *s, const struct store_execution *e, uint64_t *fresh, size_t *gained)
{
    size_t count = 0;
    if (e->trials)
        *e->trials = (struct store_trials){.items = e->trials->items, .age = s->age};
    store_index_next(&s->index);
    for (size_t i = 0; i < e->feature_count; i++) {
        size_t known = s->index.count;
        struct store_feature *f = store_index_see(&s->index, e->features[i]);
        if (!f)
            continue;
        if (s->index.count > known)
            fresh[count++] = f->hash;
        if (e->trials)
            hand_out(s, f, e->trials);
        else
            *gained += !f->stable;
    }
    if (e->trials)
        take_back_weak(s, e);
    return count;
}

/* Writes what is known of a feature; stable ones were brought by `exec`. */
static int put_tried(struct store *s, const struct store_feature *f, const char *text, int64_t exec, struct error **err)
{
    return store_do(s, SQL_FEATURE_TRIED, err, f->stable ? "iiiiti" : "iiiit", (int64_t)f->hash, (int64_t)f->tries, (int64_t)f->shows,
                    (int64_t)f->failed, text, exec);
}

int store_admit_new(struct store *s, const struct store_execution *e, int64_t exec, struct error **err)
{
    for (size_t i = 0; i < e->feature_count; i++) {
        struct store_feature *f = store_index_find(&s->index, e->features[i]);
        if (f->stable)
            continue;
        store_index_admit(&s->index, f);
        TRY(put_tried(s, f, NULL, exec, err));
    }
    return 0;
}

static int end_trial(struct store *s, const struct store_trial *t, bool joins, int64_t exec, struct error **err)
{
    struct store_feature *f = store_index_find(&s->index, t->feature);
    if (!f)
        return 0; /* cannot be: what was handed out is in the table of this age */
    bool changed = t->stable || t->failed || t->tries != f->tries;
    f->busy = false;
    f->tries = t->failed ? 0 : (uint8_t)t->tries;
    f->shows = t->failed ? 0 : (uint8_t)t->shows;
    f->failed = (uint8_t)(f->failed + (t->failed && f->failed < UINT8_MAX));
    if (t->stable && joins)
        store_index_admit(&s->index, f);
    return changed ? put_tried(s, f, t->text, exec, err) : 0;
}

static int join(struct store *s, const struct store_execution *e, size_t gained, struct error **err)
{
    int row = store_step(s, SQL_EXEC_TASK, err, "i", e->trials->exec);
    if (row < 0)
        return row;
    int64_t task = store_integer(s, SQL_EXEC_TASK, 0), parent = 0;
    store_done(s, SQL_EXEC_TASK);
    TRY(store_do(s, SQL_EXEC_GAINED, err, "ii", e->trials->exec, (int64_t)gained));
    if (e->parent)
        TRY(store_bare_task(s, e->parent, &parent, err));
    return store_join_corpus(s, e, task, parent, e->trials->exec, err);
}

static int admit(struct store *s, const struct store_execution *e, bool joins, size_t *gained, struct error **err)
{
    const struct store_trials *t = e->trials;
    size_t stable = 0;
    TRY(store_begin(s, err));
    if (t->age != s->age)
        return 0; /* the batch with the execution was given up, and what was handed out with it */
    for (size_t i = 0; i < t->count; i++) {
        stable += t->items[i].stable;
        TRY(end_trial(s, &t->items[i], joins, t->exec, err));
    }
    joins = joins && stable;
    if (joins)
        TRY(join(s, e, stable, err));
    TRY(store_put_trace(s, e, t->exec, joins, err));
    *gained = joins ? stable : 0;
    return store_finish(s, err);
}

int store_admit(struct store *s, const struct store_execution *e, bool joins, size_t *gained, struct error **err)
{
    *gained = 0;
    if (!e->trials->count)
        return 0;
    pthread_mutex_lock(&s->mutex);
    return store_leave(s, admit(s, e, joins, gained, err));
}

/* ---- what a member showed ---- */

static int read_shown(struct store *s, const uint8_t hash[16], struct arena *a, struct store_shown **out, size_t *count, struct error **err)
{
    size_t capacity = 0;
    int row = store_step(s, SQL_FEATURES_SHOWN, err, "b", bytes_of(hash, 16));
    for (; row > 0; row = store_next(s, SQL_FEATURES_SHOWN, err)) {
        if (*count == capacity) {
            struct store_shown *old = *out;
            capacity = capacity ? 2 * capacity : 64;
            *out = arena_alloc(a, capacity * sizeof **out);
            if (*count)
                memcpy(*out, old, *count * sizeof **out);
        }
        (*out)[(*count)++] = (struct store_shown){
            .feature = (uint64_t)store_integer(s, SQL_FEATURES_SHOWN, 0),
            .text = store_text(s, SQL_FEATURES_SHOWN, 1, a),
            .brought = store_integer(s, SQL_FEATURES_SHOWN, 2) != 0,
            .stable = store_integer(s, SQL_FEATURES_SHOWN, 3) != 0,
            .shown = store_integer(s, SQL_FEATURES_SHOWN, 4),
        };
    }
    return row;
}

int store_shown(struct store *s, const char *task, struct arena *a, struct store_shown **out, size_t *count, struct error **err)
{
    uint8_t hash[16];
    *out = NULL;
    *count = 0;
    TRY(store_read_id(s, task, hash, err));
    pthread_mutex_lock(&s->mutex);
    int status = read_shown(s, hash, a, out, count, err);
    pthread_mutex_unlock(&s->mutex);
    return status;
}

/* ---- what domains were good for ---- */

static int read_yields(struct store *s, struct store_domain_yield yields[256], struct error **err)
{
    int row = store_step(s, SQL_FEATURES_LET_IN, err, "");
    for (; row > 0; row = store_next(s, SQL_FEATURES_LET_IN, err))
        yields[store_integer(s, SQL_FEATURES_LET_IN, 0) & 255].let_in = store_integer(s, SQL_FEATURES_LET_IN, 1);
    if (row < 0)
        return row;
    row = store_step(s, SQL_FEATURES_ALONE, err, "");
    for (; row > 0; row = store_next(s, SQL_FEATURES_ALONE, err))
        yields[store_integer(s, SQL_FEATURES_ALONE, 0) & 255].alone = store_integer(s, SQL_FEATURES_ALONE, 1);
    return row;
}

int store_domain_yields(struct store *s, struct store_domain_yield yields[256], struct error **err)
{
    memset(yields, 0, 256 * sizeof *yields);
    pthread_mutex_lock(&s->mutex);
    int status = read_yields(s, yields, err);
    pthread_mutex_unlock(&s->mutex);
    return status;
}
