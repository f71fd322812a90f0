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

struct execution facts_known(const struct execution *e, struct arena *a)
{
    struct execution known = *e;
    if (e->facts)
        return known;
    struct facts *f = arena_alloc(a, sizeof *f);
    *f = (struct facts){0};
    f->calm = calm_length(e);
    f->lawful = lawful_length(e);
    find_stored(e, f, a);
    known.facts = f; /* what is not found out yet nobody asks for before it is */
    find_background(&known, f, a);
    f->seen = effects_seen_length(&known);
    f->lost = kept_lost_find(&known, &f->loss);
    f->mismatches = roundtrip_find(&known, a, &f->mismatch_count);
    f->compared = true;
    return known;
}
