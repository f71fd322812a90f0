/* How each op ended. */
#include "exec/oracle/features/features.h"

void feature_find_outcome(struct features *f, const struct execution *e)
{
    for (size_t i = 0; i < e->count; i++)
        if (f->ops[i] && feature_add(f, feature_op_class(f, e, i)))
            feature_say(f, "%s -> %s", feature_op_words(f, &e->observations[i]), outcome_class_name(e->observations[i].outcome.class));
}
