/* The mode of a file that was there already, after its content was changed or it was moved. */
#include "exec/oracle/checks/checks.h"

static const char slug[] = "metadata-lost";

static bool comparable(const struct file_view *before, const struct file_view *after)
{
    return before->by != WITNESS_NONE && after->by != WITNESS_NONE && before->kind == 'f' &&
           after->kind == 'f' && before->mode && after->mode;
}

static void judge_one(const struct execution *e, struct verdicts *out, size_t i)
{
    static const char *const changes[] = {"write", "append", "edit", "upload", NULL};
    const struct observation *o = &e->observations[i];
    struct bytes path = observation_argument(o, "path"), to = observation_argument(o, "to");
    bool moves = observation_is(o, "move");
    const struct file_view *before = &o->before, *after = moves ? &o->to_after : &o->after;
    if (!observation_claims(o) || !(moves || observation_is_any(o, changes)) || !comparable(before, after) ||
        path_has_nul(path))
        return;
    if (group_touches(e, i, path) || background_touches(e, i, path) || (moves && path_same(path, to)) ||
        ((before->mode ^ after->mode) & 0777) == 0)
        return;
    judge_say_op(
        out, e, slug, i, stored_op(o), EFFECT_WRONG, "an existing file has another mode afterwards",
        arena_printf(out->arena, "%s changes the mode of an existing file", o->step->op->name),
        arena_printf(
            out->arena,
            "step %s %s: seen from %s the sandbox, the file's mode is %04o before and %04o after -> sandbox",
            o->step->id, o->step->op->name, witness_name(after->by), before->mode, after->mode));
}

static void judge(const struct execution *e, struct verdicts *out)
{
    for (size_t i = 0; i < e->count; i++)
        judge_one(e, out, i);
}

const struct check check_metadata_lost = {slug, "C56", "permission",
                                          "mode and kind survive a change and a move", judge};
