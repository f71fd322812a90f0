/* Which member of the corpus is mutated next, where one kind of feature is looked at alone: the member that was the first to show a rare one.
 *
 * A feature's chance is 1 / (executions that showed it), so what few have shown comes up until it is no longer rare: each task that is made of
 * its member shows it once more. Of a domain with more than CANDIDATES stable features so many are drawn first. */
#include "corpus/store_internal.h"

#include "base/clock.h"

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

/* One of them by its chance; the rest of how it was drawn goes into *picked. */
static void draw(const struct store_index *index, const uint64_t *from, size_t count, struct rng *rng, struct store_picked *picked)
{
    double weights[CANDIDATES], total = 0, before = 0;
    uint64_t hashes[CANDIDATES];
    size_t n = count < CANDIDATES ? count : CANDIDATES, i;
    for (i = 0; i < n; i++) {
        hashes[i] = from[n == count ? i : rng_below(rng, count)];
        const struct store_feature *f = store_index_find(index, hashes[i]);
        weights[i] = f && f->stable ? 1 / (double)f->shown : 0;
        total += weights[i];
    }
    picked->draw = (double)(rng_next(rng) >> 11) / 9007199254740992.0; /* 2^53 */
    for (i = 0; i + 1 < n && picked->draw * total >= before + weights[i]; i++)
        before += weights[i];
    picked->feature = hashes[i];
    picked->rarity = weights[i];
    picked->before = before;
    picked->total = total;
}

static int pick(struct store *s, unsigned domain, struct rng *rng, struct arena *a, struct store_picked *picked, struct error **err)
{
    struct store_member *one = NULL;
    TRY(store_members_need(s, err));
    const struct store_stable *stable = &s->index.stable[domain & 255];
    if (stable->count) {
        draw(&s->index, stable->items, stable->count, rng, picked);
        TRY(member_of(s, picked->feature, &one, err));
    }
    if (!one || !(picked->rarity > 0))
        return error_set(err, ERR_LIMIT, "the corpus of '%s' has no member for that", s->path);
    picked->number = one->number;
    picked->task = one->task;
    picked->domain = s->members.domains[one->domain];
    picked->speed = picked->freshness = 1;
    return store_picked_take(s, one, a, picked, err);
}

int store_pick_rare(struct store *s, unsigned domain, struct rng *rng, struct arena *a, struct store_picked *picked, struct error **err)
{
    *picked = (struct store_picked){0};
    pthread_mutex_lock(&s->mutex);
    int status = pick(s, domain, rng, a, picked, err);
    if (status == ERR_LIMIT) {
        pthread_mutex_unlock(&s->mutex);
        return status;
    }
    return store_leave(s, status);
}
