/* What to run next: the given tasks in their order, then fresh ones by index, mixed with mutants of tasks that once showed
 * something new. Fresh tasks depend on (seed, index) alone; which of them are run while exploring, and which are mutated instead,
 * depends on timing too. */
#include "exec/loop_internal.h"

#include "base/clock.h"
#include "mutate/mutate.h"

#include <stdio.h>
#include <string.h>

static const double CHOOSING_SHARE = 0.01; /* of an execution's time */

enum {
    CHOOSING_FIRST_NS = 1000000000, /* before anything has run */
    CHOOSING_LEAST_NS = 20000, /* with less than that there is nothing to choose from */
    UNFIT_PASSED = 200 /* fresh tasks in a row that the target is known not to be able to run */
};

void loop_work_release(struct loop_work *work)
{
    if (!work->borrowed)
        task_free(work->task);
    work->task = NULL;
    for (size_t i = 0; i < work->part_count; i++)
        task_free(work->parts[i]);
    work->part_count = 0;
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
        work->source = LOOP_GIVEN;
        taken = 1;
    } else if (o->generate && (!o->count || l->made < o->count)) {
        l->made++;
        *index = l->next_index++;
        taken = 2;
    }
    pthread_mutex_unlock(&l->lock);
    return taken;
}

/* Where the next task comes from. Mutants of a handful of kept tasks are all alike, while most of what can be tried has not been; and several tasks
 * in one session show several faults at once as long as faults are easily met, each of which gets fresh sessions of all of them. So the shares of
 * both grow with the corpus. What pays gets more, unless nothing is to be learnt from. */
static enum loop_source draw_source(struct loop *l, struct rng *rng)
{
    const struct settings *settings = l->options->settings;
    bool blind = loop_blind(l->options);
    double ramp = blind ? 0 : (double)settings_int(settings, "loop.mutate-ramp"), shares[LOOP_SOURCES];
    double slow_ramp = blind ? 0 : (double)settings_int(settings, "loop.splice-ramp");
    double mutate = settings_real(settings, "loop.mutate-share"), splice = settings_real(settings, "loop.splice-share");
    pthread_mutex_lock(&l->lock);
    double kept = (double)(l->kept_before + l->total.corpus);
    mutate *= ramp > 0 ? kept / (kept + ramp) : 1;
    splice *= slow_ramp > 0 ? kept / (kept + slow_ramp) : 1;
    const double wanted[LOOP_SOURCES] = {[LOOP_GENERATE] = mutate + splice < 1 ? 1 - mutate - splice : 0, [LOOP_MUTATE] = mutate, [LOOP_SPLICE] = splice};
    loop_shares(&l->sources, wanted, blind ? 0 : settings_real(settings, "loop.adapt"), shares);
    pthread_mutex_unlock(&l->lock);
    return (enum loop_source)loop_draw(shares, LOOP_SOURCES, rng);
}

/* The index was not used after all; given back when nobody has taken a later one. */
static void give_back(struct loop *l, uint64_t index)
{
    pthread_mutex_lock(&l->lock);
    if (l->next_index == index + 1)
        l->next_index = index;
    pthread_mutex_unlock(&l->lock);
}

/* A task to run: given, made of kept ones if that may be now, or fresh. */
static int next_task(struct loop *l, struct rng *rng, struct arena *a, bool mutants, struct loop_work *work, struct error **err)
{
    const struct loop_options *o = l->options;
    uint64_t index = 0;
    *work = (struct loop_work){0};
    int taken = take(l, work, &index);
    if (taken < 2)
        return taken;
    enum loop_source source = mutants && o->feed_back ? draw_source(l, rng) : LOOP_GENERATE;
    int made = source == LOOP_MUTATE ? loop_mutant(l, rng, a, work, err) : source == LOOP_SPLICE ? loop_splice(l, rng, a, work, err) : 0;
    if (made) {
        work->source = source;
        give_back(l, index);
        return made;
    }
    int status = loop_fresh(o, index, work, err);
    if (status < 0) {
        loop_work_release(work);
        return error_wrap(err, "task %llu", (unsigned long long)index);
    }
    return 1;
}

/* What is around the whole task, in a share of whatever is run. What the target is known not to have for it is taken back. */
static void mutate_surroundings(const struct loop_options *o, struct rng *rng, struct loop_work *work)
{
    double share = settings_real(o->settings, "loop.start-share") * o->mutate / (double)(work->part_count ? work->part_count : 1);
    if (!o->feed_back || work->borrowed || !o->target || !rng_chance(rng, share) ||
        !mutate_start(work->task, o->ops, o->settings, rng, &(struct mutate_choice){.classes = loop_classes(o)}))
        return;
    if (runner_unmet_need(o->target, work->task))
        mutate_undo(work->task, work->task->mutations->count - 1);
}

/* Frames and surroundings of calls, in a share of whatever is run: they say most where the task is one that works. Little is expected of what comes
 * behind them, so of several tasks in one session fewer have one. */
static void mutate_calls(const struct loop_options *o, struct rng *rng, struct loop_work *work)
{
    double share = settings_real(o->settings, "loop.wire-share") * o->mutate / (double)(work->part_count ? work->part_count : 1);
    bool may = o->feed_back && !work->borrowed && o->target && target_has_frames(o->target);
    if (may && rng_chance(rng, share))
        work->wired = mutate_wire(work->task, o->ops, o->settings, rng, &(struct mutate_choice){.classes = loop_classes(o)});
}

/* While exploring, a task that the target cannot run teaches nothing after the first one: the next is taken. */
static bool passes_over(const struct loop *l, const struct loop_work *work)
{
    const struct loop_options *o = l->options;
    return o->feed_back && !o->count && !work->borrowed && o->target && runner_unmet_need(o->target, work->task) && !l->halt;
}

/* A task that the target can run, if there is one. */
static int next_fit(struct loop *l, struct rng *rng, struct arena *a, bool mutants, struct loop_work *work, struct error **err)
{
    int status = next_task(l, rng, a, mutants, work, err);
    for (int i = 1; status > 0 && i <= UNFIT_PASSED && passes_over(l, work); i++) {
        /* A fresh one in the place of a fresh one, or the shares would shift. */
        bool may = mutants && (work->source != LOOP_GENERATE || i == UNFIT_PASSED);
        loop_work_release(work);
        status = next_task(l, rng, a, may, work, err);
    }
    return status;
}

/* What the task arms, found out once as long as nothing is done to it. */
static const struct arm_set *armed_of(struct loop_work *work)
{
    if (!work->armed_known)
        arm_task(work->task, &work->armed);
    work->armed_known = true;
    return &work->armed;
}

/* How much of what the task arms has been tried little so far, for the time that its workflow has had with it. */
static double worth_of(struct loop *l, struct loop_work *work)
{
    double sum = 0;
    const struct arm_set *set = armed_of(work);
    pthread_mutex_lock(&l->lock);
    for (size_t i = 0; i < ARM_CLASSES; i++)
        sum += arm_has(set, i) ? 1 / (1 + (double)l->armed[i]) : 0;
    double seconds = loop_cost_with(&l->costs, work->task);
    pthread_mutex_unlock(&l->lock);
    return sum / seconds;
}

static void note_armed(struct loop *l, struct loop_work *work)
{
    const struct arm_set *set = armed_of(work);
    struct loop_deeds deeds;
    loop_deeds_of(work->task, &deeds);
    pthread_mutex_lock(&l->lock);
    for (size_t i = 0; i < ARM_CLASSES; i++)
        l->armed[i] += arm_has(set, i);
    if (work->source != LOOP_SPLICE) /* of those it is known what comes before what */
        loop_pairs_note(&l->pairs, &deeds, set);
    pthread_mutex_unlock(&l->lock);
}

static bool is_of_tools(const struct loop_work *work)
{
    return strcmp(work->task->domain, "tools") == 0;
}

int64_t loop_choosing_ns(struct loop *l)
{
    pthread_mutex_lock(&l->lock);
    double run_ns = l->run_ns;
    pthread_mutex_unlock(&l->lock);
    return run_ns > 0 ? (int64_t)(run_ns * CHOOSING_SHARE) : CHOOSING_FIRST_NS;
}

/* A session costs a hundred times what a task costs, and some classes are armed by every second task, others by one of a hundred.
 * So of a few fresh tasks the one is run that arms most of what has been tried least, by the time that its workflow has had: without
 * that a tenth of the tasks, those that wait for something, took three quarters of the time. By the time of one task, though, quick
 * workflows ran eighty times and slow ones once: what is given out evenly is time. Tasks of the target's own tools have a share of
 * their own. */
static int choose(struct loop *l, struct rng *rng, struct arena *a, struct loop_work *work, struct error **err)
{
    int64_t choices = settings_int(l->options->settings, "loop.choices"), until_ns = clock_monotonic_ns() + loop_choosing_ns(l);
    double best = choices > 1 && clock_monotonic_ns() < until_ns ? worth_of(l, work) : 0;
    for (int64_t i = 1; i < choices && !l->halt && clock_monotonic_ns() < until_ns; i++) {
        struct loop_work other;
        int status = next_fit(l, rng, a, false, &other, err);
        if (status <= 0)
            return status;
        double worth = is_of_tools(&other) || passes_over(l, &other) ? -1 : worth_of(l, &other);
        if (worth > best) {
            loop_work_release(work);
            *work = other;
            best = worth;
        } else {
            loop_work_release(&other);
        }
    }
    return 0;
}

int loop_next(struct loop *l, struct rng *rng, struct arena *a, struct loop_work *work, struct error **err)
{
    const struct loop_options *o = l->options;
    int status = next_fit(l, rng, a, true, work, err);
    if (status <= 0)
        return status;
    bool exploring =
        o->feed_back && !loop_blind(o) && !o->count && !work->borrowed && loop_choosing_ns(l) >= CHOOSING_LEAST_NS;
    bool asked_for = o->select && !selection_plain(o->select); /* whoever selects has chosen */
    if (exploring && !asked_for && work->source == LOOP_GENERATE && !is_of_tools(work) && choose(l, rng, a, work, err) < 0) {
        loop_work_release(work);
        return (*err)->code;
    }
    size_t mutations = work->task->mutations->count;
    mutate_surroundings(o, rng, work);
    mutate_calls(o, rng, work);
    work->armed_known = work->armed_known && work->task->mutations->count == mutations;
    if (exploring)
        note_armed(l, work);
    return status;
}
