/* The conversation itself: lines that are no messages, answers to nobody, more answers than one, requests that were not offered,
 * broken duties of the protocol, and a control call that is not answered. Counts and texts are left out. */
#include "exec/oracle/features/features.h"

enum { WIRE = 1, REPLIES, CONTROL };

void feature_find_trace(struct features *f, const struct execution *e)
{
    for (size_t i = 0; i < e->wire_count; i++) {
        const struct wire_record *w = &e->wire[i];
        if (feature_add(f, hash64_mix(hash64_mix(feature_text(w->kind), WIRE), (uint64_t)w->duty)))
            feature_say(f, w->duty ? "%s of duty %d" : "%s", w->kind, w->duty);
    }
    for (size_t i = 0; i < e->count; i++)
        if (f->ops[i] && e->observations[i].outcome.replies > 1 && feature_add(f, hash64_mix(f->ops[i], REPLIES)))
            feature_say(f, "%s: several answers", feature_op_words(f, &e->observations[i]));
    const struct control *c = &e->control;
    if (c->made && !c->answered && feature_add(f, hash64_mix(feature_text(c->op ? c->op : ""), CONTROL)))
        feature_say(f, "a control call (%s) is not answered", c->op ? c->op : "");
}
