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

/* The place of a key, or the free one that is its own to take. */
static struct maker *slot_of(const struct makers *m, uint64_t key)
{
    size_t at = (size_t)key & m->mask;
    while (m->slots[at].path && m->slots[at].path != key)
        at = (at + 1) & m->mask;
    return &m->slots[at];
}

static uint64_t key_of(struct bytes path)
{
    uint64_t key = path_hash(path);
    return key ? key : 1;
}

static void add(struct features *f, const struct execution *e, size_t index, size_t maker)
{
    const struct observation *o = &e->observations[index], *by = &e->observations[maker];
    if (feature_add(f, hash64_mix(f->ops[index], hash64_mix(feedback_op(by), (uint64_t)by->outcome.class))))
        feature_say(f, "%s uses what %s made (%s)", feature_op_words(f, o), feature_op_words(f, by), outcome_class_name(by->outcome.class));
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
        if (path.len) {
            uint64_t key = key_of(path);
            struct maker *slot = slot_of(&m, key);
            if (slot->path && f->ops[i])
                add(f, e, i, slot->index);
            *slot = (struct maker){key, i};
        }
        if (to.len) {
            uint64_t key = key_of(to);
            *slot_of(&m, key) = (struct maker){key, i};
        }
    }
}
