/* Which member of the corpus is mutated next, where features are looked at and not members: the one that was the first to show it.
 *
 * Of one domain a feature's chance is 1 / (executions that showed it), so what few have shown comes up until it is no longer rare: each task that
 * is made of its member shows it once more. Of a domain with more than CANDIDATES stable features so many are drawn first. Or the caller weighs
 * features. */
#include "corpus/store_internal.h"

#include <string.h>

enum { CANDIDATES = 256 };

/* The member that the feature let in; NULL: it has left the corpus. */
static int member_of(struct store *s, uint64_t feature, struct store_member **one, struct error **err)
{
    *one = NULL;
    int row = store_step(s, SQL_RARE_MEMBER, err, "i", (int64_t)feature);
    if (row <= 0)
        return row;
    int64_t number = store_integer(s, SQL_RARE_MEMBER, 0);
    store_done(s, SQL_RARE_MEMBER);
    for (size_t i = 0; i < s->members.count && !*one; i++)
        if (s->members.items[i].number == number)
            *one = &s->members.items[i];
    return 0;
}

/* One of them by its weight; how it was drawn goes into *picked. */
static void draw(const uint64_t *features, const double *weights, size_t count, struct rng *rng, struct store_picked *picked)
{
    double total = 0, before = 0;
    size_t i = 0;
    for (size_t k = 0; k < count; k++)
        total += weights[k];
    picked->draw = (double)(rng_next(rng) >> 11) / 9007199254740992.0; /* 2^53 */
    for (; i + 1 < count && picked->draw * total >= before + weights[i]; i++)
        before += weights[i];
    picked->feature = features[i];
    picked->rarity = weights[i];
    picked->before = before;
    picked->total = total;
}

static void draw_rare(const struct store_index *index, const struct store_stable *from, struct rng *rng, struct store_picked *picked)
{
    uint64_t features[CANDIDATES];
    double weights[CANDIDATES];
    size_t count = from->count < CANDIDATES ? from->count : CANDIDATES;
    for (size_t i = 0; i < count; i++) {
        features[i] = from->items[count == from->count ? i : rng_below(rng, from->count)];
        const struct store_feature *f = store_index_find(index, features[i]);
        weights[i] = f && f->stable ? 1 / (double)f->shown : 0;
    }
    draw(features, weights, count, rng, picked);
}

/* The member that brought picked->feature. */
static int pick_first(struct store *s, struct arena *a, struct store_picked *picked, struct error **err)
{
    struct store_member *one = NULL;
    TRY(store_members_need(s, err));
    if (picked->rarity > 0)
        TRY(member_of(s, picked->feature, &one, err));
    if (!one)
        return error_set(err, ERR_LIMIT, "the corpus of '%s' has no member for that", s->path);
    picked->number = one->number;
    picked->task = one->task;
    picked->domain = s->members.domains[one->domain];
    picked->speed = picked->freshness = 1;
    return store_picked_take(s, one, a, picked, err);
}

/* Nothing to pick is no failure of the file. */
static int leave(struct store *s, int status)
{
    if (status != ERR_LIMIT)
        return store_leave(s, status);
    pthread_mutex_unlock(&s->mutex);
    return status;
}

int store_pick_rare(struct store *s, unsigned domain, struct rng *rng, struct arena *a, struct store_picked *picked, struct error **err)
{
    *picked = (struct store_picked){0};
    pthread_mutex_lock(&s->mutex);
    if (s->index.stable[domain & 255].count)
        draw_rare(&s->index, &s->index.stable[domain & 255], rng, picked);
    return leave(s, pick_first(s, a, picked, err));
}

int store_pick_weighed(struct store *s, const uint64_t *features, const double *weights, size_t count, struct rng *rng, struct arena *a,
                       struct store_picked *picked, struct error **err)
{
    *picked = (struct store_picked){0};
    pthread_mutex_lock(&s->mutex);
    if (count)
        draw(features, weights, count, rng, picked);
    return leave(s, pick_first(s, a, picked, err));
}

size_t store_stable(struct store *s, unsigned domain, uint64_t *features, size_t max)
{
    pthread_mutex_lock(&s->mutex);
    const struct store_stable *of = &s->index.stable[domain & 255];
    size_t count = of->count < max ? of->count : max;
    if (count)
        memcpy(features, of->items + (of->count - count), count * sizeof *features);
    pthread_mutex_unlock(&s->mutex);
    return count;
}

int store_member_features(struct store *s, int64_t task, unsigned domain, uint64_t *features, size_t max, size_t *count, struct error **err)
{
    *count = 0;
    pthread_mutex_lock(&s->mutex);
    int row = store_step(s, SQL_PICK_FEATURES, err, "i", task);
    for (; row > 0; row = store_next(s, SQL_PICK_FEATURES, err)) {
        uint64_t feature = (uint64_t)store_integer(s, SQL_PICK_FEATURES, 0);
        if (feature >> 56 == domain && *count < max)
            features[(*count)++] = feature;
    }
    pthread_mutex_unlock(&s->mutex);
    return row;
}
