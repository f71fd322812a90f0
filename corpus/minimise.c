/* Which members the corpus can do without, from the features that are stored: a weighted set cover, greedy, then freed of members
 * that later ones made needless.
 *
 * Each round takes the member that shows most of what is not covered yet for its cost. What a member would add only shrinks, so a heap
 * with old figures is right as long as the top one is counted again before it is taken. Equal ones are decided by the task's id, so
 * that the order of the rows does not matter. 10^5 members of 40 features take about two seconds, most of them reading. */
#include "corpus/store_internal.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/hash.h"

/* Below these, time and size are noise. */
static const double NS_FLOOR = 1e6, BYTES_FLOOR = 256;

struct member {
    int64_t task, number;
    uint8_t hash[16];
    double cost;
    size_t first, count; /* in cover.features */
    size_t gain;         /* features that nobody taken shows, as of the last look */
    bool taken;
};

struct cover {
    struct member *members; /* by task */
    size_t count, capacity;
    uint32_t *features; /* dense numbers, member after member */
    size_t feature_count, feature_capacity;
    /* From hashes to dense numbers: open addressing, the slot count is a power of two. */
    uint64_t *hashes;
    uint32_t *numbers; /* 0: free; else one more than the number */
    size_t slots, distinct;
    uint32_t *shown;  /* by feature: members taken that show it */
    struct member **heap;
    size_t heap_count;
};

static void release(struct cover *c)
{
    free(c->members);
    free(c->features);
    free(c->hashes);
    free(c->numbers);
    free(c->shown);
    free(c->heap);
}

/* ---- reading ---- */

static size_t slot_of(const struct cover *c, uint64_t hash)
{
    size_t mask = c->slots - 1, at = (size_t)hash64_mix(hash, 0) & mask;
    while (c->numbers[at] && c->hashes[at] != hash)
        at = (at + 1) & mask;
    return at;
}

static void grow_slots(struct cover *c)
{
    struct cover old = *c;
    c->slots = old.slots ? 2 * old.slots : 1024;
    c->hashes = xcalloc(c->slots, sizeof *c->hashes);
    c->numbers = xcalloc(c->slots, sizeof *c->numbers);
    for (size_t i = 0; i < old.slots; i++) {
        if (!old.numbers[i])
            continue;
        size_t at = slot_of(c, old.hashes[i]);
        c->hashes[at] = old.hashes[i];
        c->numbers[at] = old.numbers[i];
    }
    free(old.hashes);
    free(old.numbers);
}

static uint32_t number_of(struct cover *c, uint64_t hash)
{
    if (2 * (c->distinct + 1) > c->slots)
        grow_slots(c);
    size_t at = slot_of(c, hash);
    if (!c->numbers[at]) {
        c->hashes[at] = hash;
        c->numbers[at] = (uint32_t)++c->distinct;
    }
    return c->numbers[at] - 1;
}

static struct member *add_member(struct cover *c)
{
    if (c->count == c->capacity) {
        c->capacity = c->capacity ? 2 * c->capacity : 256;
        c->members = xrealloc(c->members, c->capacity * sizeof *c->members);
    }
    struct member *m = &c->members[c->count++];
    *m = (struct member){0};
    return m;
}

static void add_feature(struct cover *c, struct member *m, uint64_t hash)
{
    if (c->feature_count == c->feature_capacity) {
        c->feature_capacity = c->feature_capacity ? 2 * c->feature_capacity : 4096;
        c->features = xrealloc(c->features, c->feature_capacity * sizeof *c->features);
    }
    c->features[c->feature_count++] = number_of(c, hash);
    m->count++;
}

static int read_members(struct store *s, struct cover *c, struct error **err)
{
    int more = store_step(s, SQL_MEMBERS, err, "");
    for (; more > 0; more = store_next(s, SQL_MEMBERS, err)) {
        struct member *m = add_member(c);
        m->task = store_integer(s, SQL_MEMBERS, 0);
        m->number = store_integer(s, SQL_MEMBERS, 1);
        const void *hash = sqlite3_column_blob(s->statements[SQL_MEMBERS], 2);
        if (hash && sqlite3_column_bytes(s->statements[SQL_MEMBERS], 2) == 16)
            memcpy(m->hash, hash, 16);
        m->cost = (NS_FLOOR + (double)store_integer(s, SQL_MEMBERS, 3)) * (BYTES_FLOOR + (double)store_integer(s, SQL_MEMBERS, 4));
    }
    return more;
}

/* Both come in the order of tasks; features of those that are no members are passed over. */
static int read_features(struct store *s, struct cover *c, struct error **err)
{
    size_t at = 0;
    int more = store_step(s, SQL_MEMBER_FEATURES, err, "");
    for (; more > 0; more = store_next(s, SQL_MEMBER_FEATURES, err)) {
        int64_t task = store_integer(s, SQL_MEMBER_FEATURES, 0);
        while (at < c->count && c->members[at].task < task)
            at++;
        if (at == c->count || c->members[at].task != task)
            continue;
        if (!c->members[at].count)
            c->members[at].first = c->feature_count;
        add_feature(c, &c->members[at], (uint64_t)store_integer(s, SQL_MEMBER_FEATURES, 1));
    }
    return more;
}

/* ---- choosing ---- */

static bool better(const struct member *a, const struct member *b)
{
    double x = (double)a->gain * b->cost, y = (double)b->gain * a->cost;
    return x != y ? x > y : memcmp(a->hash, b->hash, 16) < 0;
}

static void sift(struct cover *c, size_t at)
{
    struct member *m = c->heap[at];
    for (size_t child; (child = 2 * at + 1) < c->heap_count; at = child) {
        child += child + 1 < c->heap_count && better(c->heap[child + 1], c->heap[child]);
        if (!better(c->heap[child], m))
            break;
        c->heap[at] = c->heap[child];
    }
    c->heap[at] = m;
}

static size_t gain_of(const struct cover *c, const struct member *m)
{
    size_t gain = 0;
    for (size_t i = 0; i < m->count; i++)
        gain += !c->shown[c->features[m->first + i]];
    return gain;
}

static void note(struct cover *c, const struct member *m, int by)
{
    for (size_t i = 0; i < m->count; i++)
        c->shown[c->features[m->first + i]] += (uint32_t)by;
}

static void drop_top(struct cover *c)
{
    c->heap[0] = c->heap[--c->heap_count];
    if (c->heap_count)
        sift(c, 0);
}

/* Fills `taken`, which has room for all, and says how many. */
static size_t take_greedily(struct cover *c, struct member **taken)
{
    size_t count = 0;
    c->heap_count = c->count;
    for (size_t i = 0; i < c->count; i++) {
        c->heap[i] = &c->members[i];
        c->members[i].gain = c->members[i].count;
    }
    for (size_t i = c->count / 2; i-- > 0;)
        sift(c, i);
    while (c->heap_count && c->heap[0]->gain) {
        struct member *m = c->heap[0];
        size_t gain = gain_of(c, m);
        if (gain < m->gain) {
            m->gain = gain;
            sift(c, 0);
            continue;
        }
        m->taken = true;
        note(c, m, 1);
        taken[count++] = m;
        drop_top(c);
    }
    return count;
}

static int dearest_first(const void *a, const void *b)
{
    const struct member *x = *(struct member *const *)a, *y = *(struct member *const *)b;
    return x->cost != y->cost ? (x->cost < y->cost) - (x->cost > y->cost) : memcmp(x->hash, y->hash, 16);
}

/* What was taken early may be shown whole by what came later. */
static void give_back(struct cover *c, struct member **taken, size_t count)
{
    qsort(taken, count, sizeof *taken, dearest_first);
    for (size_t i = 0; i < count; i++) {
        struct member *m = taken[i];
        bool needed = false;
        for (size_t f = 0; f < m->count && !needed; f++)
            needed = c->shown[c->features[m->first + f]] == 1;
        m->taken = needed;
        if (!needed)
            note(c, m, -1);
    }
}

static void choose(struct cover *c)
{
    struct member **taken = xcalloc(c->count + 1, sizeof(struct member *));
    c->shown = xcalloc(c->distinct + 1, sizeof *c->shown);
    c->heap = xcalloc(c->count + 1, sizeof(struct member *));
    size_t count = take_greedily(c, taken);
    give_back(c, taken, count);
    free(taken);
}

/* ---- writing ---- */

static int by_number(const void *a, const void *b)
{
    const struct member *x = a, *y = b;
    return (x->number > y->number) - (x->number < y->number);
}

/* Numbers stay without gaps: a pick draws one of them. */
static int retire(struct store *s, struct cover *c, struct error **err)
{
    int64_t now = clock_wall_ms(), number = 0;
    TRY(store_begin(s, err));
    qsort(c->members, c->count, sizeof *c->members, by_number);
    for (size_t i = 0; i < c->count; i++) {
        const struct member *m = &c->members[i];
        if (!m->taken) {
            TRY(store_do(s, SQL_MEMBER_RETIRE, err, "ii", m->number, now));
            TRY(store_do(s, SQL_MEMBER_DROP, err, "i", m->number));
        } else if (++number != m->number) {
            TRY(store_do(s, SQL_MEMBER_RENUMBER, err, "ii", m->number, number));
        }
    }
    store_members_release(&s->members);
    return store_commit_all(s, err);
}

static int minimise(struct store *s, bool dry, struct cover *c, struct store_minimised *m, struct error **err)
{
    TRY(read_members(s, c, err));
    TRY(read_features(s, c, err));
    choose(c);
    *m = (struct store_minimised){.members = c->count, .features = c->distinct};
    for (size_t i = 0; i < c->count; i++)
        m->needed += c->members[i].taken;
    return dry || m->needed == m->members ? 0 : retire(s, c, err);
}

int store_minimise(struct store *s, bool dry, struct store_minimised *m, struct error **err)
{
    struct cover c = {0};
    *m = (struct store_minimised){0};
    pthread_mutex_lock(&s->mutex);
    int status = store_leave(s, minimise(s, dry, &c, m, err));
    release(&c);
    return status;
}
