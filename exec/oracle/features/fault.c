/* What was done to a call while it ran, and how it ended then. */
#include "exec/oracle/features/features.h"

void feature_find_fault(struct features *f, const struct execution *e)
{
    for (size_t i = 0; i < e->count; i++) {
        const struct outcome *r = &e->observations[i].outcome;
        const struct outcome_fault *t = r->fault;
        if (!f->ops[i] || !t || !t->applied)
            continue;
        uint64_t hash = hash64_mix(hash64_mix(feature_text(t->mutator), feature_text(t->kind)), (uint64_t)r->class);
        if (feature_add(f, hash64_mix(hash, (uint64_t)r->code)))
            feature_say(f, "%s %s -> %s%s", t->mutator, t->kind, outcome_class_name(r->class),
                        r->code ? arena_printf(&f->scratch, ", code %lld", (long long)r->code) : "");
    }
}
