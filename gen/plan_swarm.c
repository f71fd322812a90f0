/* Swarm testing: each task uses only a part of what the template offers it, so that tasks differ in kind and
 * not only in what was drawn. What a task leaves out gives room to what it keeps, and lets come together what
 * would else be kept apart by something in between.
 *
 * One number is drawn for each task and logged first. By a hash of it, the candidates of a choice fall into
 * two halves, and the task uses one of them: that half is taken with a chance that is its share of all
 * weights. So over many tasks each candidate comes as often as its weight says, whatever the halves are. A
 * step is in the same half wherever it is a candidate. Where nothing of the half can be taken at the moment
 * (guards, handles, budgets), all that can be is used; so budgets and producers find what they need.
 *
 * Only the rng is narrowed. What a replayed derivation has chosen is done as before, also when it comes from
 * another task or the number was changed; number 0 narrows nothing, and is what a guide gets. */
#include <string.h>

#include "base/hash.h"
#include "gen/plan_internal.h"

struct candidate {
    double weight; /* as declared */
    bool half;
};

void plan_swarm_draw(struct plan_run *run)
{
    if (!run->domain->limits.swarm)
        return;
    if (run->chooser.guide) /* which is to see all that there is */
        chooser_note(&run->chooser, PLAN_SITE_SWARM, 0);
    else
        run->swarm = chooser_uniform(&run->chooser, PLAN_SITE_SWARM, 0);
}

/* At least 0, below 1. */
static double fraction_of(uint64_t hash)
{
    return (double)(hash >> 11) * 0x1p-53;
}

static bool coin(const struct plan_run *run, uint64_t key)
{
    return hash64_mix(run->swarm, key) & 1;
}

/* `key` decides which half is taken. */
static void narrow(struct plan_run *run, const struct candidate *candidates, size_t count, uint64_t key)
{
    double all = 0, first = 0, left = 0;
    for (size_t i = 0; i < count; i++) {
        all += candidates[i].weight;
        first += candidates[i].half ? candidates[i].weight : 0;
    }
    bool half = fraction_of(hash64_mix(run->swarm, key)) * all < first;
    for (size_t i = 0; i < count; i++)
        left += candidates[i].half == half ? run->weights[i] : 0;
    for (size_t i = 0; left > 0 && i < count; i++)
        if (candidates[i].half != half)
            run->weights[i] = 0;
}

static bool narrows(const struct plan_run *run, uint32_t site)
{
    return run->swarm && !chooser_recalls(&run->chooser, site);
}

void plan_swarm_alternatives(struct plan_run *run, const struct plan_node *one_of)
{
    struct candidate candidates[PLAN_MAX_ALTERNATIVES];
    size_t count = 0;
    if (!narrows(run, one_of->site))
        return;
    uint64_t place = (uint64_t)one_of->site << 32;
    for (const struct plan_node *alt = one_of->first; alt; alt = alt->next, count++)
        candidates[count] = (struct candidate){alt->weight, coin(run, place | (count + 1))};
    narrow(run, candidates, count, place);
}

double plan_step_weight(const struct plan_do *call, size_t index)
{
    double weight = call->steps[index]->weight;
    return weight > 0 || strcmp(call->names, "*") == 0 ? weight : 1; /* named, it counts */
}

void plan_swarm_steps(struct plan_run *run, const struct plan_node *n)
{
    static const uint64_t all_places = UINT64_MAX;
    const struct plan_do *call = &n->u.call;
    if (call->step_count < 2 || !narrows(run, n->site))
        return;
    struct candidate *candidates = arena_alloc(&run->scratch, call->step_count * sizeof *candidates);
    for (size_t i = 0; i < call->step_count; i++)
        candidates[i] = (struct candidate){plan_step_weight(call, i),
                                           coin(run, hash64(bytes_of_string(call->steps[i]->name)))};
    narrow(run, candidates, call->step_count, all_places);
}
