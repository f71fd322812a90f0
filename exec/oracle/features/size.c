/* How much went over and came back, in powers of two. */
#include "exec/oracle/features/features.h"
#include "exec/oracle/judge.h"

static void add(struct features *f, size_t i, const struct observation *o, uint64_t which, const char *what, uint64_t size)
{
    uint64_t power = feature_power(size);
    if (feature_add(f, hash64_mix(hash64_mix(f->ops[i], which), power)))
        feature_say(f, "%s: %s of %s%llu bytes", feature_op_words(f, o), what, power ? "at least " : "",
                    power ? 1ULL << (power - 1) : 0ULL);
}

void feature_find_size(struct features *f, const struct execution *e)
{
    static const char *const streams[] = {"stdout", "stderr", "content"};
    for (size_t i = 0; i < e->count; i++) {
        const struct observation *o = &e->observations[i];
        if (!f->ops[i])
            continue;
        add(f, i, o, 1, "request", o->outcome.bytes_in);
        add(f, i, o, 2, "reply", o->outcome.bytes_out);
        for (uint64_t k = 0; k < sizeof streams / sizeof *streams; k++) {
            bool present;
            struct bytes stream = observation_result(o, streams[k], &present);
            if (present)
                add(f, i, o, 3 + k, streams[k], stream.len);
        }
    }
}
