/* A program that was cancelled, or whose client went away, still works a while later: its file grows from one look to the next. */
#include "exec/oracle/checks/checks.h"

static const char slug[] = "cancel-ignored";

static void judge(const struct execution *e, struct verdicts *out)
{
    for (size_t i = 0; i < e->count; i++) {
        const struct observation *o = &e->observations[i];
        if (!o->work.looked || o->work.second <= o->work.first)
            continue;
        const char *how = o->outcome.by_us ? "its client went away" : "it was cancelled";
        judge_say(out, e, slug, i, EFFECT_WRONG, arena_printf(out->arena, "the program goes on after %s", how),
                  arena_printf(out->arena, "a program goes on after %s", how),
                  arena_printf(out->arena,
                               "step %s %s: %.1f s after the call was over its program's file, seen from outside, had %llu bytes, a "
                               "moment later %llu -> sandbox",
                               o->step->id, o->step->op->name, (double)o->work.after_ms / 1e3, (unsigned long long)o->work.first,
                               (unsigned long long)o->work.second));
    }
}

const struct check check_cancel_ignored = {slug, "C26", "process", "after cancelling, the work and its processes end", judge};
