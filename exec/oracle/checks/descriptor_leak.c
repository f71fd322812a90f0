/* Descriptors of the target's own process that grow with equal calls. One round is left to warm up; after
 * that the count never falls, and in each half of the rest it grows by at least one in two rounds. A pool
 * that fills, or a cache of files, does not grow with calls that are the same. */
#include "exec/oracle/checks/checks.h"
#include "exec/oracle/rounds.h"

static const char slug[] = "descriptor-leak";

enum { ROUNDS_LEAST = 8, WARM = 1, HALF_LEAST = 3 };

static uint32_t held(const struct execution *e, const struct rounds *r, size_t index)
{
    return rounds_end(e, r, index)->usage.descriptors;
}

static bool grows(const struct execution *e, const struct rounds *r, size_t from, size_t to)
{
    for (size_t i = from + 1; i <= to; i++)
        if (held(e, r, i) < held(e, r, i - 1))
            return false;
    uint32_t growth = held(e, r, to) - held(e, r, from);
    return growth >= HALF_LEAST && growth >= (to - from) / 2;
}

static void judge(const struct execution *e, struct verdicts *out)
{
    struct rounds r;
    for (size_t at = 0; rounds_next(e, &at, ROUNDS_LEAST, &r);) {
        size_t last = r.count - 1, middle = (WARM + last) / 2;
        if (!grows(e, &r, WARM, middle) || !grows(e, &r, middle, last))
            continue;
        judge_say(
            out, e, slug, r.first + r.length - 1, EFFECT_RIGHT, "open descriptors grow with equal calls",
            arena_printf(out->arena, "%s leaves descriptors open", rounds_end(e, &r, 0)->step->op->name),
            arena_printf(out->arena,
                         "each of %zu equal rounds did what it should; the target's process had %u "
                         "descriptors open after round %d, %u after "
                         "round %zu and %u after round %zu -> interface",
                         r.count, held(e, &r, WARM), WARM + 1, held(e, &r, middle), middle + 1,
                         held(e, &r, last), r.count));
    }
}

const struct check check_descriptor_leak = {slug, "C64", "process",
                                            "open descriptors do not grow with the calls", judge};
