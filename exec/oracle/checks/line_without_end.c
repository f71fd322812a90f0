/* Bytes without a newline are kept, all of them, until one comes: the target's memory grows as long as somebody sends. A target that has
 * a limit refuses, or drops them, and its memory stays. */
#include "exec/oracle/checks/checks.h"

#include <string.h>

static const char slug[] = "line-without-end";

enum { LEAST = 128 << 20, MIB = 1 << 20 };

static void judge(const struct execution *e, struct verdicts *out)
{
    for (size_t i = 0; i < e->count; i++) {
        const struct observation *o = &e->observations[i];
        const struct outcome_fault *f = o->outcome.fault;
        if (!observation_reframed(o) || strcmp(f->mutator, "no-newline-flood") != 0 || o->outcome.bytes_in < LEAST ||
            !f->memory_before || f->memory_after < f->memory_before)
            continue;
        uint64_t grown = f->memory_after - f->memory_before;
        if (grown < o->outcome.bytes_in / 20 * 19) /* a limit that lies below is a limit */
            continue;
        judge_say_op(out, e, slug, i, "send", EFFECT_NONE, "memory grows with a line that does not end",
                     "a line that does not end is kept in memory, however long it is",
                     arena_printf(out->arena, "step %s: %llu MiB without a newline; the most that the target's process had in memory went from "
                                              "%llu to %llu MiB -> interface",
                                  o->step->id, (unsigned long long)(o->outcome.bytes_in / MIB),
                                  (unsigned long long)(f->memory_before / MIB), (unsigned long long)(f->memory_after / MIB)));
    }
}

const struct check check_line_without_end = {slug, "C18", "memory", "memory stays bounded while bytes without a newline arrive", judge};
