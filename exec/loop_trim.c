/* What of several tasks in one session is worth keeping. Of a session that showed something new each task is left out in turn, the last one first,
 * and what still shows all of that is kept in the place of the whole: kept ones are put together again, so one that carries along
 * what it does not need makes every session that grows out of it longer, and there is no room for what comes behind it.
 *
 * What counts is what may let a task in and what one more look decides (exec/oracle/feedback.h): to show in a part of the tasks is to show
 * again. Of a session that shows a new state of the target only that counts, and what brings it about is made as small as can be, step by step:
 * many sessions will begin with it. */
#include "exec/loop_internal.h"

#include "exec/oracle/feedback.h"
#include "mutate/shrink.h"

#include <stdlib.h>
#include <string.h>

enum { CANDIDATES = 60 /* smaller tasks to try for a state */ };

struct trim {
    struct loop_admission *m;
    bool state; /* it shows a new one */
    /* Of the best so far, in one of the arenas; the next candidate runs in the other, so no more than two executions are held. */
    struct arena arenas[2];
    size_t best;
    const uint64_t *features;
    size_t feature_count;
    const struct execution *execution; /* that showed them */
};

static bool counts(const struct trim *x, const struct store_trial *t)
{
    const struct feedback *d = feedback_of(t->feature);
    return !t->failed && loop_admission_strong(x->m, t) && d->runs == 1 && (d->about == FEEDBACK_STATE || !x->state);
}

/* All that counts, and there is some. */
static bool shows_all(const struct trim *x, const uint64_t *features, size_t count)
{
    const struct loop_admission *m = x->m;
    size_t shown = 0;
    for (size_t i = 0; i < m->trials.count; i++) {
        if (!counts(x, &m->trials.items[i]))
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
        if (counts(x, &m->trials.items[i]) && !m->trials.items[i].stable)
            loop_admission_tried(&m->trials.items[i], true);
}

/* A fresh session of a smaller task, which is kept in the place of the other when it shows all. 1: it did; 0: it did not, or there are no sessions
 * now (then *over); negative: error. */
static int try_smaller(struct trim *x, const struct task *task, bool *over, struct error **err)
{
    struct arena *a = &x->arenas[!x->best];
    arena_clear(a);
    struct execution *e = arena_alloc(a, sizeof *e);
    struct task *copy = task_copy(task); /* the execution speaks of it */
    size_t count = 0;
    int ran = loop_admission_run(x->m, copy, a, e, err);
    const uint64_t *features = ran > 0 ? loop_admission_features(x->m, e, a, &count) : NULL;
    *over = ran <= 0;
    if (features && shows_all(x, features, count)) {
        take(x, copy, features, count, e);
        x->best = !x->best;
        return 1;
    }
    task_free(copy);
    return ran < 0 ? ran : 0;
}

static int trim_parts(struct trim *x, struct error **err)
{
    const struct loop_work *work = x->m->work;
    size_t left = work->part_count;
    bool over = false, out[LOOP_PARTS_MAX] = {false};
    for (size_t i = work->part_count; i-- > 0 && left > 1 && !over && loop_admission_may_run(x->m, x->m->record.ns);) {
        out[i] = true;
        struct task *rest = loop_rejoin(x->m->loop, work, out);
        int shows = rest ? try_smaller(x, rest, &over, err) : 0;
        task_free(rest);
        if (shows < 0)
            return shows;
        out[i] = shows;
        left -= (size_t)shows;
    }
    return !over;
}

static int trim_steps(struct trim *x, struct error **err)
{
    struct loop_admission *m = x->m;
    const struct shrink_options options = {.candidates_max = CANDIDATES};
    struct shrink *s = shrink_new(&options, m->trimmed ? m->trimmed : m->record.task);
    const struct task *candidate;
    bool over = false;
    int status = 0;
    while (status >= 0 && !over && loop_admission_may_run(m, x->execution ? x->execution->ns : m->record.ns) &&
           (status = shrink_next(s, &candidate, err)) > 0) {
        status = try_smaller(x, candidate, &over, err);
        if (status >= 0 && !over)
            (status ? shrink_accept : shrink_reject)(s);
    }
    shrink_free(s);
    return status < 0 ? status : !over;
}

static int by_feature(const void *a, const void *b)
{
    const struct store_trial *x = a, *y = b;
    return (x->feature > y->feature) - (x->feature < y->feature);
}

/* What was handed out with either is decided with the trimmed one. */
static void hand_on(struct loop_admission *m, const struct store_trials *own, struct arena *a)
{
    struct store_trial *all = arena_alloc(a, (m->trials.count + own->count) * sizeof *all);
    if (m->trials.count)
        memcpy(all, m->trials.items, m->trials.count * sizeof *all);
    if (own->count)
        memcpy(all + m->trials.count, own->items, own->count * sizeof *all);
    qsort(all, m->trials.count + own->count, sizeof *all, by_feature); /* as features are, so that they can be told in words */
    m->trials = (struct store_trials){.items = all, .count = m->trials.count + own->count, .exec = own->exec, .age = own->age};
}

/* The trimmed task has been executed like any other, and it is the one that joins; what outlives the trimming is in `a`. What only the whole has shown stays undecided. */
static int put(struct trim *x, struct arena *a, struct error **err)
{
    struct loop_admission *m = x->m;
    struct store_trials own = {.items = arena_alloc(a, x->feature_count * sizeof *own.items)};
    size_t none = 0;
    struct store_execution small = m->record;
    small.task = m->trimmed;
    uint64_t *features = arena_alloc(a, x->feature_count * sizeof *features);
    if (x->feature_count)
        memcpy(features, x->features, x->feature_count * sizeof *features);
    small.features = features;
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

/* Is there anything that counts? And is it a state? */
static bool wanted(struct trim *x)
{
    struct loop_admission *m = x->m;
    bool any = false;
    for (size_t i = 0; i < m->trials.count; i++) {
        bool counted = counts(x, &m->trials.items[i]);
        any |= counted;
        const struct feedback *d = feedback_of(m->trials.items[i].feature);
        x->state |= counted && d->about == FEEDBACK_STATE;
        m->states |= counted && d->about == FEEDBACK_STATE ? UINT64_C(1) << d->id : 0;
    }
    return any;
}

static int trim(struct trim *x, struct arena *a, struct error **err)
{
    struct loop_admission *m = x->m;
    int ran = 1;
    if (m->work->part_count > 1)
        ran = trim_parts(x, err);
    if (ran > 0 && x->state)
        ran = trim_steps(x, err);
    m->states = 0;
    if (ran >= 0 && m->trimmed)
        TRY(put(x, a, err));
    return ran;
}

int loop_trim(struct loop_admission *m, struct arena *a, struct error **err)
{
    struct trim x = {.m = m};
    if (!wanted(&x))
        return 1;
    arena_init(&x.arenas[0]);
    arena_init(&x.arenas[1]);
    int ran = trim(&x, a, err);
    arena_release(&x.arenas[0]);
    arena_release(&x.arenas[1]);
    return ran;
}
