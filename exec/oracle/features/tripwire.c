/* Files of ours outside the root: which was touched and how, and where its text turned up. */
#include "exec/oracle/features/features.h"

enum { SIGHTED = 99 };

void feature_find_tripwire(struct features *f, const struct execution *e)
{
    for (size_t i = 0; i < e->tripwire_count; i++) {
        const struct tripwire_report *t = &e->tripwires[i];
        for (unsigned bit = 1; bit < 1u << TRIPWIRE_TOUCHES; bit <<= 1)
            if (t->how & bit && feature_add(f, hash64_mix(bit, (uint64_t)t->place)))
                feature_say(f, "%s was %s", tripwire_place_name(t->place), tripwire_touch_name(bit));
    }
    for (size_t i = 0; i < e->sighting_count; i++) {
        const struct canary_sighting *s = &e->sightings[i];
        if (feature_add(f, hash64_mix(SIGHTED + (uint64_t)s->in, (uint64_t)s->place)))
            feature_say(f, "text of %s in %s", tripwire_place_name(s->place), canary_in_name(s->in));
    }
}
