/* Error messages, without what differs from run to run (normalise.h), folded into a fixed number of slots for each op. */
#include "exec/oracle/features/features.h"

enum { SLOTS = 64, TEXT_MAX = 4096 };

void feature_find_message(struct features *f, const struct execution *e)
{
    for (size_t i = 0; i < e->count; i++) {
        const struct observation *o = &e->observations[i];
        if (!f->ops[i] || !o->outcome.message.len)
            continue;
        struct buf text;
        buf_init(&text, TEXT_MAX);
        normalise(e->rules, NORMALISE_MESSAGE, o->outcome.message, &text);
        if (feature_add(f, hash64_mix(f->ops[i], hash64(buf_bytes(&text)) % SLOTS)))
            feature_say(f, "%s: %s", feature_op_words(f, o), buf_string(&text));
        buf_release(&text);
    }
}
