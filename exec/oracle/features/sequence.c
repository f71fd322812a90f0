/* The last two and three (op, class). Sequences have no natural end, so they are folded into a fixed number of slots. */
#include "exec/oracle/features/features.h"

enum { SLOTS = 4096 };

static void tell(struct features *f, const struct execution *e, const size_t *steps, size_t back)
{
    const char *text = "";
    for (size_t k = back + 1; k-- > 0;) {
        const struct observation *o = &e->observations[steps[k]];
        text = arena_printf(&f->scratch, "%s%s%s %s", text, *text ? ", " : "", feature_op_words(f, o), outcome_class_name(o->outcome.class));
    }
    feature_say(f, "%s", text);
}

void feature_find_sequence(struct features *f, const struct execution *e)
{
    for (size_t i = 0; i < e->count; i++) {
        if (!f->ops[i])
            continue;
        size_t steps[3] = {i};
        uint64_t hash = feature_op_class(f, e, i);
        for (size_t back = 1; back <= 2 && back <= i; back++) {
            steps[back] = i - back;
            hash = hash64_mix(hash, hash64_mix(feedback_op(&e->observations[i - back]), (uint64_t)e->observations[i - back].outcome.class));
            if (feature_add(f, hash64_mix(back, hash % SLOTS)))
                tell(f, e, steps, back);
        }
    }
}
