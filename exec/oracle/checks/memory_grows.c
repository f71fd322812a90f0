/* Memory of the target's own process that grows with equal calls by what each of them moves. Collectors of
 * garbage let memory grow too, by more or less than that, and take it back; so every third of the rounds must
 * grow by about what it moved, no round may give back what one moves, and all of it must be more than a young
 * heap holds. */
#include "exec/oracle/checks/checks.h"
#include "exec/oracle/rounds.h"

static const char slug[] = "memory-grows";

enum { ROUNDS_LEAST = 12, PARTS = 3, TOTAL_LEAST = 32 << 20, MIB = 1 << 20 };

/* The bytes that one round hands over: results and arguments as they are, without the words of the wire
 * around them. */
static uint64_t moved(const struct execution *e, const struct rounds *r)
{
    uint64_t bytes = 0;
    for (size_t i = 0; i < r->length; i++) {
        const struct observation *o = &e->observations[r->first + i];
        for (const struct json *m = o->outcome.result ? o->outcome.result->first : NULL; m; m = m->next)
            bytes += m->text.len;
        for (const struct json *m = o->args ? o->args->first : NULL; m; m = m->next)
            bytes += m->text.len;
    }
    return bytes;
}

static uint64_t rss(const struct execution *e, const struct rounds *r, size_t index)
{
    return rounds_end(e, r, index)->usage.rss;
}

static bool keeps_all(const struct execution *e, const struct rounds *r, uint64_t each)
{
    size_t last = r->count - 1;
    for (size_t i = 1; i <= last; i++)
        if (rss(e, r, i) + each < rss(e, r, i - 1))
            return false;
    for (size_t part = 0; part < PARTS; part++) {
        size_t from = last * part / PARTS, to = last * (part + 1) / PARTS;
        uint64_t want = each * (to - from) / 5 * 3;
        if (!rss(e, r, from) || rss(e, r, to) < rss(e, r, from) + want)
            return false;
    }
    return rss(e, r, last) >= rss(e, r, 0) + TOTAL_LEAST;
}

static void judge(const struct execution *e, struct verdicts *out)
{
    struct rounds r;
    for (size_t at = 0; rounds_next(e, &at, ROUNDS_LEAST, &r);) {
        uint64_t each = moved(e, &r);
        if (!each || !keeps_all(e, &r, each))
            continue;
        judge_say(out, e, slug, r.first + r.length - 1, EFFECT_RIGHT,
                  "memory grows with equal calls by what they move",
                  arena_printf(out->arena, "%s keeps in memory what it has handed over",
                               rounds_end(e, &r, 0)->step->op->name),
                  arena_printf(
                      out->arena,
                      "each of %zu equal rounds did what it should and moved %llu KiB; the memory of the "
                      "target's process was %llu MiB after "
                      "the first and %llu MiB after the last, and grew in every third of them -> interface",
                      r.count, (unsigned long long)each / 1024, (unsigned long long)rss(e, &r, 0) / MIB,
                      (unsigned long long)rss(e, &r, r.count - 1) / MIB));
    }
}

const struct check check_memory_grows = {slug, "C69", "memory", "memory is the same after many equal rounds",
                                         judge};
