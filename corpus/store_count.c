/* Counters, totals, and the time series of a run. */
#include "corpus/store_internal.h"

#include <string.h>

#include "base/clock.h"

enum { STAT_MS = 10000 };

/* ---- the time series ---- */

bool store_stat_due(const struct store *s)
{
    return !s->stat_at_ms || clock_monotonic_ns() / 1000000 - s->stat_at_ms >= STAT_MS;
}

int store_stat(struct store *s, int64_t run, struct error **err)
{
    if (run <= 0)
        return 0;
    s->stat_at_ms = clock_monotonic_ns() / 1000000;
    return store_do(s, SQL_STAT_ADD, err, "iii", run, clock_wall_ms(), s->index.all.stable);
}

static int read_stats(struct store *s, struct arena *a, struct store_stat **out, size_t *count, struct error **err)
{
    size_t capacity = 0;
    int more = store_step(s, SQL_STATS, err, "");
    for (; more > 0; more = store_next(s, SQL_STATS, err)) {
        if (*count == capacity) {
            struct store_stat *old = *out;
            capacity = capacity ? 2 * capacity : 64;
            *out = arena_alloc(a, capacity * sizeof **out);
            if (*count)
                memcpy(*out, old, *count * sizeof **out);
        }
        struct store_stat *row = &(*out)[(*count)++];
        int64_t *places[] = {&row->at_ms, &row->run, &row->executions, &row->features, &row->corpus, &row->findings};
        for (int i = 0; i < 6; i++)
            *places[i] = store_integer(s, SQL_STATS, i);
    }
    return more;
}

int store_stats(struct store *s, struct arena *a, struct store_stat **out, size_t *count, struct error **err)
{
    *out = NULL;
    *count = 0;
    pthread_mutex_lock(&s->mutex);
    int status = read_stats(s, a, out, count, err);
    pthread_mutex_unlock(&s->mutex);
    return status;
}

/* ---- totals ---- */

/* Reads the first row's integers into the places listed. */
static int read_row(struct store *s, enum store_statement which, int64_t *const *places, int count,
                    struct error **err)
{
    int row = store_step(s, which, err, "");
    if (row <= 0)
        return row;
    for (int i = 0; i < count; i++)
        *places[i] = store_integer(s, which, i);
    store_done(s, which);
    return 0;
}

static int read_totals(struct store *s, struct store_totals *t, struct error **err)
{
    int64_t *execs[] = {&t->executions, &t->executed, &t->passed, &t->failed, &t->skipped, &t->harness};
    int64_t *kept[] = {&t->tasks, &t->corpus, &t->features};
    int64_t *findings[] = {&t->findings, &t->confirmed};
    int64_t *runs[] = {&t->runs};
    TRY(read_row(s, SQL_TOTAL_RUNS, runs, 1, err));
    TRY(read_row(s, SQL_TOTAL_EXECS, execs, 6, err));
    TRY(read_row(s, SQL_TOTAL_KEPT, kept, 3, err));
    return read_row(s, SQL_TOTAL_FINDINGS, findings, 2, err);
}

int store_totals(struct store *s, struct store_totals *t, struct error **err)
{
    *t = (struct store_totals){0};
    pthread_mutex_lock(&s->mutex);
    int status = read_totals(s, t, err);
    pthread_mutex_unlock(&s->mutex);
    return status;
}

/* ---- names with counts ---- */

/* Appends to a growing array in the arena; what it outgrows stays there until the arena goes. */
static struct store_count *add_count(struct arena *a, struct store_count **list, size_t *count)
{
    if (!*count || (*count >= 8 && !(*count & (*count - 1)))) {
        size_t capacity = *count < 8 ? 8 : 2 * *count;
        struct store_count *bigger = arena_alloc(a, capacity * sizeof *bigger);
        for (size_t i = 0; i < *count; i++)
            bigger[i] = (*list)[i];
        *list = bigger;
    }
    return &(*list)[(*count)++];
}

static int read_skips(struct store *s, struct arena *a, struct store_count **out, size_t *count, struct error **err)
{
    *out = NULL;
    *count = 0;
    int row = store_step(s, SQL_SKIPS, err, "");
    for (; row > 0; row = store_next(s, SQL_SKIPS, err))
        *add_count(a, out, count) = (struct store_count){.name = store_text(s, SQL_SKIPS, 0, a), .count = store_integer(s, SQL_SKIPS, 1)};
    return row;
}

int store_skips(struct store *s, struct arena *a, struct store_count **out, size_t *count, struct error **err)
{
    pthread_mutex_lock(&s->mutex);
    int status = read_skips(s, a, out, count, err);
    pthread_mutex_unlock(&s->mutex);
    return status;
}

static int add_counter(struct store *s, const char *kind, const char *name, int64_t tried, int64_t won, int64_t ns,
                       struct error **err)
{
    TRY(store_begin(s, err));
    TRY(store_do(s, SQL_COUNTER_ADD, err, "ssiii", kind, name, tried, won, ns));
    return store_finish(s, err);
}

int store_count(struct store *s, const char *kind, const char *name, int64_t tried, int64_t won, int64_t ns, struct error **err)
{
    pthread_mutex_lock(&s->mutex);
    return store_leave(s, add_counter(s, kind, name, tried, won, ns, err));
}

static int read_yields(struct store *s, const char *kind, struct arena *a, struct store_yield **out, size_t *count, struct error **err)
{
    size_t capacity = 0;
    *out = NULL;
    *count = 0;
    int row = store_step(s, SQL_COUNTERS, err, "s", kind);
    for (; row > 0; row = store_next(s, SQL_COUNTERS, err)) {
        if (*count == capacity) { /* what is outgrown stays in the arena until that goes */
            struct store_yield *bigger = arena_alloc(a, (capacity = capacity ? 2 * capacity : 16) * sizeof *bigger);
            for (size_t i = 0; i < *count; i++)
                bigger[i] = (*out)[i];
            *out = bigger;
        }
        (*out)[(*count)++] = (struct store_yield){.name = store_text(s, SQL_COUNTERS, 0, a),
                                                  .tried = store_integer(s, SQL_COUNTERS, 1),
                                                  .won = store_integer(s, SQL_COUNTERS, 2),
                                                  .ns = store_integer(s, SQL_COUNTERS, 3)};
    }
    return row;
}

int store_yields(struct store *s, const char *kind, struct arena *a, struct store_yield **out, size_t *count, struct error **err)
{
    pthread_mutex_lock(&s->mutex);
    int status = read_yields(s, kind, a, out, count, err);
    pthread_mutex_unlock(&s->mutex);
    return status;
}

/* ---- suppressions ---- */

static const char suppressions[] = "suppressions";

static int put_suppressions(struct store *s, const char *text, struct error **err)
{
    TRY(store_begin(s, err));
    TRY(store_do(s, SQL_META_PUT, err, "ss", suppressions, text));
    return store_commit(s, err);
}

int store_put_suppressions(struct store *s, const char *text, struct error **err)
{
    pthread_mutex_lock(&s->mutex);
    return store_leave(s, put_suppressions(s, text, err));
}

int store_suppressions(struct store *s, struct arena *a, const char **text, struct error **err)
{
    *text = "";
    pthread_mutex_lock(&s->mutex);
    int row = store_step(s, SQL_META_GET, err, "s", suppressions);
    if (row > 0) {
        *text = store_text(s, SQL_META_GET, 0, a);
        store_done(s, SQL_META_GET);
    }
    pthread_mutex_unlock(&s->mutex);
    return row < 0 ? row : 0;
}
