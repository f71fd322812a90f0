/* Mutants: a kept task with mutations on it, or another one of the same grammar made by an edit of its derivation; and the draw of what is
 * kept. For comparison, loop.feedback=0, tasks are drawn that nobody has chosen for what they showed. */
#include "exec/loop_internal.h"

#include "mutate/mutate.h"
#include "mutate/tree/tree.h"

#include <string.h>

enum {
    MUTATIONS_MAX = 3,
    FOCUSES_TRIED = 4, /* domains of features, until one has a member */
    DONORS_TRIED = 4 /* picks until one of the same domain comes up */
};
static const double CALMED = 0.75; /* of kept tasks that are changed, those that lose what loop_calm takes back */
static const double FOCUSED = 0.7, FOCUSED_EVEN = 0.3; /* of the picks: for one domain of features; of those: whatever the domain has won */
static const double EVEN = 0.1; /* of the draws of mutators, whatever they have won */

/* The chances of all mutators; NULL: all alike. */
static const double *mutator_odds(struct loop *l, double odds[LOOP_YIELD_ROWS])
{
    size_t count = 0;
    while (mutator_at(count))
        count++;
    if (loop_blind(l->options))
        return NULL;
    pthread_mutex_lock(&l->lock);
    loop_yield_odds(&l->mutators, count, EVEN, odds);
    pthread_mutex_unlock(&l->lock);
    return odds;
}

static size_t tree_odds(struct loop *l, double odds[LOOP_YIELD_ROWS])
{
    size_t count = 0;
    while (tree_mutator_at(count))
        count++;
    pthread_mutex_lock(&l->lock);
    loop_yield_odds(&l->trees, count, loop_blind(l->options) ? 1 : EVEN, odds);
    pthread_mutex_unlock(&l->lock);
    return count;
}

const struct arm_set *loop_classes(const struct loop_options *o)
{
    return o->select ? selection_classes(o->select) : NULL;
}

int loop_fresh(const struct loop_options *o, uint64_t index, struct loop_work *work, struct error **err)
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

bool loop_blind(const struct loop_options *o)
{
    return !settings_flag(o->settings, "loop.feedback");
}

/* For which domain of features a kept task is picked: what paid, of those that there is anything of. 0: for all. */
static unsigned draw_focus(struct loop *l, struct rng *rng)
{
    double odds[LOOP_YIELD_ROWS] = {0};
    size_t count = 0;
    if (!rng_chance(rng, FOCUSED))
        return 0;
    while (feedback_at(count))
        count++;
    pthread_mutex_lock(&l->lock);
    loop_yield_best(&l->focuses, count, FOCUSED_EVEN, odds);
    pthread_mutex_unlock(&l->lock);
    return feedback_at(loop_draw(odds, count, rng))->id;
}

static int pick_kept(struct loop *l, struct rng *rng, struct arena *a, struct store_picked *picked, struct error **err)
{
    for (int tries = 0; tries < FOCUSES_TRIED; tries++) {
        unsigned focus = draw_focus(l, rng);
        int status = focus ? store_pick_rare(l->options->store, focus, rng, a, picked, err) : ERR_LIMIT;
        if (status != ERR_LIMIT)
            return status;
        error_free(*err);
        *err = NULL;
        if (!focus)
            break;
    }
    return store_pick(l->options->store, rng, a, picked, err);
}

int loop_pick(struct loop *l, struct rng *rng, struct arena *a, struct task **task, struct store_picked *picked, struct error **err)
{
    const struct loop_options *o = l->options;
    struct error *none = NULL;
    *picked = (struct store_picked){0};
    if (loop_blind(o)) {
        struct loop_work any = {0};
        TRY(loop_fresh(o, rng_next(rng), &any, err));
        *task = any.task;
        return 1;
    }
    int status = pick_kept(l, rng, a, picked, &none);
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

/* What was done to frames and to what is around calls and the task is taken back in most mutants: handed down, it adds up to tasks that no
 * client could send, and everything that they show is put down to that. */
void loop_calm(struct task *t, struct rng *rng)
{
    if (!rng_chance(rng, CALMED))
        return;
    for (size_t i = t->mutations->count; i-- > 0;) {
        struct bytes at = json_as_text(json_get(json_at(t->mutations, i), "at"));
        if (bytes_equal_string(at, "/frame") || bytes_equal_string(at, "/env") || bytes_starts(at, BYTES_LITERAL("/start/")))
            mutate_undo(t, i);
    }
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
static int find_donor(struct loop *l, const struct domain *domain, struct rng *rng,
                      struct arena *a, struct derivation *donor, struct error **err)
{
    int found = 0;
    for (int tries = 0; tries < DONORS_TRIED && !found; tries++) {
        struct task *t = NULL;
        struct store_picked picked;
        TRY(loop_pick(l, rng, a, &t, &picked, err));
        if (!t)
            return 0;
        found = domain_of(l->options, t) == domain &&
                derivation_decode(donor, bytes_of_string(t->derivation), NULL) == 0;
        task_free(t);
    }
    return found;
}

static int edit_tree(struct loop *l, const struct domain *domain, const struct task *parent,
                     struct rng *rng, struct arena *a, struct task **task, struct error **err)
{
    const struct loop_options *o = l->options;
    double odds[LOOP_YIELD_ROWS];
    size_t count = tree_odds(l, odds);
    const struct tree_mutator *m = tree_mutator_at(loop_draw(odds, count, rng));
    struct derivation donor;
    derivation_init(&donor);
    int status = m->needs_donor ? find_donor(l, domain, rng, a, &donor, err) : 0;
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
static int mutate_tree(struct loop *l, const struct mutate_choice *choice, struct rng *rng, struct arena *a, struct loop_work *work,
                       bool *done, struct error **err)
{
    const struct loop_options *o = l->options;
    const struct domain *domain = domain_of(o, work->task);
    struct task *edited = NULL;
    *done = false;
    if (!domain || !rng_chance(rng, settings_real(o->settings, "loop.tree-share")))
        return 0;
    TRY(edit_tree(l, domain, work->task, rng, a, &edited, err));
    if (!edited)
        return 0;
    mutate_task_by(edited, o->ops, o->settings, rng, (size_t)rng_below(rng, MUTATIONS_MAX), choice);
    task_free(work->task);
    work->task = edited;
    *done = true;
    return 0;
}

int loop_mutant(struct loop *l, struct rng *rng, struct arena *a, struct loop_work *work, struct error **err)
{
    const struct loop_options *o = l->options;
    double odds[LOOP_YIELD_ROWS];
    struct mutate_choice choice = {.classes = loop_classes(o), .odds = mutator_odds(l, odds), .words = o->words};
    bool done;
    int status = loop_pick(l, rng, a, &work->task, &work->picked, err);
    if (status <= 0)
        return status;
    memcpy(work->parent, work->task->id, sizeof work->parent);
    loop_calm(work->task, rng);
    if (loop_tools_own(o, work->task)) {
        struct task *parent = work->task;
        work->task = NULL;
        status = loop_tools_mutant(o, parent, rng, &work->task, err);
        if (status <= 0)
            work->parent[0] = 0;
        task_free(parent);
        return status;
    }
    status = mutate_tree(l, &choice, rng, a, work, &done, err);
    if (status < 0) {
        loop_work_release(work);
        return status;
    }
    size_t count = 1 + (size_t)rng_below(rng, MUTATIONS_MAX);
    if (done || mutate_task_by(work->task, o->ops, o->settings, rng, count, &choice))
        return 1;
    loop_work_release(work); /* no mutator fits this one */
    work->parent[0] = 0;
    return 0;
}
