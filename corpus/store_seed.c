/* Seeds, members one after the other, and where an input came from: its parents, mutators, run and file. */
#include "corpus/store_internal.h"

#include <stdio.h>
#include <string.h>

#include "base/encode.h"

enum { ORIGINS_MAX = 1000 /* parents of parents; a chain may run in a circle where a task was made in two ways */ };

/* ---- seeds ---- */

static int put_seed(struct store *s, int64_t run, const struct store_seed *seed, struct error **err)
{
    uint8_t hash[16];
    int64_t task;
    TRY(store_read_id(s, seed->task, hash, err));
    TRY(store_begin(s, err));
    TRY(store_bare_task(s, seed->task, &task, err));
    TRY(store_do(s, SQL_SEED_ADD, err, "isisi", task, seed->file, seed->line, seed->format, run));
    return store_finish(s, err);
}

int store_put_seed(struct store *s, int64_t run, const struct store_seed *seed, struct error **err)
{
    pthread_mutex_lock(&s->mutex);
    return store_leave(s, put_seed(s, run, seed, err));
}

static int look_executed(struct store *s, const char *task, const char *target, bool *executed, struct error **err)
{
    uint8_t hash[16];
    TRY(store_read_id(s, task, hash, err));
    int row = store_step(s, SQL_EXECUTED, err, "bt", bytes_of(hash, 16), target);
    *executed = row > 0;
    return store_did(s, SQL_EXECUTED, row);
}

int store_executed(struct store *s, const char *task, const char *target, bool *executed, struct error **err)
{
    pthread_mutex_lock(&s->mutex);
    int status = look_executed(s, task, target, executed, err);
    pthread_mutex_unlock(&s->mutex);
    return status;
}

/* ---- origins ---- */

/* The least and the greatest id that begin so; false: not 1 to 32 hex digits. */
static bool bounds_of(const char *prefix, uint8_t low[16], uint8_t high[16])
{
    char text[33];
    size_t len = strlen(prefix);
    if (!len || len > 32)
        return false;
    for (int upper = 0; upper < 2; upper++) {
        struct buf raw;
        buf_init(&raw, 16);
        memset(text, upper ? 'f' : '0', 32);
        memcpy(text, prefix, len);
        bool ok = hex_decode(&raw, bytes_of(text, 32)) == 0;
        if (ok)
            memcpy(upper ? high : low, raw.data, 16);
        buf_release(&raw);
        if (!ok)
            return false;
    }
    return true;
}

static int find_one(struct store *s, const char *id, int64_t *task, struct error **err)
{
    uint8_t low[16], high[16];
    if (!bounds_of(id, low, high))
        return error_set(err, ERR_INPUT, "found '%s', expected a task's id: up to 32 hex digits", id);
    int row = store_step(s, SQL_TASK_PREFIX, err, "bb", bytes_of(low, 16), bytes_of(high, 16));
    if (row < 0)
        return row;
    if (!row)
        return error_set(err, ERR_INPUT, "'%s' has no task %s", s->path, id);
    *task = store_integer(s, SQL_TASK_PREFIX, 0);
    row = store_next(s, SQL_TASK_PREFIX, err);
    if (row > 0)
        store_done(s, SQL_TASK_PREFIX);
    return row > 0 ? error_set(err, ERR_INPUT, "'%s' has several tasks that begin with %s", s->path, id) : row;
}

/* *task becomes its parent's, 0 when it has none. */
static int read_origin(struct store *s, int64_t *task, struct arena *a, struct store_origin *o, struct error **err)
{
    int row = store_step(s, SQL_ORIGIN, err, "i", *task);
    if (row <= 0)
        return row < 0 ? row : error_set(err, ERR_INPUT, "'%s' is damaged: it has no task %lld", s->path, (long long)*task);
    const char *id = store_text(s, SQL_ORIGIN, 0, a);
    *o = (struct store_origin){
        .domain = store_text(s, SQL_ORIGIN, 1, a),
        .workflow = store_text(s, SQL_ORIGIN, 2, a),
        .grammar = store_text(s, SQL_ORIGIN, 3, a),
        .seed = (uint64_t)store_integer(s, SQL_ORIGIN, 4),
        .index = (uint64_t)store_integer(s, SQL_ORIGIN, 5),
        .mutators = store_text(s, SQL_ORIGIN, 6, a),
        .times = store_integer(s, SQL_ORIGIN, 7),
        .first_ms = store_integer(s, SQL_ORIGIN, 10),
        .run = store_integer(s, SQL_ORIGIN, 11),
        .verb = store_text(s, SQL_ORIGIN, 12, a),
        .command = store_text(s, SQL_ORIGIN, 13, a),
        .target = store_text(s, SQL_ORIGIN, 14, a),
        .member = store_integer(s, SQL_ORIGIN, 15) != 0,
        .number = store_integer(s, SQL_ORIGIN, 15),
        .retired = store_integer(s, SQL_ORIGIN, 16) != 0,
        .json = store_text(s, SQL_ORIGIN, 9, a),
    };
    snprintf(o->id, sizeof o->id, "%s", id);
    if (!*o->json)
        o->json = NULL;
    int64_t parent = store_integer(s, SQL_ORIGIN, 8);
    store_done(s, SQL_ORIGIN);
    row = store_step(s, SQL_SEED_OF, err, "i", *task);
    if (row > 0) {
        o->file = store_text(s, SQL_SEED_OF, 0, a);
        o->line = store_integer(s, SQL_SEED_OF, 1);
        o->format = store_text(s, SQL_SEED_OF, 2, a);
    }
    *task = parent;
    return store_did(s, SQL_SEED_OF, row);
}

static int read_origins(struct store *s, const char *id, struct arena *a, struct store_origin **out, size_t *count,
                        struct error **err)
{
    int64_t task = 0;
    size_t capacity = 0;
    TRY(find_one(s, id, &task, err));
    while (task && *count < ORIGINS_MAX) {
        if (*count == capacity) {
            struct store_origin *old = *out;
            capacity = capacity ? 2 * capacity : 8;
            *out = arena_alloc(a, capacity * sizeof **out);
            if (*count)
                memcpy(*out, old, *count * sizeof **out);
        }
        TRY(read_origin(s, &task, a, &(*out)[*count], err));
        for (size_t i = 0; i < *count; i++)
            if (!strcmp((*out)[i].id, (*out)[*count].id)) /* a circle */
                return 0;
        ++*count;
    }
    return 0;
}

int store_member_after(struct store *s, int64_t number, struct arena *a, struct store_member_view *m, struct error **err)
{
    pthread_mutex_lock(&s->mutex);
    int row = store_step(s, SQL_MEMBER_AFTER, err, "i", number);
    if (row > 0) {
        *m = (struct store_member_view){
            .number = store_integer(s, SQL_MEMBER_AFTER, 0),
            .task = store_integer(s, SQL_MEMBER_AFTER, 1),
            .json = store_text(s, SQL_MEMBER_AFTER, 3, a),
            .features = store_integer(s, SQL_MEMBER_AFTER, 4),
            .gained = store_integer(s, SQL_MEMBER_AFTER, 5),
            .ns = store_integer(s, SQL_MEMBER_AFTER, 6),
        };
        snprintf(m->id, sizeof m->id, "%s", store_text(s, SQL_MEMBER_AFTER, 2, a));
        store_done(s, SQL_MEMBER_AFTER);
    }
    pthread_mutex_unlock(&s->mutex);
    return row;
}

int store_origins(struct store *s, const char *id, struct arena *a, struct store_origin **out, size_t *count, struct error **err)
{
    *out = NULL;
    *count = 0;
    pthread_mutex_lock(&s->mutex);
    int status = read_origins(s, id, a, out, count, err);
    pthread_mutex_unlock(&s->mutex);
    return status;
}
