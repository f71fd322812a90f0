/* Two tasks in one session. Of some tasks, kept ones and fresh ones, the two are brought together of which most is new in "this was done, and then
 * that": what one does, and which fault classes the other arms (loop_pairs.h). */
#include "exec/loop_internal.h"

#include "base/clock.h"
#include "mutate/join.h"
#include "mutate/mutate.h"

#include <string.h>

enum {
    PARTS_MAX = 16,
    PAIRS_TRIED = 6 /* that may turn out not to go together */
};

struct part {
    struct task *task;
    struct store_picked picked;
    char id[33]; /* before anything was taken back */
    struct loop_deeds deeds;
    struct arm_set armed;
    double seconds;
};

struct parts {
    struct part items[PARTS_MAX];
    size_t count;
};

static void release(struct parts *p)
{
    for (size_t i = 0; i < p->count; i++)
        task_free(p->items[i].task);
}

/* A kept task, or a fresh one; 0: none that the target can run. */
static int draw_part(struct loop *l, struct rng *rng, struct arena *a, struct part *part, struct error **err)
{
    const struct loop_options *o = l->options;
    int status = 0;
    *part = (struct part){0};
    if (rng_chance(rng, 0.5))
        TRY(status = loop_pick(o, rng, a, &part->task, &part->picked, err));
    if (!status) {
        struct loop_work any = {0};
        TRY(loop_fresh(o, rng_next(rng), &any, err));
        part->task = any.task;
    }
    memcpy(part->id, part->task->id, sizeof part->id);
    if (part->picked.number)
        loop_calm(part->task, rng);
    if (o->target && runner_unmet_need(o->target, part->task)) {
        task_free(part->task);
        return 0;
    }
    loop_deeds_of(part->task, &part->deeds);
    arm_task(part->task, &part->armed);
    return 1;
}

static int draw_parts(struct loop *l, struct rng *rng, struct arena *a, struct parts *p, struct error **err)
{
    size_t wanted = loop_blind(l->options) ? 2 : (size_t)settings_int(l->options->settings, "loop.choices") + 1;
    wanted = wanted < 2 ? 2 : wanted > PARTS_MAX ? PARTS_MAX : wanted;
    for (size_t tries = 0; p->count < wanted && tries < 2 * wanted && !l->halt; tries++) {
        int drawn = draw_part(l, rng, a, &p->items[p->count], err);
        if (drawn < 0)
            return drawn;
        p->count += (size_t)drawn;
    }
    return 0;
}

/* What each ordered pair is worth, for the time that both will take. */
static void weigh(struct loop *l, struct parts *p, double worth[PARTS_MAX][PARTS_MAX])
{
    pthread_mutex_lock(&l->lock);
    for (size_t i = 0; i < p->count; i++)
        p->items[i].seconds = loop_cost_of(&l->costs, p->items[i].task);
    for (size_t i = 0; i < p->count; i++)
        for (size_t k = 0; k < p->count; k++)
            worth[i][k] = i == k ? 0 : loop_pairs_worth(&l->pairs, &p->items[i].deeds, &p->items[k].armed) / (p->items[i].seconds + p->items[k].seconds);
    pthread_mutex_unlock(&l->lock);
}

static bool take_best(struct parts *p, double worth[PARTS_MAX][PARTS_MAX], size_t *first, size_t *second)
{
    double best = 0;
    for (size_t i = 0; i < p->count; i++) {
        for (size_t k = 0; k < p->count; k++) {
            if (worth[i][k] <= best)
                continue;
            best = worth[i][k];
            *first = i;
            *second = k;
        }
    }
    if (best > 0)
        worth[*first][*second] = 0;
    return best > 0;
}

static void note(struct loop *l, const struct part *first, const struct part *second)
{
    pthread_mutex_lock(&l->lock);
    loop_pairs_note(&l->pairs, &first->deeds, &second->armed);
    pthread_mutex_unlock(&l->lock);
}

int loop_splice(struct loop *l, struct rng *rng, struct arena *a, struct loop_work *work, struct error **err)
{
    const struct loop_options *o = l->options;
    struct parts parts = {.count = 0};
    double worth[PARTS_MAX][PARTS_MAX];
    size_t first = 0, second = 0;
    int status = draw_parts(l, rng, a, &parts, err);
    if (!status)
        weigh(l, &parts, worth);
    for (int i = 0; !status && !work->task && i < PAIRS_TRIED && take_best(&parts, worth, &first, &second); i++)
        work->task = mutate_join(parts.items[first].task, parts.items[second].task, o->settings);
    if (work->task) {
        note(l, &parts.items[first], &parts.items[second]);
        memcpy(work->parent, parts.items[first].id, sizeof work->parent);
        work->picked = parts.items[first].picked;
        status = 1;
    }
    release(&parts);
    return status;
}
