/* How long a call took, against what calls of its op have taken until now: the factor as a power of two. What is handed in is a median, so
 * a slow call does not move it. Differences below some milliseconds are the machine's own. */
#include "exec/oracle/features/features.h"

static const int64_t least_ns = 3000000;

static const struct feedback_latency *latency_of(const struct features *f, uint64_t op)
{
    for (size_t i = 0; i < f->context->latency_count; i++)
        if (f->context->latencies[i].op == op)
            return &f->context->latencies[i];
    return NULL;
}

void feature_find_time(struct features *f, const struct execution *e)
{
    for (size_t i = 0; i < e->count && f->context->latency_count; i++) {
        const struct observation *o = &e->observations[i];
        const struct feedback_latency *usual = f->ops[i] ? latency_of(f, f->ops[i]) : NULL;
        if (!usual || usual->median_ns <= 0 || o->outcome.ns <= 0)
            continue;
        bool longer = o->outcome.ns > usual->median_ns;
        int64_t more = longer ? o->outcome.ns : usual->median_ns, less = longer ? usual->median_ns : o->outcome.ns;
        uint64_t power = feature_power((uint64_t)(more / less)) - 1;
        if (more - less < least_ns || !power)
            continue;
        if (feature_add(f, hash64_mix(f->ops[i], power << 1 | longer)))
            feature_say(f, "%s: at least %llu times as %s as usual", feature_op_words(f, o), 1ULL << power, longer ? "slow" : "quick");
    }
}
