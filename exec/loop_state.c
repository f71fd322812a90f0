/* States of the target that it tells of itself (exec/oracle/feedback.h): which of them the next session of several tasks begins with, and what of
 * them a kept task brings about. Behind each state whatever can go wrong is tried once before anything is tried twice (loop_pairs.h), and
 * the state behind which most is left to try comes first. */
#include "exec/loop_internal.h"

enum { STATES_MAX = 512, SHOWN_MAX = 64 };

static size_t known_states(struct loop *l, uint64_t *states)
{
    size_t count = 0;
    const struct feedback *d;
    for (size_t i = 0; (d = feedback_at(i)); i++)
        if (d->about == FEEDBACK_STATE)
            count += store_stable(l->options->store, d->id, states + count, STATES_MAX - count);
    return count;
}

int loop_pick_state(struct loop *l, struct rng *rng, struct arena *a, struct task **task, struct store_picked *picked, struct error **err)
{
    uint64_t states[STATES_MAX];
    double weights[STATES_MAX];
    struct error *none = NULL;
    size_t count = known_states(l, states);
    pthread_mutex_lock(&l->lock);
    for (size_t i = 0; i < count; i++) {
        double left = loop_pairs_left(&l->pairs, states[i]);
        weights[i] = left * left * left * left; /* nearly always one of those with most */
    }
    pthread_mutex_unlock(&l->lock);
    int status = store_pick_weighed(l->options->store, states, weights, count, rng, a, picked, &none);
    if (status == ERR_LIMIT) {
        error_free(none);
        return 0;
    }
    if (status < 0) {
        *err = none;
        return status;
    }
    TRY(task_read(l->options->ops, picked->json, "corpus", task, err));
    return 1;
}

int loop_states_of(struct loop *l, const struct store_picked *picked, struct loop_deeds *deeds, struct error **err)
{
    uint64_t shown[SHOWN_MAX];
    const struct feedback *d;
    size_t count;
    for (size_t i = 0; picked->number && (d = feedback_at(i)); i++) {
        if (d->about != FEEDBACK_STATE)
            continue;
        TRY(store_member_features(l->options->store, picked->task, d->id, shown, SHOWN_MAX, &count, err));
        for (size_t k = 0; k < count; k++)
            loop_deeds_state(deeds, shown[k]);
    }
    return 0;
}
