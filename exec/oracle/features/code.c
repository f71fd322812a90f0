/* Error codes, exit statuses and signals. */
#include "exec/oracle/features/features.h"

static void add(struct features *f, size_t i, const struct observation *o, uint64_t which, const char *what, int64_t value)
{
    if (feature_add(f, hash64_mix(hash64_mix(f->ops[i], which), (uint64_t)value)))
        feature_say(f, "%s -> %s %lld", feature_op_words(f, o), what, (long long)value);
}

void feature_find_code(struct features *f, const struct execution *e)
{
    for (size_t i = 0; i < e->count; i++) {
        const struct observation *o = &e->observations[i];
        if (!f->ops[i])
            continue;
        if (o->outcome.code)
            add(f, i, o, 1, "code", o->outcome.code);
        if (o->outcome.has_exit)
            add(f, i, o, 2, "exit", o->outcome.exit);
        if (o->outcome.signal)
            add(f, i, o, 3, "signal", o->outcome.signal);
    }
}
