/* What happens outside the roots that the policy states. A canary beside the root, which no tool for files may show. Where a link of the task's own led to it, that is
 * symlink-mishandled's to say. */
#include "exec/oracle/checks/checks.h"
#include "exec/oracle/escape.h"

static void judge(const struct execution *e, struct verdicts *out)
{
    struct escape *found;
    size_t count = escapes_find(e, out->arena, &found);
    escape_roots_report(e, out, "root-escape");
    for (size_t i = 0; i < count; i++) {
        const struct observation *o = &e->observations[found[i].observation];
        if (found[i].by_link)
            continue;
        judge_say_op(out, e, "root-escape", found[i].observation, fetched_op(o), EFFECT_WRONG, "shows a file outside the root",
                  arena_printf(out->arena, "%s shows a file outside the root", o->step->op->name),
                  arena_printf(out->arena, "the reply of step %s %s holds the text of a file of ours that stands %s -> sandbox", o->step->id,
                               o->step->op->name, found[i].where));
    }
}

const struct check check_root_escape = {"root-escape", "C58", "permission", "files outside the root stay unseen", judge};
