/* What to run next: the given tasks in their order, then fresh ones by index, mixed with mutants of tasks that once showed
 * something new. Fresh tasks depend on (seed, index) alone; only which of them are mutated instead depends on timing. */
#include "exec/loop_internal.h"

#include "mutate/mutate.h"

#include <stdio.h>
#include <string.h>

enum { MUTATIONS_MAX = 3 };

void loop_work_release(struct loop_work *work)
{
    if (!work->borrowed)
        task_free(work->task);
    work->task = NULL;
}

static int fresh(const struct loop_options *o, uint64_t index, struct loop_work *work, struct error **err)
{
    const struct generate_options *g = o->generate;
    TRY(generate_task(g, o->seed, index, &work->task, err));
    const struct domain *domain = g->domains[index % g->domain_count];
    return mutate_hazards(work->task, domain, o->ops, o->settings, o->mutate, err);
}

/* A mutant of a kept task; 0 when there is none to mutate. */
static int mutant(const struct loop_options *o, struct rng *rng, struct arena *a, struct loop_work *work, struct error **err)
{
    struct bytes text;
    struct error *none = NULL;
    int status = store_pick(o->store, rng, a, &text, &none);
    if (status == ERR_LIMIT) {
        error_free(none);
        return 0;
    }
    if (status < 0) {
        *err = none;
        return status;
    }
    TRY(task_read(o->ops, text, "corpus", &work->task, err));
    memcpy(work->parent, work->task->id, sizeof work->parent);
    size_t count = 1 + (size_t)rng_below(rng, MUTATIONS_MAX);
    if (mutate_task(work->task, o->ops, o->settings, rng, count))
        return 1;
    loop_work_release(work); /* no mutator fits this one */
    work->parent[0] = 0;
    return 0;
}

/* Takes a given task or an index; 1: given, 2: an index, 0: nothing is left. */
static int take(struct loop *l, struct loop_work *work, uint64_t *index)
{
    const struct loop_options *o = l->options;
    int taken = 0;
    pthread_mutex_lock(&l->lock);
    if (l->next_task < o->task_count) {
        work->task = o->tasks[l->next_task++];
        work->borrowed = true;
        taken = 1;
    } else if (o->generate && (!o->count || l->made < o->count)) {
        l->made++;
        *index = l->next_index++;
        taken = 2;
    }
    pthread_mutex_unlock(&l->lock);
    return taken;
}

int loop_next(struct loop *l, struct rng *rng, struct arena *a, struct loop_work *work, struct error **err)
{
    const struct loop_options *o = l->options;
    uint64_t index = 0;
    *work = (struct loop_work){0};
    int taken = take(l, work, &index);
    if (taken < 2)
        return taken;
    if (o->feed_back && rng_chance(rng, settings_real(o->settings, "loop.mutate-share"))) {
        int made = mutant(o, rng, a, work, err);
        if (made) {
            /* The index was not used after all; give it back when nobody has taken a later one. */
            pthread_mutex_lock(&l->lock);
            if (l->next_index == index + 1)
                l->next_index = index;
            pthread_mutex_unlock(&l->lock);
            return made;
        }
    }
    int status = fresh(o, index, work, err);
    if (status < 0) {
        loop_work_release(work);
        return error_wrap(err, "task %llu", (unsigned long long)index);
    }
    return 1;
}
