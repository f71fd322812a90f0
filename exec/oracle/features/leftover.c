/* What a session left behind, by kind; one or more. */
#include "exec/oracle/features/features.h"

void feature_find_leftover(struct features *f, const struct execution *e)
{
    size_t count[LEFTOVER_GROUP + 1] = {0};
    for (size_t i = 0; i < e->leftover_count; i++)
        count[e->leftovers[i].kind] += !e->leftovers[i].calm;
    for (uint64_t kind = 0; kind <= LEFTOVER_GROUP; kind++)
        if (count[kind] && feature_add(f, hash64_mix(kind, count[kind] > 1)))
            feature_say(f, "%s, %s", leftover_kind_name((enum leftover_kind)kind), count[kind] > 1 ? "several" : "one");
}
