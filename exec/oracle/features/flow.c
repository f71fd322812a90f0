/* Which op made what another one uses, and how that one had ended: the last earlier step that named the same path. A task may carry out
 * thousands of steps, so the last step of each path is kept in a table. */
#include "exec/oracle/features/features.h"
#include "exec/oracle/judge.h"

struct maker {
    uint64_t path; /* path_hash; 0: free */
    size_t index;
};
struct makers {
    struct maker *slots;
    size_t mask;
};

static struct maker *maker_of(const struct makers *m, struct bytes path)
{
    uint64_t key = path_hash(path);
    key += !key;
    size_t at = (size_t)key & m->mask;
    while (m->slots[at].path && m->slots[at].path != key)
        at = (at + 1) & m->mask;
    return m->slots[at].path ? &m->slots[at] : NULL;
}

static void note(struct makers *m, struct bytes path, size_t index)
{
    uint64_t key = path_hash(path);
    key += !key;
    size_t at = (size_t)key & m->mask;
    while (m->slots[at].path && m->slots[at].path != key)
        at = (at + 1) & m->mask;
    m->slots[at] = (struct maker){key, index};
}

void feature_find_flow(struct features *f, const struct execution *e)
{
    struct makers m = {.mask = 15};
    while (m.mask < 4 * e->count)
        m.mask = 2 * m.mask + 1;
    m.slots = arena_alloc(&f->scratch, (m.mask + 1) * sizeof *m.slots);
    for (size_t i = 0; i < e->count; i++) {
        const struct observation *o = &e->observations[i];
        struct bytes path = observation_argument(o, "path"), to = observation_argument(o, "to");
        const struct maker *maker = path.len && f->ops[i] ? maker_of(&m, path) : NULL;
        if (maker && feature_add(f, hash64_mix(f->ops[i], hash64_mix(feedback_op(&e->observations[maker->index]),
                                                                     (uint64_t)e->observations[maker->index].outcome.class))))
            feature_say(f, "%s uses what %s made (%s)", feature_op_words(f, o), feature_op_words(f, &e->observations[maker->index]),
                        outcome_class_name(e->observations[maker->index].outcome.class));
        if (path.len)
            note(&m, path, i);
        if (to.len)
            note(&m, to, i);
    }
}
