/* Shingles, MinHash signatures, bands, and the counters. Signatures have BANDS * ROWS rows: two sets of
 * likeness s meet in some band with a chance of 1 - (1 - s^ROWS)^BANDS, which is 0.99993 at 0.8. */
#include "gen/diversity.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "base/hash.h"
#include "base/rng.h"

enum {
    ROWS = 5,
    BANDS = 24,
    SIGNATURE = ROWS * BANDS,
    SHINGLE = 3,
    WORDS_MAX = 1 << 16,
    SURE = SIGNATURE * 13 / 20
};

/* --- a multimap from key to numbers, chained, newest first --- */

struct chain {
    uint64_t key;
    uint32_t value, next; /* next: index + 1; 0: the end */
};

struct index {
    struct chain *chains;
    uint32_t *heads;
    size_t count, capacity, head_count; /* head_count: a power of two */
};

static void index_grow(struct index *x)
{
    x->capacity = x->capacity ? 2 * x->capacity : 1024;
    x->chains = xrealloc(x->chains, x->capacity * sizeof *x->chains);
    x->head_count = x->capacity;
    free(x->heads);
    x->heads = xcalloc(x->head_count, sizeof *x->heads);
    for (size_t i = 0; i < x->count; i++) {
        uint32_t *head = &x->heads[x->chains[i].key & (x->head_count - 1)];
        x->chains[i].next = *head;
        *head = (uint32_t)i + 1;
    }
}

static void index_add(struct index *x, uint64_t key, uint32_t value)
{
    if (x->count == x->capacity)
        index_grow(x);
    uint32_t *head = &x->heads[key & (x->head_count - 1)];
    x->chains[x->count] = (struct chain){key, value, *head};
    *head = (uint32_t)++x->count;
}

/* The next entry of the key; *at is 0 before the first and changes with each call. */
static bool index_next(const struct index *x, uint64_t key, uint32_t *at, uint32_t *value)
{
    uint32_t i = *at ? x->chains[*at - 1].next : x->head_count ? x->heads[key & (x->head_count - 1)] : 0;
    while (i && x->chains[i - 1].key != key)
        i = x->chains[i - 1].next;
    *at = i;
    *value = i ? x->chains[i - 1].value : 0;
    return i != 0;
}

static bool index_has(const struct index *x, uint64_t key)
{
    uint32_t at = 0, value;
    return index_next(x, key, &at, &value);
}

static void index_release(struct index *x)
{
    free(x->chains);
    free(x->heads);
}

/* --- words and shingles --- */

struct keys {
    uint64_t *items;
    size_t count, capacity;
};

static void keys_add(struct keys *k, uint64_t key)
{
    if (k->count == k->capacity) {
        k->capacity = k->capacity ? 2 * k->capacity : 128;
        k->items = xrealloc(k->items, k->capacity * sizeof *k->items);
    }
    k->items[k->count++] = key;
}

/* Hashes of the words: what stands between white space, in lower case, without punctuation at its ends. */
static void add_words(struct keys *words, const char *text)
{
    while (*text && words->count < WORDS_MAX) {
        char word[64];
        size_t len = 0;
        while (isspace((unsigned char)*text))
            text++;
        const char *end = text;
        while (*end && !isspace((unsigned char)*end))
            end++;
        const char *from = text, *to = end;
        while (from < to && ispunct((unsigned char)*from))
            from++;
        while (to > from && ispunct((unsigned char)to[-1]))
            to--;
        for (; from < to && len < sizeof word; from++)
            word[len++] = (char)tolower((unsigned char)*from);
        if (len)
            keys_add(words, hash64(bytes_of(word, len)));
        text = end;
    }
}

static int compare_keys(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

/* Each SHINGLE items in a row as one key; fewer items are one shingle. */
static void add_shingles(struct keys *set, const struct keys *items, uint64_t what)
{
    size_t width = items->count < SHINGLE ? items->count : SHINGLE;
    for (size_t i = 0; width && i + width <= items->count; i++) {
        uint64_t key = what;
        for (size_t k = 0; k < width; k++)
            key = hash64_mix(key, items->items[i + k]);
        keys_add(set, key);
    }
}

/* Sorted, each once. */
static void shingles_of(const struct task *t, const struct keys *words, struct keys *set)
{
    struct keys ops = {0};
    for (size_t i = 0; i < t->step_count; i++)
        keys_add(&ops, hash64(bytes_of_string(t->steps[i].op->name)));
    add_shingles(set, words, 1);
    add_shingles(set, &ops, 2);
    free(ops.items);
    if (set->count)
        qsort(set->items, set->count, sizeof *set->items, compare_keys);
    size_t kept = 0;
    for (size_t i = 0; i < set->count; i++)
        if (!kept || set->items[kept - 1] != set->items[i])
            set->items[kept++] = set->items[i];
    set->count = kept;
}

static double likeness(const uint64_t *a, size_t a_count, const uint64_t *b, size_t b_count)
{
    size_t i = 0, k = 0, common = 0;
    if (!a_count && !b_count)
        return 1;
    while (i < a_count && k < b_count) {
        common += a[i] == b[k];
        if (a[i] < b[k])
            i++;
        else if (a[i] > b[k])
            k++;
        else
            i++, k++;
    }
    return (double)common / (double)(a_count + b_count - common);
}

double diversity_likeness(const struct task *a, const struct task *b)
{
    struct keys words[2] = {{0}}, sets[2] = {{0}};
    const struct task *tasks[2] = {a, b};
    for (int i = 0; i < 2; i++) {
        add_words(&words[i], tasks[i]->instruction);
        shingles_of(tasks[i], &words[i], &sets[i]);
    }
    double s = likeness(sets[0].items, sets[0].count, sets[1].items, sets[1].count);
    for (int i = 0; i < 2; i++) {
        free(words[i].items);
        free(sets[i].items);
    }
    return s;
}

/* --- the measure --- */

struct entry {
    uint64_t *shingles;
    size_t count;
    uint32_t signature[SIGNATURE];
    uint32_t seen; /* the last entry that was compared with it */
};

struct group {
    char *workflow; /* NULL: all */
    struct diversity_measure m;
    struct index bigrams;
    z_stream packer;
};

struct diversity {
    struct entry *entries;
    size_t count, capacity;
    struct index bands, ids;
    struct group **groups; /* the first is of all */
    size_t group_count;
    uint64_t factors[SIGNATURE], terms[SIGNATURE];
};

static struct group *group_new(const char *workflow)
{
    struct group *g = xcalloc(1, sizeof *g);
    g->workflow = workflow ? xstrdup(workflow) : NULL;
    if (deflateInit(&g->packer, Z_DEFAULT_COMPRESSION) != Z_OK)
        BUG("zlib has no memory");
    return g;
}

static void group_free(struct group *g)
{
    deflateEnd(&g->packer);
    index_release(&g->bigrams);
    free(g->workflow);
    free(g);
}

static struct group *add_group(struct diversity *d, const char *workflow)
{
    d->groups = xrealloc(d->groups, (d->group_count + 1) * sizeof *d->groups);
    return d->groups[d->group_count++] = group_new(workflow);
}

static struct group *find_group(const struct diversity *d, const char *workflow)
{
    for (size_t i = 0; i < d->group_count; i++)
        if (workflow ? d->groups[i]->workflow && strcmp(d->groups[i]->workflow, workflow) == 0
                     : !d->groups[i]->workflow)
            return d->groups[i];
    return NULL;
}

struct diversity *diversity_new(void)
{
    struct diversity *d = xcalloc(1, sizeof *d);
    struct rng rng;
    rng_seed(&rng, 1, 1);
    for (size_t i = 0; i < SIGNATURE; i++) {
        d->factors[i] = rng_next(&rng) | 1;
        d->terms[i] = rng_next(&rng);
    }
    add_group(d, NULL);
    return d;
}

void diversity_free(struct diversity *d)
{
    if (!d)
        return;
    for (size_t i = 0; i < d->count; i++)
        free(d->entries[i].shingles);
    for (size_t i = 0; i < d->group_count; i++)
        group_free(d->groups[i]);
    free(d->entries);
    free(d->groups);
    index_release(&d->bands);
    index_release(&d->ids);
    free(d);
}

static void sign(const struct diversity *d, struct entry *e)
{
    for (size_t row = 0; row < SIGNATURE; row++) {
        uint32_t least = UINT32_MAX;
        for (size_t i = 0; i < e->count; i++) {
            uint32_t hash = (uint32_t)((e->shingles[i] * d->factors[row] + d->terms[row]) >> 32);
            least = hash < least ? hash : least;
        }
        e->signature[row] = least;
    }
}

static uint64_t band_key(const struct entry *e, size_t band)
{
    struct bytes part = bytes_of(&e->signature[band * ROWS], ROWS * sizeof *e->signature);
    return hash64_mix(hash64(part), band);
}

/* The signature says that a comparison is worth while: SURE is far below what a likeness of 0.8 gives. */
static bool may_be_near(const struct entry *a, const struct entry *b)
{
    size_t same = 0;
    for (size_t i = 0; i < SIGNATURE; i++)
        same += a->signature[i] == b->signature[i];
    return same >= SURE;
}

static bool is_near(struct diversity *d, const struct entry *e)
{
    for (size_t band = 0; band < BANDS; band++) {
        uint32_t at = 0, other;
        while (index_next(&d->bands, band_key(e, band), &at, &other)) {
            struct entry *o = &d->entries[other];
            if (o->seen == d->count + 1)
                continue;
            o->seen = (uint32_t)d->count + 1;
            if (may_be_near(e, o) && likeness(e->shingles, e->count, o->shingles, o->count) >= DIVERSITY_NEAR)
                return true;
        }
    }
    return false;
}

static void pack(struct group *g, struct bytes text, int flush)
{
    uint8_t out[4096];
    g->packer.next_in = (Bytef *)text.data;
    g->packer.avail_in = (uInt)text.len;
    do {
        g->packer.next_out = out;
        g->packer.avail_out = sizeof out;
        deflate(&g->packer, flush);
        g->m.packed += sizeof out - g->packer.avail_out;
    } while (!g->packer.avail_out);
}

static void count(struct group *g, const struct task *t, const struct keys *words, bool equal, bool near)
{
    struct bytes text = bytes_of_string(t->instruction);
    g->m.tasks++;
    g->m.equal += equal;
    g->m.near += near;
    for (size_t i = 1; i < words->count; i++) {
        uint64_t key = hash64_mix(words->items[i - 1], words->items[i]);
        g->m.bigrams++;
        if (!index_has(&g->bigrams, key)) {
            index_add(&g->bigrams, key, 0);
            g->m.distinct_bigrams++;
        }
    }
    g->m.text += text.len + 1;
    pack(g, text, Z_NO_FLUSH);
    pack(g, BYTES_LITERAL("\n"), Z_NO_FLUSH);
}

static void keep(struct diversity *d, const struct entry *e)
{
    if (d->count == d->capacity) {
        d->capacity = d->capacity ? 2 * d->capacity : 1024;
        d->entries = xrealloc(d->entries, d->capacity * sizeof *d->entries);
    }
    for (size_t band = 0; band < BANDS; band++)
        index_add(&d->bands, band_key(e, band), (uint32_t)d->count);
    d->entries[d->count++] = *e;
}

void diversity_add(struct diversity *d, const struct task *t)
{
    struct keys words = {0}, set = {0};
    add_words(&words, t->instruction);
    shingles_of(t, &words, &set);
    struct entry e = {.shingles = set.items, .count = set.count};
    sign(d, &e);
    uint64_t id = hash64(bytes_of_string(t->id));
    bool equal = index_has(&d->ids, id), near = is_near(d, &e);
    if (!equal)
        index_add(&d->ids, id, 0);
    keep(d, &e);
    struct group *own = find_group(d, t->workflow);
    count(own ? own : add_group(d, t->workflow), t, &words, equal, near);
    count(d->groups[0], t, &words, equal, near);
    free(words.items);
}

struct diversity_measure diversity_of(const struct diversity *d, const char *workflow)
{
    struct group *g = find_group(d, workflow);
    if (!g)
        return (struct diversity_measure){0};
    struct diversity_measure m = g->m;
    struct group end = {0}; /* ends a copy of the stream, so that more tasks can be added */
    if (deflateCopy(&end.packer, &g->packer) != Z_OK)
        BUG("zlib has no memory");
    pack(&end, BYTES_NONE, Z_FINISH);
    deflateEnd(&end.packer);
    m.packed += end.m.packed;
    return m;
}

const char *diversity_workflow(const struct diversity *d, size_t index)
{
    return index + 1 < d->group_count ? d->groups[index + 1]->workflow : NULL;
}
