/* A program that was cancelled, or whose client went away, still works a while later: its file grows from one look to the next. Where
 * the target answers once for the cancelling and once more for the program's end, the two answers are the defect, and mcp-04's. */
#include "exec/oracle/checks/checks.h"

#include <string.h>

static const char slug[] = "cancel-ignored";

static bool answered_twice(const struct execution *e)
{
    for (size_t i = 0; i < e->wire_count; i++)
        if (strcmp(e->wire[i].kind, "double-reply") == 0)
            return true;
    return false;
}

static void judge(const struct execution *e, struct verdicts *out)
{
    if (answered_twice(e))
        return;
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
