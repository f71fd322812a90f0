/* Findings: one row a signature, and how often each run saw it.
 *
 * What belongs to the smallest task (its title, evidence, target and identity) changes together with it, so
 * that a replay runs what the evidence speaks of on the target it speaks of. */
#include "corpus/store_internal.h"

#include <string.h>

#include "base/clock.h"

static const char *const state_names[] = {
    [FINDING_NEW] = "new",     [FINDING_CONFIRMED] = "confirmed",
    [FINDING_FLAKY] = "flaky", [FINDING_UNCONFIRMED] = "unconfirmed",
    [FINDING_FIXED] = "fixed", [FINDING_REGRESSED] = "regressed",
};
enum { STATES = sizeof state_names / sizeof *state_names };

const char *finding_state_name(enum finding_state state)
{
    return state_names[state];
}

static enum finding_state state_of(const char *name)
{
    for (int i = 0; i < STATES; i++)
        if (name && strcmp(state_names[i], name) == 0)
            return (enum finding_state)i;
    return FINDING_NEW;
}

/* What a later sighting is compared with. */
struct known {
    bool there;
    enum finding_state state;
    int64_t task_steps, task_bytes;
    bool client_illegal;
    bool shrunk; /* its task was made smaller, at least in part */
};

static int look_up(struct store *s, const char *signature, struct known *k, struct error **err)
{
    *k = (struct known){0};
    int row = store_step(s, SQL_FINDING_GET, err, "s", signature);
    if (row <= 0)
        return row;
    k->there = true;
    k->state = state_of((const char *)sqlite3_column_text(s->statements[SQL_FINDING_GET], 0));
    k->task_steps = store_integer(s, SQL_FINDING_GET, 1);
    k->task_bytes = store_integer(s, SQL_FINDING_GET, 2);
    k->shrunk = store_integer(s, SQL_FINDING_GET, 3) != SHRUNK_NOT;
    k->client_illegal = store_integer(s, SQL_FINDING_GET, 4) != 0;
    store_done(s, SQL_FINDING_GET);
    return 0;
}

int store_find(struct store *s, const char *signature, bool *known, enum finding_state *state,
               struct error **err)
{
    struct known k;
    pthread_mutex_lock(&s->mutex);
    int status = look_up(s, signature, &k, err);
    pthread_mutex_unlock(&s->mutex);
    if (status < 0)
        return status;
    *known = k.there;
    *state = k.state;
    return 0;
}

/* ---- writing ---- */

static bool is_signature(const char *text)
{
    return strspn(text, "0123456789abcdef") == 16 && !text[16];
}

/* Fewer steps, then fewer bytes. No task is larger than any. One that was made smaller on purpose goes only for one
 * with fewer steps: what it lacks in bytes it may have in clearness. */
static bool is_smaller(const struct finding *f, const struct known *k)
{
    int64_t bytes = f->task ? (int64_t)strlen(f->task) : 0;
    if (!bytes || !k->task_bytes)
        return bytes > 0;
    if (f->client_illegal != k->client_illegal)
        return k->client_illegal; /* a lawful task says more than any other, and is not given up for one */
    return f->task_steps != k->task_steps || k->shrunk ? f->task_steps < k->task_steps : bytes < k->task_bytes;
}

/* A state is what came of trying it in fresh sessions. */
static int64_t tested(const struct finding *f, int64_t last)
{
    return f->state == FINDING_NEW ? 0 : f->tested_ms ? f->tested_ms : last;
}

static int add_finding(struct store *s, const struct finding *f, int64_t first, int64_t last,
                       struct error **err)
{
    return store_do(s, SQL_FINDING_ADD, err, "ssssssssssssiiiiiiiisssi", f->signature, f->text, f->layer,
                    f->primitive, f->check, f->op, f->detail, f->title, f->evidence, f->target, f->identity,
                    state_names[f->state], (int64_t)f->n_failed, (int64_t)f->n_run, f->times_seen, first,
                    last, (int64_t)f->client_illegal, (int64_t)f->suppressed, f->task_steps, f->task, f->raw ? f->raw : f->detail, f->wire,
                    tested(f, last));
}

static int see_again(struct store *s, const struct finding *f, const struct known *k, int64_t last,
                     struct error **err)
{
    TRY(store_do(s, SQL_FINDING_SEEN, err, "siiii", f->signature, f->times_seen, last,
                 (int64_t)f->client_illegal, (int64_t)f->suppressed));
    if (is_smaller(f, k))
        TRY(store_do(s, SQL_FINDING_TASK, err, "ssisssss", f->signature, f->task, f->task_steps, f->title,
                     f->evidence, f->target, f->identity, f->wire));
    if (f->state == FINDING_NEW)
        return 0;
    return store_do(s, SQL_FINDING_STATE, err, "ssiii", f->signature, state_names[f->state],
                    (int64_t)f->n_failed, (int64_t)f->n_run, tested(f, last));
}

static int put_finding(struct store *s, int64_t run, const struct finding *f, bool *grew, struct error **err)
{
    struct known k;
    if (!is_signature(f->signature))
        return error_set(err, ERR_INPUT,
                         "'%s' cannot keep a finding with the signature '%.16s', expected 16 hex digits",
                         s->path, f->signature);
    TRY(store_begin(s, err));
    TRY(look_up(s, f->signature, &k, err));
    int64_t now = clock_wall_ms(), first = f->first_ms ? f->first_ms : now,
            last = f->last_ms ? f->last_ms : now;
    TRY(k.there ? see_again(s, f, &k, last, err) : add_finding(s, f, first, last, err));
    if (run > 0)
        TRY(store_do(s, SQL_SIGHTING_ADD, err, "sii", f->signature, run, f->times_seen));
    TRY(store_commit(s, err));
    *grew = !k.there;
    return 0;
}

int store_put_finding(struct store *s, int64_t run, const struct finding *f, bool *grew, struct error **err)
{
    pthread_mutex_lock(&s->mutex);
    *grew = false;
    return store_leave(s, put_finding(s, run, f, grew, err));
}

static int put_shrunk(struct store *s, const struct finding *f, enum finding_shrunk how, struct error **err)
{
    struct known k;
    TRY(look_up(s, f->signature, &k, err));
    if (!k.there)
        return error_set(err, ERR_INPUT, "'%s' has no finding %s", s->path, f->signature);
    TRY(store_begin(s, err));
    if (f->task) {
        TRY(store_do(s, SQL_FINDING_TASK, err, "ssisssss", f->signature, f->task, f->task_steps, f->title,
                     f->evidence, f->target, f->identity, f->wire));
        TRY(store_do(s, SQL_FINDING_SEEN, err, "siiii", f->signature, (int64_t)0, (int64_t)0,
                     (int64_t)f->client_illegal, (int64_t)0));
    }
    TRY(store_do(s, SQL_FINDING_SHRUNK, err, "si", f->signature, (int64_t)how));
    return store_commit(s, err);
}

int store_put_shrunk(struct store *s, const struct finding *f, enum finding_shrunk how, struct error **err)
{
    pthread_mutex_lock(&s->mutex);
    return store_leave(s, put_shrunk(s, f, how, err));
}

/* Passing as often as a trial has runs says that it is fixed, only where it had been sure; failing that it is back only where it had been
 * fixed. What was not settled gets its state from the rate, when there were enough runs for one. */
static enum finding_state retested(enum finding_state old, int n_failed, int n_run, int64_t need, int64_t runs)
{
    if (old == FINDING_CONFIRMED || old == FINDING_REGRESSED)
        return n_failed || n_run < runs ? old : FINDING_FIXED;
    if (old == FINDING_FIXED)
        return n_failed ? FINDING_REGRESSED : old;
    if (n_failed >= need)
        return FINDING_CONFIRMED;
    if (n_run < need || (old == FINDING_FLAKY && !n_failed))
        return old;
    return n_failed ? FINDING_FLAKY : FINDING_UNCONFIRMED;
}

static int retest(struct store *s, const char *signature, int n_failed, int n_run, enum finding_state *state,
                  struct error **err)
{
    struct known k;
    TRY(look_up(s, signature, &k, err));
    if (!k.there)
        return error_set(err, ERR_INPUT, "'%s' has no finding %s", s->path, signature);
    TRY(store_begin(s, err));
    enum finding_state now = n_run > 0 ? retested(k.state, n_failed, n_run, s->confirm_need, s->confirm_runs) : k.state;
    if (n_run > 0)
        TRY(store_do(s, SQL_FINDING_STATE, err, "ssiii", signature, state_names[now], (int64_t)n_failed,
                     (int64_t)n_run, clock_wall_ms()));
    TRY(store_commit(s, err));
    *state = now;
    return 0;
}

int store_retested(struct store *s, const char *signature, int n_failed, int n_run, enum finding_state *state,
                   struct error **err)
{
    pthread_mutex_lock(&s->mutex);
    return store_leave(s, retest(s, signature, n_failed, n_run, state, err));
}

/* ---- reading ---- */

static int settings_of(struct store *s, const char *signature, struct arena *a, const char **settings, struct error **err)
{
    int row = store_step(s, SQL_FINDING_SETTINGS, err, "s", signature);
    if (row < 0)
        return row;
    *settings = row ? store_text(s, SQL_FINDING_SETTINGS, 0, a) : "{}";
    store_done(s, SQL_FINDING_SETTINGS);
    return 0;
}

int store_finding_settings(struct store *s, const char *signature, struct arena *a, const char **settings, struct error **err)
{
    pthread_mutex_lock(&s->mutex);
    return store_leave(s, settings_of(s, signature, a, settings, err));
}

void store_read_finding(const struct store *s, struct arena *a, struct finding *f)
{
    const char **texts[] = {&f->text,   &f->layer, &f->primitive, &f->check,  &f->op,
                            &f->detail, &f->title, &f->evidence,  &f->target, &f->identity};
    const enum store_statement w = SQL_FINDINGS;
    *f = (struct finding){0};
    const char *signature = store_text(s, w, 0, a);
    memcpy(f->signature, signature, strnlen(signature, sizeof f->signature - 1));
    for (int i = 0; i < 10; i++)
        *texts[i] = store_text(s, w, i + 1, a);
    f->state = state_of(store_text(s, w, 11, a));
    f->n_failed = (int)store_integer(s, w, 12);
    f->n_run = (int)store_integer(s, w, 13);
    f->times_seen = store_integer(s, w, 14);
    f->first_ms = store_integer(s, w, 15);
    f->last_ms = store_integer(s, w, 16);
    f->client_illegal = store_integer(s, w, 17) != 0;
    f->suppressed = store_integer(s, w, 18) != 0;
    f->task_steps = store_integer(s, w, 19);
    f->task = store_text(s, w, 20, a);
    f->shrunk = (enum finding_shrunk)store_integer(s, w, 21);
    f->raw = store_text(s, w, 22, a);
    f->wire = store_text(s, w, 23, a);
    f->tested_ms = store_integer(s, w, 24);
}

static int read_findings(struct store *s, const char *prefix, struct arena *a, struct finding **out,
                         size_t *count, struct error **err)
{
    size_t capacity = 0;
    int more = store_step(s, SQL_FINDINGS, err, "s", prefix);
    for (; more > 0; more = store_next(s, SQL_FINDINGS, err)) {
        if (*count == capacity) {
            struct finding *old = *out;
            capacity = capacity ? 2 * capacity : 16;
            *out = arena_alloc(a, capacity * sizeof **out);
            if (*count)
                memcpy(*out, old, *count * sizeof **out);
        }
        store_read_finding(s, a, &(*out)[(*count)++]);
    }
    return more;
}

int store_findings(struct store *s, const char *prefix, struct arena *a, struct finding **out, size_t *count,
                   struct error **err)
{
    pthread_mutex_lock(&s->mutex);
    *out = NULL;
    *count = 0;
    int status = read_findings(s, prefix, a, out, count, err);
    pthread_mutex_unlock(&s->mutex);
    return status;
}
