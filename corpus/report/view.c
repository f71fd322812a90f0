/* What a report shows: the findings that were asked for, counted by state, primitive and layer. */
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

static size_t rank(const char *primitive)
{
    size_t i = 0;

    while (i < PRIMITIVES && strcmp(primitives[i], primitive))
        i++;
    return i;
}

/* The row of a primitive, made where it belongs; one that is not on the list comes last. */
static struct report_row *row_of(struct report_view *v, const char *primitive)
{
    size_t i = 0, own = rank(primitive);

    while (i < v->row_count &&
           (rank(v->rows[i].primitive) < own || (own == PRIMITIVES && rank(v->rows[i].primitive) == own &&
                                                 strcmp(v->rows[i].primitive, primitive) < 0)))
        i++;
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

static int load(struct store *s, const struct report_options *o, struct report_view *v, struct error **err)
{
    struct finding *found = NULL;
    size_t found_count = 0;

    TRY(store_totals(s, &v->totals, err));
    TRY(store_skips(s, &v->arena, &v->skips, &v->skip_count, err));
    TRY(store_findings(s, o->signature, &v->arena, &found, &found_count, err));
    suppressions_mark(o->suppress, found, found_count, clock_wall_ms());
    v->items = arena_alloc(&v->arena, (found_count + 1) * sizeof(*v->items));
    v->rows = arena_alloc(&v->arena, (found_count + 1) * sizeof(*v->rows));
    for (size_t i = 0; i < found_count; i++) {
        if (!is_shown(o, &found[i])) {
            v->hidden++;
            continue;
        }
        fill_gaps(&found[i]);
        v->items[v->count++] = &found[i];
        count(v, &found[i]);
    }
    return 0;
}

int report_write(struct store *s, const struct report_options *o, struct buf *out,
                 void (*add)(struct buf *out, const struct report_options *o, struct report_view *v),
                 struct error **err)
{
    struct report_view v = {0};
    int status;

    arena_init(&v.arena);
    status = load(s, o, &v, err);
    if (!status)
        add(out, o, &v);
    if (!status && out->overflow)
        status = error_set(err, ERR_LIMIT, "the report is longer than %zu bytes: ask for one finding",
                           out->max);
    arena_release(&v.arena);
    return status;
}

int report_prefix(const struct report_view *v, const struct finding *f)
{
    int digits = 8, full = (int)sizeof(f->signature) - 1;

    for (size_t i = 0; i < v->count && digits < full; i++)
        while (v->items[i] != f && digits < full &&
               !strncmp(v->items[i]->signature, f->signature, (size_t)digits))
            digits++;
    return digits;
}
