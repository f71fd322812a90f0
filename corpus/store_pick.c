/* Which member of the corpus is mutated next.
 *
 * Domains of tasks take turns, so that one whose tasks show something new all the time does not starve the others. Among the members
 * of a domain a member's chance is its weight:
 *
 *     rarity x speed x freshness / (1 + log2(1 + times it was picked))
 *
 * rarity: the sum over its features of 1 / (features of that feature's domain x executions that showed the feature), as Centipede weighs
 * inputs: a domain that explodes devalues itself. speed: the geometric mean of all members' times over its own, 0.1 to 3. freshness: 4 in
 * its first minute, 2 in its first five, 1/2 after an hour in which it begot nothing.
 *
 * A rarity is looked up when its member is drawn, which costs a query, and kept till then. Since it only falls as counts grow, a member
 * whose rarity has fallen is given its new one and the draw is made again: what was kept too long can make a member be looked at too often,
 * not be picked too often. */
#include "corpus/store_internal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"

enum {
    DRAWS_MAX = 16, /* then what is drawn is taken as it is */
    MINUTE_MS = 60000,
    HOUR_MS = 60 * MINUTE_MS
};
static const double SPEED_LEAST = 0.1, SPEED_MOST = 3, STALE = 1.1; /* a rarity kept may be so many times too high */

void store_members_release(struct store_members *m)
{
    for (size_t i = 0; i < m->domain_count; i++)
        free(m->domains[i]);
    free(m->domains);
    free(m->items);
    *m = (struct store_members){0};
}

static uint32_t domain_index(struct store_members *m, const char *name)
{
    for (size_t i = 0; i < m->domain_count; i++)
        if (!strcmp(m->domains[i], name))
            return (uint32_t)i;
    m->domains = xrealloc(m->domains, (m->domain_count + 1) * sizeof *m->domains);
    m->domains[m->domain_count] = xstrdup(name);
    return (uint32_t)m->domain_count++;
}

static struct store_member *append(struct store_members *m, int64_t ns)
{
    if (m->count == m->capacity) {
        m->capacity = m->capacity ? 2 * m->capacity : 256;
        m->items = xrealloc(m->items, m->capacity * sizeof *m->items);
    }
    m->items[m->count] = (struct store_member){.ns = ns > 0 ? ns : 1};
    m->speed_sum += log((double)m->items[m->count].ns);
    return &m->items[m->count++];
}

/* What the features of a member, as the table has them, are worth now. */
static int rarity_now(struct store *s, int64_t task, double *rarity, struct error **err)
{
    *rarity = 0;
    int row = store_step(s, SQL_PICK_FEATURES, err, "i", task);
    for (; row > 0; row = store_next(s, SQL_PICK_FEATURES, err))
        *rarity += store_index_rarity(&s->index, (uint64_t)store_integer(s, SQL_PICK_FEATURES, 0));
    return row;
}

int store_members_need(struct store *s, struct error **err)
{
    struct store_members *m = &s->members;
    struct arena a;
    if (m->loaded)
        return 0;
    TRY(store_index_need(s, err));
    store_members_release(m);
    arena_init(&a);
    int64_t now_ms = clock_monotonic_ns() / 1000000, wall_ms = clock_wall_ms();
    int row = store_step(s, SQL_PICK_MEMBERS, err, "");
    for (; row > 0; row = store_next(s, SQL_PICK_MEMBERS, err)) {
        struct store_member *one = append(m, store_integer(s, SQL_PICK_MEMBERS, 2));
        int64_t age_ms = wall_ms - store_integer(s, SQL_PICK_MEMBERS, 3);
        one->number = store_integer(s, SQL_PICK_MEMBERS, 0);
        one->task = store_integer(s, SQL_PICK_MEMBERS, 1);
        one->born_ms = now_ms - (age_ms > 0 ? age_ms : 0); /* a clock that was set back makes nobody younger than new */
        one->selected = (uint32_t)store_integer(s, SQL_PICK_MEMBERS, 4);
        one->begot = (uint32_t)store_integer(s, SQL_PICK_MEMBERS, 5);
        one->rarity = store_real(s, SQL_PICK_MEMBERS, 6); /* 0: never looked up */
        one->domain = domain_index(m, store_text(s, SQL_PICK_MEMBERS, 7, &a));
        arena_clear(&a);
    }
    arena_release(&a);
    for (size_t i = 0; !row && i < m->count; i++)
        if (!(m->items[i].rarity > 0))
            row = rarity_now(s, m->items[i].task, &m->items[i].rarity, err);
    m->loaded = !row;
    return row;
}

void store_members_add(struct store *s, const struct store_execution *e, int64_t number, int64_t task)
{
    struct store_members *m = &s->members;
    if (!m->loaded)
        return;
    struct store_member *one = append(m, e->ns);
    one->number = number;
    one->task = task;
    one->born_ms = clock_monotonic_ns() / 1000000;
    one->domain = domain_index(m, e->task->domain);
    for (size_t i = 0; i < e->feature_count; i++)
        one->rarity += store_index_rarity(&s->index, e->features[i]);
}

static double clamp(double value, double least, double most)
{
    return value < least ? least : value > most ? most : value;
}

/* What weights depend on beside the member. */
struct scale {
    double mean_ns;
    int64_t now_ms;
};

static struct scale scale_of(const struct store_members *m)
{
    return (struct scale){exp(m->speed_sum / (double)(m->count ? m->count : 1)), clock_monotonic_ns() / 1000000};
}

static struct store_picked describe(const struct store_members *m, const struct store_member *one, const struct scale *scale)
{
    int64_t age_ms = scale->now_ms - one->born_ms;
    double freshness = age_ms < MINUTE_MS ? 4 : age_ms < 5 * MINUTE_MS ? 2 : age_ms > HOUR_MS && !one->begot ? 0.5 : 1;
    return (struct store_picked){.number = one->number,
                                 .task = one->task,
                                 .domain = m->domains[one->domain],
                                 .rarity = one->rarity,
                                 .speed = clamp(scale->mean_ns / (double)one->ns, SPEED_LEAST, SPEED_MOST),
                                 .freshness = freshness,
                                 .selected = one->selected,
                                 .draw = -1};
}

double store_weight(const struct store_picked *p)
{
    return p->rarity * p->speed * p->freshness / (1 + log2(1 + (double)p->selected));
}

/* Draws a member of the domain; NULL: it has none, or none that weighs anything. */
static struct store_member *draw(struct store_members *m, uint32_t domain, double at, const struct scale *scale,
                                 struct store_picked *picked)
{
    struct store_member *last = NULL;
    double total = 0, before = 0;
    for (size_t i = 0; i < m->count; i++) {
        if (m->items[i].domain != domain)
            continue;
        struct store_picked p = describe(m, &m->items[i], scale);
        total += store_weight(&p);
    }
    for (size_t i = 0; i < m->count; i++) {
        if (m->items[i].domain != domain)
            continue;
        struct store_picked p = describe(m, &m->items[i], scale);
        double weight = store_weight(&p);
        if (!(weight > 0))
            continue;
        last = &m->items[i];
        *picked = p;
        picked->before = before;
        before += weight;
        if (at * total < before)
            break;
    }
    picked->total = total;
    picked->draw = at;
    return last;
}

/* As draw, with a rarity that was looked up just now. */
static int draw_true(struct store *s, uint32_t domain, struct rng *rng, struct store_member **one, struct store_picked *picked,
                     struct error **err)
{
    struct scale scale = scale_of(&s->members);
    double kept = 0;
    for (int i = 0; i < DRAWS_MAX; i++) {
        *one = draw(&s->members, domain, (double)(rng_next(rng) >> 11) / 9007199254740992.0 /* 2^53 */, &scale, picked);
        if (!*one)
            return 0;
        kept = (*one)->rarity;
        TRY(rarity_now(s, (*one)->task, &(*one)->rarity, err));
        if (kept <= STALE * (*one)->rarity) {
            (*one)->rarity = kept; /* what was drawn by; the next draw sees what has become of it */
            return 0;
        }
    }
    (*one)->rarity = kept;
    return 0;
}

/* The next domain that has a member of any weight; all of them were tried when there is none. */
static int next_member(struct store *s, struct rng *rng, struct store_member **one, struct store_picked *picked, struct error **err)
{
    struct store_members *m = &s->members;
    *one = NULL;
    for (size_t i = 0; i < m->domain_count && !*one; i++) {
        m->turn = (m->turn + 1) % m->domain_count;
        TRY(draw_true(s, (uint32_t)m->turn, rng, one, picked, err));
    }
    return 0;
}

int store_picked_take(struct store *s, struct store_member *one, struct arena *a, struct store_picked *picked, struct error **err)
{
    picked->domain = arena_string(a, bytes_of_string(picked->domain));
    int row = store_step(s, SQL_PICK_TASK, err, "i", one->task);
    if (row < 0)
        return row;
    if (!row)
        return error_set(err, ERR_INPUT, "'%s' is damaged: member %lld of its corpus has no task", s->path, (long long)one->number);
    picked->json.data = (const uint8_t *)store_text(s, SQL_PICK_TASK, 0, a);
    picked->json.len = (size_t)sqlite3_column_bytes(s->statements[SQL_PICK_TASK], 0);
    store_done(s, SQL_PICK_TASK);
    TRY(store_begin(s, err));
    one->selected += one->selected < UINT32_MAX;
    TRY(store_do(s, SQL_PICK_SELECTED, err, "iir", one->number, (int64_t)one->selected, one->rarity));
    return store_finish(s, err);
}

static int pick(struct store *s, struct rng *rng, struct arena *a, struct store_picked *picked, struct error **err)
{
    struct store_member *one;
    TRY(store_members_need(s, err));
    TRY(next_member(s, rng, &one, picked, err));
    if (!one)
        return error_set(err, ERR_LIMIT, "the corpus of '%s' is empty", s->path);
    return store_picked_take(s, one, a, picked, err);
}

int store_pick(struct store *s, struct rng *rng, struct arena *a, struct store_picked *picked, struct error **err)
{
    pthread_mutex_lock(&s->mutex);
    int status = pick(s, rng, a, picked, err);
    if (status == ERR_LIMIT) { /* an empty corpus is no failure of the file */
        pthread_mutex_unlock(&s->mutex);
        return status;
    }
    return store_leave(s, status);
}

static int weigh(struct store *s, int64_t number, struct arena *a, struct store_picked *picked, struct error **err)
{
    struct store_members *m = &s->members;
    bool found = false;
    double before = 0, total = 0;
    TRY(store_members_need(s, err));
    struct scale scale = scale_of(m);
    const struct store_member *wanted = NULL;
    for (size_t i = 0; i < m->count; i++)
        if (m->items[i].number == number)
            wanted = &m->items[i];
    for (size_t i = 0; wanted && i < m->count; i++) {
        if (m->items[i].domain != wanted->domain)
            continue;
        struct store_picked p = describe(m, &m->items[i], &scale);
        if (&m->items[i] == wanted) {
            *picked = p;
            found = true;
        }
        before += found ? 0 : store_weight(&p);
        total += store_weight(&p);
    }
    if (!found)
        return error_set(err, ERR_INPUT, "'%s' has no member %lld in its corpus", s->path, (long long)number);
    picked->domain = arena_string(a, bytes_of_string(picked->domain));
    picked->before = before;
    picked->total = total;
    return 0;
}

int store_weigh(struct store *s, int64_t number, struct arena *a, struct store_picked *picked, struct error **err)
{
    pthread_mutex_lock(&s->mutex);
    int status = weigh(s, number, a, picked, err);
    pthread_mutex_unlock(&s->mutex);
    return status;
}

int store_pick_put(struct store *s, int64_t exec, const struct store_picked *p, struct error **err)
{
    return store_do(s, SQL_PICK_ADD, err, "iirrrirrri", exec, p->task, p->rarity, p->speed, p->freshness, p->selected, p->before,
                    p->total, p->draw, (int64_t)p->feature);
}

int store_pick_begot(struct store *s, int64_t parent_task, struct error **err)
{
    int row = store_step(s, SQL_PICK_BEGOT, err, "i", parent_task);
    if (row <= 0)
        return row;
    int64_t number = store_integer(s, SQL_PICK_BEGOT, 0);
    while (row > 0)
        row = store_next(s, SQL_PICK_BEGOT, err);
    for (size_t i = 0; i < s->members.count; i++)
        if (s->members.items[i].number == number)
            s->members.items[i].begot++;
    return row;
}

static int pick_of(struct store *s, const char *id, struct arena *a, struct store_picked *p, bool *known, struct error **err)
{
    uint8_t hash[16];
    *p = (struct store_picked){0};
    TRY(store_read_id(s, id, hash, err));
    int row = store_step(s, SQL_PICK_GET, err, "b", bytes_of(hash, 16));
    *known = row > 0;
    if (row <= 0)
        return row;
    p->number = store_integer(s, SQL_PICK_GET, 0);
    p->rarity = store_real(s, SQL_PICK_GET, 1);
    p->speed = store_real(s, SQL_PICK_GET, 2);
    p->freshness = store_real(s, SQL_PICK_GET, 3);
    p->selected = store_integer(s, SQL_PICK_GET, 4);
    p->before = store_real(s, SQL_PICK_GET, 5);
    p->total = store_real(s, SQL_PICK_GET, 6);
    p->draw = store_real(s, SQL_PICK_GET, 7);
    p->domain = store_text(s, SQL_PICK_GET, 8, a);
    p->task = store_integer(s, SQL_PICK_GET, 9);
    p->feature = (uint64_t)store_integer(s, SQL_PICK_GET, 10);
    p->what = store_text(s, SQL_PICK_GET, 11, a);
    return store_did(s, SQL_PICK_GET, row);
}

int store_pick_of(struct store *s, const char *id, struct arena *a, struct store_picked *p, bool *known, struct error **err)
{
    pthread_mutex_lock(&s->mutex);
    int status = pick_of(s, id, a, p, known, err);
    pthread_mutex_unlock(&s->mutex);
    return status;
}
