/* How bytes that came back differ from those that were sent. */
#include "exec/oracle/facts.h"
#include "exec/oracle/features/features.h"

void feature_find_differential(struct features *f, const struct execution *e)
{
    size_t count;
    struct execution known = facts_known(e, &f->scratch);
    const struct mismatch *m = roundtrip_find(&known, &f->scratch, &count);
    for (size_t i = 0; i < count; i++) {
        const struct observation *o = &e->observations[m[i].observation];
        if (feature_add(f, hash64_mix(feedback_op(o), (uint64_t)m[i].how)))
            feature_say(f, "%s: %s", feature_op_words(f, o), difference_words(m[i].how));
    }
}
