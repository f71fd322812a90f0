/* Facts of an execution; see facts.h. Each is found out with those before it. */
#include "exec/oracle/facts.h"

#include "exec/oracle/effect.h"
#include "exec/oracle/expect.h"

static bool listed(const struct execution *e, const struct facts *f, size_t index)
{
    for (size_t i = 0; i < f->background_count; i++)
        if (e->observations[f->background[i]].step == e->observations[index].step &&
            observation_same_call(&e->observations[f->background[i]], &e->observations[index]))
            return true;
    return false;
}

static void find_background(const struct execution *e, struct facts *f, struct arena *a)
{
    size_t *list = arena_alloc(a, e->count * sizeof *list);
    f->background = list;
    for (size_t i = 0; i < e->count; i++)
        if (works_on(e, i) && !listed(e, f, i))
            list[f->background_count++] = i;
}

struct execution facts_known(const struct execution *e, struct arena *a)
{
    struct execution known = *e;
    if (e->facts)
        return known;
    struct facts *f = arena_alloc(a, sizeof *f);
    *f = (struct facts){0};
    find_background(e, f, a);
    f->calm = calm_length(e);
    f->lawful = lawful_length(e);
    f->seen = e->count; /* nobody asks for it before it is known */
    known.facts = f;
    f->seen = effects_seen_length(&known);
    f->lost = kept_lost_find(&known, &f->loss);
    f->mismatches = roundtrip_find(&known, a, &f->mismatch_count);
    f->compared = true;
    return known;
}
