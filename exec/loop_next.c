/* What to run next: the given tasks in their order, then fresh ones by index, mixed with mutants of tasks that once showed
 * something new. Fresh tasks depend on (seed, index) alone; which of them are run while exploring, and which are mutated instead,
 * depends on timing too. */
#include "exec/loop_internal.h"

#include "base/clock.h"
#include "mutate/mutate.h"
#include "mutate/tree/tree.h"

#include <stdio.h>
#include <string.h>

static const double CHOOSING_SHARE = 0.02; /* of an execution's time */

enum {
    MUTATIONS_MAX = 3,
    DONORS_TRIED = 4, /* picks until one of the same domain comes up */
    UNFIT_PASSED = 200 /* fresh tasks in a row that the target is known not to be able to run */
};

void loop_work_release(struct loop_work *work)
{
    if (!work->borrowed)
        task_free(work->task);
    work->task = NULL;
}

/* The fault classes that are asked for; NULL: all alike. */
static const struct arm_set *classes_of(const struct loop_options *o)
{
    return o->select ? selection_classes(o->select) : NULL;
}

static int fresh(const struct loop_options *o, uint64_t index, struct loop_work *work, struct error **err)
{
    const struct generate_options *g = o->generate;
    if (o->tools && index % o->tools_period >= o->tools_period - o->tools_share)
        return toolset_task(o->tools, o->ops, o->settings, o->seed, index, &work->task, err);
    if (o->select)
        return selection_task(o->select, index, &work->task, err);
    TRY(generate_task(g, o->seed, index, &work->task, err));
    const struct domain *domain = g->domains[index % g->domain_count];
    return mutate_hazards(work->task, domain, o->ops, o->settings, o->mutate, err);
}

/* For comparison: mutants of tasks that nobody has chosen for what they showed. */
static bool blind(const struct loop_options *o)
{
    return !settings_flag(o->settings, "loop.feedback");
}

/* A kept task, and how it was chosen; 0 when there is none. */
static int pick(const struct loop_options *o, struct rng *rng, struct arena *a, struct task **task, struct store_picked *picked,
                struct error **err)
{
    struct error *none = NULL;
    *picked = (struct store_picked){0};
    if (blind(o)) {
        struct loop_work any = {0};
        TRY(fresh(o, rng_next(rng), &any, err));
        *task = any.task;
        return 1;
    }
    int status = store_pick(o->store, rng, a, picked, &none);
    if (status == ERR_LIMIT) {
        error_free(none);
        return 0;
    }
    if (status < 0) {
        *err = none;
        return status;
    }
    TRY(task_read(o->ops, picked->json, "corpus", task, err));
    return 1;
}

/* The domain that the task's derivation is one of; NULL: it has none, or its grammar is not loaded. */
static const struct domain *domain_of(const struct loop_options *o, const struct task *t)
{
    for (size_t i = 0; o->generate && *t->derivation && i < o->generate->domain_count; i++)
        if (strcmp(domain_hash(o->generate->domains[i]), t->grammar_hash) == 0 &&
            strcmp(domain_name(o->generate->domains[i]), t->domain) == 0)
            return o->generate->domains[i];
    return NULL;
}

/* The derivation of another kept task of the domain into *donor; false when a few picks bring none. */
static int find_donor(const struct loop_options *o, const struct domain *domain, struct rng *rng,
                      struct arena *a, struct derivation *donor, struct error **err)
{
    int found = 0;
    for (int tries = 0; tries < DONORS_TRIED && !found; tries++) {
        struct task *t = NULL;
        struct store_picked picked;
        TRY(pick(o, rng, a, &t, &picked, err));
        if (!t)
            return 0;
        found = domain_of(o, t) == domain &&
                derivation_decode(donor, bytes_of_string(t->derivation), NULL) == 0;
        task_free(t);
    }
    return found;
}

static int edit_tree(const struct loop_options *o, const struct domain *domain, const struct task *parent,
                     struct rng *rng, struct arena *a, struct task **task, struct error **err)
{
    size_t count = 0;
    while (tree_mutator_at(count))
        count++;
    const struct tree_mutator *m = tree_mutator_at(rng_below(rng, count));
    struct derivation donor;
    derivation_init(&donor);
    int status = m->needs_donor ? find_donor(o, domain, rng, a, &donor, err) : 0;
    /* A derivation that cannot be read or repaired is no reason to end: other mutators have this task then.
     */
    if (status >= 0 &&
        tree_mutate(o->generate, domain, parent, status ? &donor : NULL, m, rng, task, NULL) < 0)
        *task = NULL;
    derivation_release(&donor);
    return status < 0 ? status : 0;
}

/* Another task of the kept one's grammar in its place, in a share of the cases. What was done to its steps is
 * gone with it, so others may be done to the new ones. */
static int mutate_tree(const struct loop_options *o, struct rng *rng, struct arena *a, struct loop_work *work,
                       bool *done, struct error **err)
{
    const struct domain *domain = domain_of(o, work->task);
    struct task *edited = NULL;
    *done = false;
    if (!domain || !rng_chance(rng, settings_real(o->settings, "loop.tree-share")))
        return 0;
    TRY(edit_tree(o, domain, work->task, rng, a, &edited, err));
    if (!edited)
        return 0;
    mutate_task_with(edited, o->ops, o->settings, rng, (size_t)rng_below(rng, MUTATIONS_MAX), classes_of(o),
                     o->words);
    task_free(work->task);
    work->task = edited;
    *done = true;
    return 0;
}

/* A mutant of a kept task; 0 when there is none to mutate. */
static int mutant(const struct loop_options *o, struct rng *rng, struct arena *a, struct loop_work *work,
                  struct error **err)
{
    bool done;
    int status = pick(o, rng, a, &work->task, &work->picked, err);
    if (status <= 0)
        return status;
    memcpy(work->parent, work->task->id, sizeof work->parent);
    if (loop_tools_own(o, work->task)) {
        struct task *parent = work->task;
        work->task = NULL;
        status = loop_tools_mutant(o, parent, rng, &work->task, err);
        if (status <= 0)
            work->parent[0] = 0;
        task_free(parent);
        return status;
    }
    status = mutate_tree(o, rng, a, work, &done, err);
    if (status < 0) {
        loop_work_release(work);
        return status;
    }
    size_t count = 1 + (size_t)rng_below(rng, MUTATIONS_MAX);
    if (done || mutate_task_with(work->task, o->ops, o->settings, rng, count, classes_of(o), o->words))
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

/* Mutants of a handful of kept tasks are all alike, while most of what can be tried has not been: the share grows with the corpus. */
static double mutant_share(struct loop *l)
{
    const struct settings *settings = l->options->settings;
    double ramp = blind(l->options) ? 0 : (double)settings_int(settings, "loop.mutate-ramp"), share = settings_real(settings, "loop.mutate-share");
    pthread_mutex_lock(&l->lock);
    double kept = (double)(l->kept_before + l->total.corpus);
    pthread_mutex_unlock(&l->lock);
    return ramp > 0 ? share * kept / (kept + ramp) : share;
}

/* A task to run: given, a mutant of a kept one if there may be one now, or fresh. */
static int next_task(struct loop *l, struct rng *rng, struct arena *a, bool mutants, struct loop_work *work, struct error **err)
{
    const struct loop_options *o = l->options;
    uint64_t index = 0;
    *work = (struct loop_work){0};
    int taken = take(l, work, &index);
    if (taken < 2)
        return taken;
    if (mutants && o->feed_back && rng_chance(rng, mutant_share(l))) {
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

/* What is around the whole task, in a share of whatever is run. What the target is known not to have for it is taken back. */
static void mutate_surroundings(const struct loop_options *o, struct rng *rng, struct loop_work *work)
{
    double share = settings_real(o->settings, "loop.start-share") * o->mutate;
    if (!o->feed_back || work->borrowed || !o->target || !rng_chance(rng, share) ||
        !mutate_start(work->task, o->ops, o->settings, rng, classes_of(o)))
        return;
    if (runner_unmet_need(o->target, work->task))
        mutate_undo(work->task, work->task->mutations->count - 1);
}

/* Frames and surroundings of calls, in a share of whatever is run: they say most where the task is one that works. */
static void mutate_calls(const struct loop_options *o, struct rng *rng, struct loop_work *work)
{
    double share = settings_real(o->settings, "loop.wire-share") * o->mutate;
    bool may = o->feed_back && !work->borrowed && o->target && target_has_frames(o->target);
    if (may && rng_chance(rng, share))
        work->wired = mutate_wire(work->task, o->ops, o->settings, rng, classes_of(o));
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
        bool may = mutants && (*work->parent || i == UNFIT_PASSED);
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
    pthread_mutex_lock(&l->lock);
    for (size_t i = 0; i < ARM_CLASSES; i++)
        l->armed[i] += arm_has(set, i);
    pthread_mutex_unlock(&l->lock);
}

static bool is_of_tools(const struct loop_work *work)
{
    return strcmp(work->task->domain, "tools") == 0;
}

/* On a target whose tasks take microseconds a task that was not run costs as much as one that was: choosing must be little of the time
 * that an execution takes. */
static int64_t choose_until(struct loop *l)
{
    pthread_mutex_lock(&l->lock);
    double run_ns = l->run_ns;
    pthread_mutex_unlock(&l->lock);
    return run_ns > 0 ? clock_monotonic_ns() + (int64_t)(run_ns * CHOOSING_SHARE) : INT64_MAX;
}

/* A session costs a hundred times what a task costs, and some classes are armed by every second task, others by one of a hundred.
 * So of a few fresh tasks the one is run that arms most of what has been tried least, by the time that its workflow has had: without
 * that a tenth of the tasks, those that wait for something, took three quarters of the time. By the time of one task, though, quick
 * workflows ran eighty times and slow ones once: what is given out evenly is time. Tasks of the target's own tools have a share of
 * their own. */
static int choose(struct loop *l, struct rng *rng, struct arena *a, struct loop_work *work, struct error **err)
{
    int64_t choices = settings_int(l->options->settings, "loop.choices"), until_ns = choose_until(l);
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
    bool exploring = o->feed_back && !blind(o) && !o->count && !work->borrowed;
    bool asked_for = o->select && !selection_plain(o->select); /* whoever selects has chosen */
    if (exploring && !asked_for && !*work->parent && !is_of_tools(work) && choose(l, rng, a, work, err) < 0) {
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
