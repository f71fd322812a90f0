/* Links: one that leads out of the root shows nothing, and one that stands in the root stays a link when it is moved, made or written
 * through. What commands of our own did to it is not the target's doing. */
#include "exec/oracle/checks/checks.h"
#include "exec/oracle/escape.h"

static const char slug[] = "symlink-mishandled";

static bool is_link(const struct file_view *v)
{
    return v->by != WITNESS_NONE && v->exists && v->kind == 'l';
}

static bool is_other(const struct file_view *v)
{
    return v->by != WITNESS_NONE && v->exists && (v->kind == 'f' || v->kind == 'd');
}

/* What became of a link, or of what must have become one; NULL. */
static const char *link_lost(const struct observation *o)
{
    static const char *const through[] = {"write", "append", "edit", "upload", NULL};
    if (observation_is(o, "move") && is_link(&o->before) && !o->to_before.exists && is_other(&o->to_after))
        return "a moved link is no link any more";
    if (observation_is_any(o, through) && is_link(&o->before) && is_other(&o->after))
        return "a link is replaced by a file";
    bool symbolic = observation_is(o, "link") && !bytes_equal_string(observation_argument(o, "kind"), "hard");
    return symbolic && !o->before.exists && is_other(&o->after) ? "what was made is no link" : NULL;
}

static void judge_link(const struct execution *e, struct verdicts *out, size_t i)
{
    const struct observation *o = &e->observations[i];
    struct bytes path = observation_argument(o, "path"), to = observation_argument(o, "to");
    const char *words = observation_claims(o) && !o->outcome.lowered ? link_lost(o) : NULL;
    if (!words || path_has_nul(path) || group_touches(e, i, path) || background_touches(e, i, path) ||
        (to.len && (group_touches(e, i, to) || background_touches(e, i, to))))
        return;
    judge_say(out, e, slug, i, EFFECT_WRONG, words, arena_printf(out->arena, "%s: %s", o->step->op->name, words),
              arena_printf(out->arena, "step %s %s: the reply claims success; seen from %s the sandbox, %s -> sandbox", o->step->id,
                           o->step->op->name, witness_name(o->after.by), words));
}

static void judge_escape(const struct execution *e, struct verdicts *out, const struct escape *x)
{
    const struct observation *o = &e->observations[x->observation];
    if (!x->by_link)
        return;
    judge_say_op(out, e, slug, x->observation, fetched_op(o), EFFECT_WRONG, "a link shows a file outside the root",
              arena_printf(out->arena, "%s follows a link out of the root", o->step->op->name),
              arena_printf(out->arena, "the reply of step %s %s, which goes through a link, holds the text of a file that stands %s -> sandbox",
                           o->step->id, o->step->op->name, x->where));
}

static void judge(const struct execution *e, struct verdicts *out)
{
    struct escape *found;
    size_t count = escapes_find(e, out->arena, &found);
    for (size_t i = 0; i < count; i++)
        judge_escape(e, out, &found[i]);
    for (size_t i = 0; i < e->count; i++)
        judge_link(e, out, i);
}

const struct check check_symlink_mishandled = {slug, "C52", "path", "links stay links, and lead nobody out of the root", judge};
