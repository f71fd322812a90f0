/* Findings under other names: what other rules of texts make of a signature, and merging those that have become the same.
 *
 * Invariant: all of it is one transaction, and a signature that ever found a finding still does. */
#include "corpus/store_internal.h"

#include <string.h>

struct row {
    int rank;             /* of its state, 0 the worst */
    int64_t steps, bytes; /* of its task */
};

static int rank_of(const char *state)
{
    static const enum finding_state worst_first[] = {FINDING_REGRESSED, FINDING_CONFIRMED,   FINDING_FLAKY,
                                                     FINDING_NEW,       FINDING_UNCONFIRMED, FINDING_FIXED};
    enum { STATES = sizeof worst_first / sizeof *worst_first };
    int rank = 0;
    while (rank < STATES && strcmp(finding_state_name(worst_first[rank]), state))
        rank++;
    return rank;
}

static int look(struct store *s, const char *signature, struct row *row, bool *there, struct error **err)
{
    int found = store_step(s, SQL_FINDING_GET, err, "s", signature);
    *there = found > 0;
    if (found <= 0)
        return found;
    row->rank = rank_of((const char *)sqlite3_column_text(s->statements[SQL_FINDING_GET], 0));
    row->steps = store_integer(s, SQL_FINDING_GET, 1);
    row->bytes = store_integer(s, SQL_FINDING_GET, 2);
    store_done(s, SQL_FINDING_GET);
    return 0;
}

/* The one finding that has exactly this signature. */
static int get(struct store *s, const char *signature, struct arena *a, struct finding *f, struct error **err)
{
    int more = store_step(s, SQL_FINDINGS, err, "s", signature);
    for (; more > 0; more = store_next(s, SQL_FINDINGS, err)) {
        store_read_finding(s, a, f);
        if (!strcmp(f->signature, signature)) {
            store_done(s, SQL_FINDINGS);
            return 0;
        }
    }
    return more < 0 ? more : error_set(err, ERR_INPUT, "'%s' has no finding %s", s->path, signature);
}

/* The other one is there: what is worse, and what is smaller, goes over to it. */
static int merge(struct store *s, const struct finding *f, const struct row *mine, const char *to, const struct row *theirs,
                 struct error **err)
{
    TRY(store_do(s, SQL_FINDING_MERGE, err, "ss", f->signature, to));
    if (mine->rank < theirs->rank)
        TRY(store_do(s, SQL_FINDING_STATE, err, "ssiii", to, finding_state_name(f->state), (int64_t)f->n_failed, (int64_t)f->n_run,
                     f->tested_ms));
    bool smaller = mine->steps != theirs->steps ? mine->steps < theirs->steps : mine->bytes < theirs->bytes;
    if (!smaller)
        return 0;
    TRY(store_do(s, SQL_FINDING_TASK, err, "ssisssss", to, f->task, f->task_steps, f->title, f->evidence, f->target, f->identity, f->wire));
    return store_do(s, SQL_FINDING_SHRUNK, err, "si", to, (int64_t)f->shrunk);
}

static int rename_it(struct store *s, const char *old, const struct finding *to, bool *merged, struct arena *a, struct error **err)
{
    struct row mine = {0}, theirs = {0};
    struct finding f;
    bool there;
    TRY(look(s, old, &mine, &there, err));
    TRY(get(s, old, a, &f, err));
    TRY(look(s, to->signature, &theirs, merged, err));
    TRY(store_begin(s, err));
    if (*merged)
        TRY(merge(s, &f, &mine, to->signature, &theirs, err));
    else
        TRY(store_do(s, SQL_FINDING_RENAME, err, "ssss", old, to->signature, to->text, to->detail));
    TRY(store_do(s, SQL_SIGHTING_MERGE, err, "ss", old, to->signature));
    TRY(store_do(s, SQL_SIGHTING_DROP, err, "s", old));
    TRY(store_do(s, SQL_ALIAS_MOVE, err, "ss", old, to->signature));
    TRY(store_do(s, SQL_FINDING_DROP, err, "s", old));
    TRY(store_do(s, SQL_ALIAS_DROP, err, "s", to->signature)); /* back at a name it had: that is no other name any more */
    TRY(store_do(s, SQL_ALIAS_ADD, err, "ss", old, to->signature));
    return store_commit(s, err);
}

int store_rename(struct store *s, const char *old, const struct finding *to, bool *merged, struct error **err)
{
    struct arena a;
    *merged = false;
    if (!strcmp(old, to->signature))
        return 0;
    arena_init(&a);
    pthread_mutex_lock(&s->mutex);
    int status = store_leave(s, rename_it(s, old, to, merged, &a, err));
    arena_release(&a);
    return status;
}

static int read_aliases(struct store *s, const char *signature, struct arena *a, const char ***out, size_t *count, struct error **err)
{
    size_t capacity = 0;
    int more = store_step(s, SQL_ALIASES, err, "s", signature);
    for (; more > 0; more = store_next(s, SQL_ALIASES, err)) {
        if (*count == capacity) {
            const char **old = *out;
            capacity = capacity ? 2 * capacity : 8;
            *out = arena_alloc(a, capacity * sizeof **out);
            if (*count)
                memcpy(*out, old, *count * sizeof **out);
        }
        (*out)[(*count)++] = store_text(s, SQL_ALIASES, 0, a);
    }
    return more;
}

int store_aliases(struct store *s, const char *signature, struct arena *a, const char ***out, size_t *count, struct error **err)
{
    *out = NULL;
    *count = 0;
    pthread_mutex_lock(&s->mutex);
    int status = read_aliases(s, signature, a, out, count, err);
    pthread_mutex_unlock(&s->mutex);
    return status;
}
