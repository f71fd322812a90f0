/* The features that the database knows, in memory: an execution shows dozens, nearly all of them known, and
 * asking the file for each would cost more than all else. Only new ones are written at once, with the
 * execution that brought them; how often the others were seen is added up here and written about once a
 * second, since a batch shows most of the common ones and would have to write them all. A kill therefore
 * loses a second of counting, and never a feature.
 *
 * Invariant: outside of a batch this holds exactly the hashes of table feature. */
#include "corpus/store_internal.h"

#include <stdlib.h>

#include "base/clock.h"

/* 3 MB from the start: for what a million executions show, so that a long campaign needs no more memory in the end than soon after it began. */
enum { CAPACITY_FIRST = 1 << 17 };
static const int64_t counts_every_ns = 1000000000;

void store_index_release(struct store_index *index)
{
    free(index->slots);
    free(index->dirty);
    for (size_t i = 0; i < 256; i++)
        free(index->stable[i].items);
    *index = (struct store_index){0};
}

/* Hashes are XXH3 values with a domain number in the top byte: the low bits are as good as random. Hashes
 * from a damaged file may not be, which makes this slow, not wrong. */
static struct store_feature *slot_of(const struct store_index *index, uint64_t hash)
{
    size_t mask = index->capacity - 1;
    size_t at = (size_t)(hash ^ hash >> 47) & mask;
    while (index->slots[at].seen_in && index->slots[at].hash != hash)
        at = (at + 1) & mask;
    return &index->slots[at];
}

static void grow(struct store_index *index)
{
    struct store_index old = *index;
    index->capacity = old.capacity ? 2 * old.capacity : CAPACITY_FIRST;
    index->slots = xcalloc(index->capacity, sizeof *index->slots);
    index->dirty_count = 0;
    for (size_t i = 0; i < old.capacity; i++) {
        if (!old.slots[i].seen_in)
            continue;
        struct store_feature *slot = slot_of(index, old.slots[i].hash);
        *slot = old.slots[i];
        if (slot->more)
            index->dirty[index->dirty_count++] = (size_t)(slot - index->slots);
    }
    free(old.slots);
}

static void note_dirty(struct store_index *index, size_t slot)
{
    if (index->dirty_count == index->dirty_capacity) {
        index->dirty_capacity = index->dirty_capacity ? 2 * index->dirty_capacity : 256;
        index->dirty = xrealloc(index->dirty, index->dirty_capacity * sizeof *index->dirty);
    }
    index->dirty[index->dirty_count++] = slot;
}

void store_index_next(struct store_index *index)
{
    if (++index->serial == 0 ||
        index->serial == 1) { /* 0 marks a free slot, 1 is what a fresh serial starts behind */
        for (size_t i = 0; i < index->capacity; i++)
            if (index->slots[i].seen_in)
                index->slots[i].seen_in = 1;
        index->serial = 2;
    }
}

static void count_in(struct store_index *index, uint64_t hash, int64_t features, int64_t shown)
{
    struct store_domain *both[] = {&index->all, &index->domains[hash >> 56]};
    for (size_t i = 0; i < 2; i++) {
        both[i]->features += features;
        both[i]->shown += shown;
    }
}

struct store_feature *store_index_see(struct store_index *index, uint64_t hash)
{
    if (2 * (index->count + 1) > index->capacity)
        grow(index);
    struct store_feature *slot = slot_of(index, hash);
    if (slot->seen_in == index->serial)
        return NULL;
    if (!slot->seen_in) {
        *slot = (struct store_feature){.hash = hash};
        index->count++;
        count_in(index, hash, 1, 1);
    } else {
        if (!slot->more++)
            note_dirty(index, (size_t)(slot - index->slots));
        count_in(index, hash, 0, 1);
    }
    slot->shown += slot->shown < UINT32_MAX;
    slot->seen_in = index->serial;
    return slot;
}

struct store_feature *store_index_find(const struct store_index *index, uint64_t hash)
{
    struct store_feature *slot = index->capacity ? slot_of(index, hash) : NULL;
    return slot && slot->seen_in ? slot : NULL;
}

void store_index_admit(struct store_index *index, struct store_feature *f)
{
    if (f->stable)
        return;
    f->stable = true;
    index->all.stable++;
    index->domains[f->hash >> 56].stable++;
    struct store_stable *of = &index->stable[f->hash >> 56];
    if (of->count == of->capacity) {
        of->capacity = of->capacity ? 2 * of->capacity : 64;
        of->items = xrealloc(of->items, of->capacity * sizeof *of->items);
    }
    of->items[of->count++] = f->hash;
}

/* What a file says, which may be damaged. */
static uint8_t small(int64_t value)
{
    return (uint8_t)(value < 0 ? 0 : value > UINT8_MAX ? UINT8_MAX : value);
}

/* The row at which SQL_FEATURES stands. */
static void load_feature(struct store *s)
{
    int64_t shown = store_integer(s, SQL_FEATURES, 1);
    struct store_feature *f = store_index_see(&s->index, (uint64_t)store_integer(s, SQL_FEATURES, 0));
    if (!f)
        return; /* cannot be: it is the key of the table */
    f->shown = (uint32_t)(shown < 1 ? 1 : shown > UINT32_MAX ? UINT32_MAX : shown);
    count_in(&s->index, f->hash, 0, (int64_t)f->shown - 1);
    f->tries = small(store_integer(s, SQL_FEATURES, 2));
    f->shows = small(store_integer(s, SQL_FEATURES, 3));
    f->failed = small(store_integer(s, SQL_FEATURES, 4));
    if (store_integer(s, SQL_FEATURES, 5))
        store_index_admit(&s->index, f);
}

int store_index_load(struct store *s, struct error **err)
{
    struct store_index *index = &s->index;
    store_index_release(index);
    store_index_next(index);
    int more = store_step(s, SQL_FEATURES, err, "");
    for (; more > 0; more = store_next(s, SQL_FEATURES, err))
        load_feature(s);
    return more;
}

/* ---- how common they are ---- */

int store_index_need(struct store *s, struct error **err)
{
    return s->writes || s->index.count ? 0 : store_index_load(s, err);
}

int store_rarity(struct store *s, const uint64_t *features, size_t count, struct store_rarity *out, struct error **err)
{
    pthread_mutex_lock(&s->mutex);
    int status = store_index_need(s, err);
    for (size_t i = 0; i < count; i++) {
        const struct store_feature *f = store_index_find(&s->index, features[i]);
        out[i] = f ? (struct store_rarity){f->shown, f->stable} : (struct store_rarity){0};
    }
    pthread_mutex_unlock(&s->mutex);
    return status;
}

int store_domain(struct store *s, unsigned domain, struct store_domain *out, struct error **err)
{
    pthread_mutex_lock(&s->mutex);
    int status = store_index_need(s, err);
    *out = domain ? s->index.domains[domain & 255] : s->index.all;
    pthread_mutex_unlock(&s->mutex);
    return status;
}

/* ---- writing ---- */

bool store_index_due(const struct store_index *index)
{
    return clock_monotonic_ns() - index->written_ns >= counts_every_ns;
}

int store_index_flush(struct store *s, struct error **err)
{
    struct store_index *index = &s->index;
    index->written_ns = clock_monotonic_ns();
    for (size_t i = 0; i < index->dirty_count; i++) {
        struct store_feature *slot = &index->slots[index->dirty[i]];
        TRY(store_do(s, SQL_FEATURE_MORE, err, "ii", (int64_t)slot->hash, (int64_t)slot->more));
        slot->more = 0;
    }
    index->dirty_count = 0;
    return 0;
}

double store_index_rarity(const struct store_index *index, uint64_t hash)
{
    const struct store_feature *f = store_index_find(index, hash);
    return f && f->stable ? 1 / ((double)index->domains[hash >> 56].features * f->shown) : 0;
}
