/* Some tasks in one session, since a session costs more than what is done in it. Of some that were drawn, kept ones and fresh ones, one is put behind
 * the other, each time the one of which most is new in "this was done, and then that": what those before it do, and which fault classes it
 * arms (loop_pairs.h). */
#include "exec/loop_internal.h"

#include "base/clock.h"
#include "mutate/join.h"
#include "mutate/mutate.h"

#include <string.h>

enum { TASKS_WORTH = 4 /* times what choosing one task may take */ };
enum { PARTS_LEAST = 2, PARTS_MAX = 32, POOL = 2 /* times as much to choose from as of fresh tasks: parts are chosen one after the other */ };
static const double LED = 0.85; /* of sessions, those that begin with the kept task that was picked first */
static const double STATES = 0.85; /* of those, with one for a state of the target, where it tells of any */
/* Of the tasks to choose from, kept ones. What comes behind a state is to tell whether it is right, and most fresh ones know better what must be. */
static const double KEPT = 0.5, KEPT_LED = 0.15;

struct part {
    struct task *task;
    struct store_picked picked;
    char id[33]; /* before anything was taken back */
    struct loop_deeds deeds;
    struct arm_set armed;
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

/* It was put together itself and has no room for more. Short ones may grow: what they have brought about is there when the next task comes. */
static bool is_full(const struct loop_options *o, const struct task *t)
{
    return t->step_count > (size_t)settings_int(o->settings, "loop.splice-steps");
}

/* A kept task, with the chance `kept`, or a fresh one. What leads may be one for a state, and brings what others do not: the states that it is known
 * to bring about. 0: none that the target can run. */
static int draw_part(struct loop *l, bool leads, double kept, struct rng *rng, struct arena *a, struct part *part, struct error **err)
{
    const struct loop_options *o = l->options;
    int status = 0;
    *part = (struct part){0};
    if (leads && rng_chance(rng, STATES))
        TRY(status = loop_pick_state(l, rng, a, &part->task, &part->picked, err));
    if (!status && rng_chance(rng, kept))
        TRY(status = loop_pick(l, rng, a, &part->task, &part->picked, err));
    if (!status) {
        struct loop_work any = {0};
        TRY(loop_fresh(o, rng_next(rng), &any, err));
        part->task = any.task;
    }
    memcpy(part->id, part->task->id, sizeof part->id);
    if (part->picked.number)
        loop_calm(part->task, rng);
    if (is_full(o, part->task) || (o->target && runner_unmet_need(o->target, part->task))) {
        task_free(part->task);
        return 0;
    }
    loop_deeds_of(part->task, &part->deeds);
    if (leads)
        TRY(loop_states_of(l, &part->picked, &part->deeds, err));
    arm_task(part->task, &part->armed);
    return 1;
}

static int draw_parts(struct loop *l, bool led, struct rng *rng, struct arena *a, struct parts *p, struct error **err)
{
    const struct settings *settings = l->options->settings;
    size_t choices = loop_blind(l->options) ? 0 : POOL * (size_t)settings_int(settings, "loop.choices");
    size_t wanted = (size_t)settings_int(settings, "loop.splice-tasks") + choices;
    wanted = wanted > PARTS_MAX ? PARTS_MAX : wanted;
    int64_t until_ns = clock_monotonic_ns() + TASKS_WORTH * loop_choosing_ns(l);
    for (size_t tries = 0; p->count < wanted && tries < 2 * wanted && !l->halt; tries++) {
        if (p->count >= PARTS_LEAST && clock_monotonic_ns() >= until_ns)
            break;
        int drawn = draw_part(l, led && !p->count, !led ? KEPT : p->count ? KEPT_LED : 1, rng, a, &p->items[p->count], err);
        if (drawn < 0)
            return drawn;
        p->count += (size_t)drawn;
    }
    return 0;
}

/* What the tasks that were put together so far do, and how many there are. */
struct chain {
    struct task *task;
    struct loop_deeds deeds;
    size_t length;
    const struct part *first;
};

/* Of the parts that are not used yet the one that is worth most behind the chain (or, when that is empty, before another part), for the time
 * that it will take; NULL: none is worth anything. */
static struct part *best_next(struct loop *l, struct parts *p, const struct chain *c, const bool *used)
{
    double best = 0;
    struct part *next = NULL;
    pthread_mutex_lock(&l->lock);
    for (size_t i = 0; i < p->count; i++) {
        struct part *one = &p->items[i];
        double worth = 0;
        for (size_t k = 0; !c->length && k < p->count; k++) {
            double with = k == i ? 0 : loop_pairs_worth(&l->pairs, &one->deeds, &p->items[k].armed);
            worth = with > worth ? with : worth;
        }
        if (c->length)
            worth = loop_pairs_worth(&l->pairs, &c->deeds, &one->armed);
        worth /= loop_cost_of(&l->costs, one->task);
        if (!used[i] && worth > best) {
            best = worth;
            next = one;
        }
    }
    pthread_mutex_unlock(&l->lock);
    return next;
}

static void note(struct loop *l, const struct chain *c, const struct part *next)
{
    pthread_mutex_lock(&l->lock);
    loop_pairs_note(&l->pairs, &c->deeds, &next->armed);
    pthread_mutex_unlock(&l->lock);
}

/* Without feedback in the order in which they were drawn. */
static struct part *any_next(struct parts *p, const bool *used)
{
    size_t i = 0;
    while (i < p->count && used[i])
        i++;
    return i < p->count ? &p->items[i] : NULL;
}

/* Puts it behind the others, if it goes together with them. */
static void append(struct loop *l, struct chain *c, const struct part *next, struct loop_work *work)
{
    struct task *longer = c->length ? mutate_join(c->task, next->task, l->options->settings) : task_copy(next->task);
    if (!longer)
        return;
    if (c->length)
        note(l, c, next);
    else
        c->first = next;
    task_free(c->task);
    c->task = longer;
    work->parts[work->part_count++] = task_copy(next->task);
    loop_deeds_add(&c->deeds, &next->deeds);
    c->length++;
}

static bool begins_with_state(const struct part *p)
{
    const struct feedback *d = p->picked.feature ? feedback_of(p->picked.feature) : NULL;
    return d && d->about == FEEDBACK_STATE;
}

int loop_splice(struct loop *l, struct rng *rng, struct arena *a, struct loop_work *work, struct error **err)
{
    struct parts parts = {.count = 0};
    struct chain chain = {0};
    struct part *next;
    bool used[PARTS_MAX] = {false};
    size_t most = (size_t)settings_int(l->options->settings, "loop.splice-tasks");
    bool led = !loop_blind(l->options) && rng_chance(rng, LED);
    int status = draw_parts(l, led, rng, a, &parts, err);
    most += parts.count && begins_with_state(&parts.items[0]); /* which is as short as can be */
    most = most < LOOP_PARTS_MAX ? most : LOOP_PARTS_MAX;
    while (!status && chain.length < most) {
        bool any = loop_blind(l->options) || (led && !chain.length);
        next = any ? any_next(&parts, used) : best_next(l, &parts, &chain, used);
        if (!next)
            break;
        used[next - parts.items] = true;
        append(l, &chain, next, work);
    }
    if (!status && chain.length > 1) {
        work->task = chain.task;
        memcpy(work->parent, chain.first->id, sizeof work->parent);
        work->picked = chain.first->picked;
        chain.task = NULL;
        status = 1;
    } else {
        loop_work_release(work);
    }
    task_free(chain.task);
    release(&parts);
    return status;
}
