/* Facts of an execution; see facts.h. Each is found out with those before it. */
#include "exec/oracle/facts.h"

#include "exec/oracle/effect.h"
#include "exec/oracle/expect.h"

static bool same_step(const struct execution *e, size_t a, size_t b)
{
    return e->observations[a].step == e->observations[b].step && observation_same_call(&e->observations[a], &e->observations[b]);
}

static void find_stored(const struct execution *e, struct facts *f, struct arena *a)
{
    size_t *list = arena_alloc(a, e->count * sizeof *list);
    f->stored = list;
    for (size_t i = 0; i < e->count; i++) {
        bool listed = !stores_background(&e->observations[i]);
        for (size_t k = 0; k < f->stored_count && !listed; k++)
            listed = same_step(e, list[k], i);
        if (!listed)
            list[f->stored_count++] = i;
    }
}

/* `known` has what is stored. */
static void find_background(const struct execution *known, struct facts *f, struct arena *a)
{
    struct background *list = arena_alloc(a, known->count * sizeof *list);
    f->background = list;
    for (size_t i = 0; i < known->count; i++) {
        struct background one = {i, runs_background_file(known, i)};
        bool listed = !works_on(known, i);
        for (size_t k = 0; k < f->background_count && !listed; k++)
            listed = list[k].any == one.any && same_step(known, list[k].index, i);
        if (!listed)
            list[f->background_count++] = one;
    }
}

static void find_spans(const struct execution *e, struct facts *f, struct arena *a)
{
    struct span *spans = arena_alloc(a, e->count * sizeof *spans);
    for (size_t i = 0; i < e->count; i++)
        spans[i] = i && i < spans[i - 1].end ? spans[i - 1] : joined_span(e, i);
    f->spans = spans;
}

/* How many of the first observations it is true of, for each number of them. */
static const size_t *count_up(const struct execution *e, bool (*is)(const struct execution *e, size_t index), struct arena *a)
{
    size_t *counts = arena_alloc(a, (e->count + 1) * sizeof *counts);
    counts[0] = 0;
    for (size_t i = 0; i < e->count; i++)
        counts[i + 1] = counts[i] + is(e, i);
    return counts;
}

struct execution facts_known(const struct execution *e, struct arena *a)
{
    struct execution known = *e;
    if (e->facts)
        return known;
    struct facts *f = arena_alloc(a, sizeof *f);
    *f = (struct facts){0};
    find_spans(e, f, a);
    f->rough = count_up(e, is_rough, a);
    f->broken = count_up(e, is_broken, a);
    f->lawful = lawful_length(e);
    find_stored(e, f, a);
    known.facts = f; /* what is not found out yet nobody asks for before it is */
    find_background(&known, f, a);
    f->unseen = count_up(&known, is_unseen, a);
    f->lost = kept_lost_find(&known, &f->loss);
    f->mismatches = roundtrip_find(&known, a, &f->mismatch_count);
    f->compared = true;
    return known;
}
