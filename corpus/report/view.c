/* What a report shows: the findings that were asked for, from all databases, counted by state, primitive and layer, and by target. */
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "corpus/report/report_internal.h"

/* Reports list primitives in this order, from what is sent to what is run. */
static const char *const primitives[] = {
    "encoding", "null-byte",   "protocol", "size",        "path",        "permission",
    "mount",    "persistence", "storage",  "memory",      "time",        "process",
    "syscall",  "network",     "session",  "environment", "concurrency", "browser",
};
enum { PRIMITIVES = sizeof(primitives) / sizeof(*primitives) };

static bool is_shown(const struct report_options *o, const struct finding *f)
{
    return o->all || o->signature || (f->state != FINDING_UNCONFIRMED && !f->suppressed);
}

static enum report_layer layer_of(const struct finding *f)
{
    if (!strcmp(f->layer, "interface"))
        return REPORT_INTERFACE;
    return strcmp(f->layer, "sandbox") ? REPORT_UNDECIDED : REPORT_SANDBOX;
}

size_t report_primitive_rank(const char *primitive)
{
    size_t i = 0;

    while (i < PRIMITIVES && strcmp(primitives[i], primitive))
        i++;
    return i;
}

/* The row of a primitive, made where it belongs; one that is not on the list comes last. */
static struct report_row *row_of(struct report_view *v, const char *primitive)
{
    size_t i = 0, own = report_primitive_rank(primitive);

    while (i < v->row_count) {
        size_t other = report_primitive_rank(v->rows[i].primitive);
        if (other > own || (other == own && (own < PRIMITIVES || strcmp(v->rows[i].primitive, primitive) >= 0)))
            break;
        i++;
    }
    if (i < v->row_count && !strcmp(v->rows[i].primitive, primitive))
        return &v->rows[i];
    memmove(&v->rows[i + 1], &v->rows[i], (v->row_count - i) * sizeof(*v->rows));
    v->rows[i] = (struct report_row){.primitive = primitive};
    v->row_count++;
    return &v->rows[i];
}

static void count(struct report_view *v, const struct finding *f)
{
    v->by_state[f->state]++;
    v->client_illegal += f->client_illegal;
    if (f->state == FINDING_CONFIRMED || f->state == FINDING_REGRESSED)
        row_of(v, f->primitive)->confirmed[layer_of(f)]++;
    else if (f->state == FINDING_FLAKY)
        row_of(v, f->primitive)->flaky[layer_of(f)]++;
}

/* A column that is NULL in the database is no text. */
static void fill_gaps(struct finding *f)
{
    const char **texts[] = {&f->text,  &f->layer,    &f->primitive, &f->check,    &f->op,  &f->detail,
                            &f->title, &f->evidence, &f->target,    &f->identity, &f->task};

    for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++)
        *texts[i] = *texts[i] ? *texts[i] : "";
}

/* ---- findings of several databases ---- */

/* Those of one database, and how often its targets saw them; both by signature. */
struct found {
    const struct report_source *from;
    struct finding *items;
    size_t count;
    struct store_sighting *sightings;
    size_t sighting_count;
};

static int state_rank(const struct finding *f)
{
    static const int ranks[] = {[FINDING_REGRESSED] = 0, [FINDING_CONFIRMED] = 1,   [FINDING_FLAKY] = 2,
                                [FINDING_NEW] = 3,       [FINDING_UNCONFIRMED] = 4, [FINDING_FIXED] = 5};

    return ranks[f->state];
}

/* As the store orders those of one database. */
static int by_weight(const void *a, const void *b)
{
    const struct finding *x = ((const struct report_item *)a)->f, *y = ((const struct report_item *)b)->f;
    const int orders[] = {x->client_illegal - y->client_illegal, state_rank(x) - state_rank(y), report_is_note(x) - report_is_note(y),
                          (x->times_seen < y->times_seen) - (x->times_seen > y->times_seen)};

    for (size_t i = 0; i < sizeof(orders) / sizeof(*orders); i++)
        if (orders[i])
            return orders[i];
    return strcmp(x->signature, y->signature);
}

static int by_signature(const void *a, const void *b)
{
    const struct report_item *x = a, *y = b;
    int order = strcmp(x->f->signature, y->f->signature);

    return order ? order : (x->from > y->from) - (x->from < y->from);
}

static void add_sight(struct report_view *v, struct report_item *item, const struct found *in, const struct finding *f)
{
    size_t low = 0, high = in->sighting_count;

    while (low < high) {
        size_t middle = (low + high) / 2;

        if (strcmp(in->sightings[middle].finding, f->signature) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    for (; low < in->sighting_count && !strcmp(in->sightings[low].finding, f->signature); low++) {
        const struct report_side *side = report_side_of(&v->sides, in->from, in->sightings[low].target);

        if (side)
            item->sights[item->sight_count++] = (struct report_sight){side, f, in->sightings[low].times};
    }
}

/* One item of those with the same signature: from the database where it is worst, with the smaller task. */
static void join(struct report_view *v, struct report_item *to, const struct report_item *same, size_t count, const struct found *all,
                 const struct report_source *sources)
{
    const struct report_item *worst = same;
    struct finding *f = arena_alloc(&v->arena, sizeof(*f));
    struct report_item item = {.digits = 8};

    for (size_t i = 1; i < count; i++) {
        int order = state_rank(same[i].f) - state_rank(worst->f);

        if (order < 0 || (!order && same[i].f->task_steps < worst->f->task_steps))
            worst = &same[i];
    }
    *f = *worst->f;
    f->times_seen = 0;
    for (size_t i = 0; i < count; i++) {
        const struct finding *one = same[i].f;

        f->times_seen += one->times_seen;
        f->first_ms = one->first_ms < f->first_ms ? one->first_ms : f->first_ms;
        f->last_ms = one->last_ms > f->last_ms ? one->last_ms : f->last_ms;
        f->client_illegal = f->client_illegal && one->client_illegal;
    }
    item.f = f;
    item.from = worst->from;
    item.sights = arena_alloc(&v->arena, v->sides.count * sizeof(*item.sights) + 1);
    for (size_t i = 0; i < count; i++)
        add_sight(v, &item, &all[same[i].from - sources], same[i].f);
    *to = item;
}

/* How many digits tell each from its neighbours, by signature. */
static void count_digits(struct report_item *items, size_t count)
{
    for (size_t i = 1; i < count; i++) {
        const char *a = items[i - 1].f->signature, *b = items[i].f->signature;
        int same = 0, full = (int)sizeof(items->f->signature) - 1;

        while (same < full && a[same] == b[same])
            same++;
        int digits = same < full ? same + 1 : full;
        items[i - 1].digits = digits > items[i - 1].digits ? digits : items[i - 1].digits;
        items[i].digits = digits > items[i].digits ? digits : items[i].digits;
    }
}

static void take_findings(const struct report_options *o, struct report_view *v, const struct found *all, size_t total)
{
    struct report_item *shown = arena_alloc(&v->arena, (total + 1) * sizeof(*shown));
    size_t count = 0;

    for (size_t i = 0; i < o->source_count; i++)
        for (size_t k = 0; k < all[i].count; k++) {
            fill_gaps(&all[i].items[k]);
            if (is_shown(o, &all[i].items[k]))
                shown[count++] = (struct report_item){.f = &all[i].items[k], .from = all[i].from};
            else
                v->hidden++;
        }
    if (count)
        qsort(shown, count, sizeof(*shown), by_signature);
    v->items = arena_alloc(&v->arena, (count + 1) * sizeof(*v->items));
    for (size_t i = 0, same; i < count; i += same) {
        for (same = 1; i + same < count && !strcmp(shown[i + same].f->signature, shown[i].f->signature);)
            same++;
        join(v, &v->items[v->count++], &shown[i], same, all, o->sources);
    }
    count_digits(v->items, v->count);
    if (v->count)
        qsort(v->items, v->count, sizeof(*v->items), by_weight);
}

static int load_findings(const struct report_options *o, struct report_view *v, struct error **err)
{
    struct found *all = arena_alloc(&v->arena, o->source_count * sizeof(*all));
    size_t total = 0;

    for (size_t i = 0; i < o->source_count; i++) {
        const struct report_source *from = &o->sources[i];

        all[i].from = from;
        TRY(store_findings(from->store, o->signature, &v->arena, &all[i].items, &all[i].count, err));
        TRY(store_sightings(from->store, &v->arena, &all[i].sightings, &all[i].sighting_count, err));
        suppressions_mark(from->suppress, all[i].items, all[i].count, clock_wall_ms());
        total += all[i].count;
    }
    take_findings(o, v, all, total);
    v->rows = arena_alloc(&v->arena, (v->count + 1) * sizeof(*v->rows));
    for (size_t i = 0; i < v->count; i++)
        count(v, v->items[i].f);
    return 0;
}

/* ---- by primitive and target ---- */

static struct report_primitive *primitive_of(struct report_view *v, const char *name)
{
    struct report_sides *s = &v->sides;

    for (size_t i = 0; i < s->primitive_count; i++)
        if (!strcmp(s->primitives[i].name, name))
            return &s->primitives[i];
    struct report_primitive *p = &s->primitives[s->primitive_count++];
    p->name = name;
    p->by_side = arena_alloc(&v->arena, s->count * sizeof(*p->by_side) + 1);
    memset(p->by_side, 0, s->count * sizeof(*p->by_side));
    return p;
}

static int by_rank(const void *a, const void *b)
{
    const struct report_primitive *x = a, *y = b;
    size_t i = report_primitive_rank(x->name), k = report_primitive_rank(y->name);

    return i != k ? (i > k) - (i < k) : strcmp(x->name, y->name);
}

static void count_primitives(struct report_view *v)
{
    struct report_sides *s = &v->sides;

    s->primitives = arena_alloc(&v->arena, (v->count + 1) * sizeof(*s->primitives));
    for (size_t i = 0; i < v->count; i++)
        for (size_t k = 0; k < v->items[i].sight_count; k++) {
            const struct report_sight *sight = &v->items[i].sights[k];
            const struct finding *f = sight->f;

            if (f->suppressed || f->state == FINDING_FIXED || f->state == FINDING_UNCONFIRMED)
                continue;
            struct report_failures *to = &primitive_of(v, f->primitive)->by_side[sight->side - s->items];
            to->confirmed += f->state == FINDING_CONFIRMED || f->state == FINDING_REGRESSED;
            to->flaky += f->state == FINDING_FLAKY;
            to->untried += f->state == FINDING_NEW;
            to->times += sight->times;
        }
    if (s->primitive_count)
        qsort(s->primitives, s->primitive_count, sizeof(*s->primitives), by_rank);
}

/* ---- totals ---- */

static void add_totals(struct store_totals *to, const struct store_totals *t)
{
    to->runs += t->runs;
    to->executions += t->executions;
    to->executed += t->executed;
    to->passed += t->passed;
    to->failed += t->failed;
    to->skipped += t->skipped;
    to->harness += t->harness;
    to->tasks += t->tasks;
    to->corpus += t->corpus;
    to->features += t->features;
    to->findings += t->findings;
    to->confirmed += t->confirmed;
}

static int by_skips(const void *a, const void *b)
{
    const struct store_count *x = a, *y = b;

    return x->count != y->count ? (x->count < y->count) - (x->count > y->count) : strcmp(x->name, y->name);
}

static void add_skips(struct report_view *v, const struct store_count *more, size_t count)
{
    struct store_count *joined = arena_alloc(&v->arena, (v->skip_count + count + 1) * sizeof(*joined));

    for (size_t i = 0; i < v->skip_count; i++)
        joined[i] = v->skips[i];
    for (size_t i = 0; i < count; i++) {
        size_t at = 0;

        while (at < v->skip_count && strcmp(joined[at].name, more[i].name))
            at++;
        if (at == v->skip_count)
            joined[v->skip_count++] = more[i];
        else
            joined[at].count += more[i].count;
    }
    v->skips = joined;
    if (v->skip_count)
        qsort(v->skips, v->skip_count, sizeof(*v->skips), by_skips);
}

static int load(const struct report_options *o, struct report_view *v, struct error **err)
{
    for (size_t i = 0; i < o->source_count; i++) {
        struct store_totals totals;
        struct store_count *skips;
        size_t skip_count;

        TRY(store_totals(o->sources[i].store, &totals, err));
        TRY(store_skips(o->sources[i].store, &v->arena, &skips, &skip_count, err));
        add_totals(&v->totals, &totals);
        add_skips(v, skips, skip_count);
    }
    TRY(report_sides_load(o, &v->arena, &v->sides, err));
    TRY(load_findings(o, v, err));
    count_primitives(v);
    return 0;
}

int report_write(const struct report_options *o, struct buf *out,
                 void (*add)(struct buf *out, const struct report_options *o, struct report_view *v),
                 struct error **err)
{
    struct report_view v = {0};
    int status;

    arena_init(&v.arena);
    status = load(o, &v, err);
    if (!status)
        add(out, o, &v);
    if (!status && out->overflow)
        status = error_set(err, ERR_LIMIT, "the report is longer than %zu bytes: ask for one finding",
                           out->max);
    arena_release(&v.arena);
    return status;
}
