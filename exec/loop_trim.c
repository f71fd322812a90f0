/* What of several tasks in one session is worth keeping. Of a session that showed something new each task is left out in turn, the last one first,
 * and what still shows all of that is kept in the place of the whole: kept ones are put together again, so one that carries along
 * what it does not need makes every session that grows out of it longer, and there is no room for what comes behind it.
 *
 * What counts is what may let a task in and what one more look decides (exec/oracle/feedback.h): to show in a part of the tasks is to show
 * again. */
#include "exec/loop_internal.h"

#include "exec/oracle/feedback.h"

#include <string.h>

struct trim {
    struct loop_admission *m;
    bool out[LOOP_PARTS_MAX];
    size_t left;
    const uint64_t *features; /* of the best so far */
    size_t feature_count;
    const struct execution *execution; /* that showed them */
};

static bool counts(const struct loop_admission *m, const struct store_trial *t)
{
    return !t->failed && loop_admission_strong(m, t) && feedback_of(t->feature)->runs == 1;
}

/* All that counts, and there is some. */
static bool shows_all(const struct loop_admission *m, const uint64_t *features, size_t count)
{
    size_t shown = 0;
    for (size_t i = 0; i < m->trials.count; i++) {
        if (!counts(m, &m->trials.items[i]))
            continue;
        if (!loop_admission_has(features, count, m->trials.items[i].feature))
            return false;
        shown++;
    }
    return shown > 0;
}

static void take(struct trim *x, struct task *rest, const uint64_t *features, size_t count, const struct execution *e)
{
    struct loop_admission *m = x->m;
    task_free(m->trimmed);
    m->trimmed = rest;
    x->features = features;
    x->feature_count = count;
    x->execution = e;
    for (size_t i = 0; i < m->trials.count; i++)
        if (counts(m, &m->trials.items[i]) && !m->trials.items[i].stable)
            loop_admission_tried(&m->trials.items[i], true);
}

/* 1: it was tried; 0: there are no sessions now; negative: error. */
static int leave_out(struct trim *x, size_t i, struct arena *a, struct error **err)
{
    struct execution *e = arena_alloc(a, sizeof *e);
    size_t count;
    x->out[i] = true;
    struct task *rest = loop_rejoin(x->m->loop, x->m->work, x->out);
    int ran = rest ? loop_admission_run(x->m, rest, a, e, err) : 1;
    const uint64_t *features = rest && ran > 0 ? loop_admission_features(x->m, e, a, &count) : NULL;
    if (features && shows_all(x->m, features, count)) {
        take(x, rest, features, count, e);
        x->left--;
        return 1;
    }
    task_free(rest);
    x->out[i] = false;
    return ran;
}

/* What was handed out with either is decided with the trimmed one. */
static void hand_on(struct loop_admission *m, const struct store_trials *own, struct arena *a)
{
    struct store_trial *all = arena_alloc(a, (m->trials.count + own->count) * sizeof *all);
    if (m->trials.count)
        memcpy(all, m->trials.items, m->trials.count * sizeof *all);
    if (own->count)
        memcpy(all + m->trials.count, own->items, own->count * sizeof *all);
    m->trials = (struct store_trials){.items = all, .count = m->trials.count + own->count, .exec = own->exec, .age = own->age};
}

/* The trimmed task has been executed like any other, and it is the one that joins. What only the whole has shown stays undecided. */
static int put(struct trim *x, struct arena *a, struct error **err)
{
    struct loop_admission *m = x->m;
    struct store_trials own = {.items = arena_alloc(a, x->feature_count * sizeof *own.items)};
    size_t none = 0;
    struct store_execution small = m->record;
    small.task = m->trimmed;
    small.features = x->features;
    small.feature_count = x->feature_count;
    small.trials = &own;
    loop_describe(m->loop, x->execution, a, &small);
    const char *steps = small.steps;
    small.steps = NULL; /* with what comes of it, and once */
    TRY(store_put_execution(m->loop->options->store, &small, &none, err));
    for (size_t i = 0; i < m->trials.count; i++)
        m->trials.items[i].stable &= loop_admission_has(x->features, x->feature_count, m->trials.items[i].feature);
    hand_on(m, &own, a);
    pthread_mutex_lock(&m->loop->lock);
    m->loop->total.trimmed++;
    pthread_mutex_unlock(&m->loop->lock);
    small.trials = &m->trials;
    small.steps = steps;
    m->record = small;
    return 0;
}

static bool wanted(const struct loop_admission *m)
{
    bool any = false;
    for (size_t i = 0; i < m->trials.count && !any; i++)
        any = counts(m, &m->trials.items[i]);
    return any;
}

int loop_trim(struct loop_admission *m, struct arena *a, struct error **err)
{
    struct trim x = {.m = m, .left = m->work->part_count};
    int ran = 1;
    if (!wanted(m))
        return 1;
    for (size_t i = m->work->part_count; i-- > 0 && x.left > 1 && ran > 0 && loop_admission_may_run(m, m->record.ns);)
        ran = leave_out(&x, i, a, err);
    if (ran >= 0 && m->trimmed)
        TRY(put(&x, a, err));
    return ran;
}
