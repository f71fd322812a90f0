/* One path, two files: a step made it, and it is somewhere else, or only some of the tools and programs see
 * it. */
#include "exec/oracle/checks/checks.h"
#include "exec/oracle/effect.h"
#include "exec/oracle/renamed.h"

static const char slug[] = "roots-differ";

static bool seen(const struct file_view *v)
{
    return v->by != WITNESS_NONE;
}

/* A path that begins with a tilde is a name in the root, or one in the home directory: whoever takes it for either is right. */
static bool at_home(struct bytes path, struct bytes place)
{
    return bytes_starts(path, BYTES_LITERAL("~")) && bytes_starts(place, BYTES_LITERAL("{home}"));
}

/* Made, not at its place, but somewhere. */
static void judge_elsewhere(const struct execution *e, struct verdicts *out, size_t i)
{
    const struct observation *o = &e->observations[i];
    const char *absent = effect_absent(e, i), *words;
    struct bytes place, path;
    const struct file_view *before, *after;
    if (!absent || renamed_on_the_way(e, i) || !effect_elsewhere(e, i, &words, &place) || !made_path(o, &path, &before, &after) ||
        at_home(path, place))
        return;
    struct buf evidence;
    buf_init(&evidence, 4096);
    buf_addf(&evidence, "step %s %s: the reply claims success; seen from %s the sandbox, the file %s, but %s",
             o->step->id, o->step->op->name, witness_name(after->by), absent, words);
    if (place.len) {
        buf_add_string(&evidence, ": ");
        judge_quote(&evidence, place, 200);
    }
    buf_add_string(&evidence, " -> sandbox");
    judge_say_op(out, e, slug, i, stored_op(o), EFFECT_WRONG, "what was made is somewhere else",
              arena_printf(out->arena, "%s puts its file under another root", o->step->op->name),
              buf_string(&evidence));
    buf_release(&evidence);
}

/* Two witnesses do not see the same file. */
static bool judge_cross(const struct execution *e, struct verdicts *out, const struct cross_view *c)
{
    if (!seen(&c->outside) || !seen(&c->inside) || !c->outside.exists ||
        background_touches(e, e->count, c->path))
        return false;
    bool gone = !c->inside.exists;
    bool other = view_has_bytes(&c->outside) && view_has_bytes(&c->inside) &&
                 !view_same_bytes(&c->outside, &c->inside);
    if (!gone && !other)
        return false;
    const struct observation *o = &e->observations[c->observation];
    struct buf evidence;
    buf_init(&evidence, 4096);
    buf_addf(&evidence, "step %s %s made ", o->step->id, o->step->op->name);
    judge_quote(&evidence, c->path, 200);
    buf_addf(
        &evidence,
        "; seen from outside it holds %llu bytes; a program in the sandbox %s under the same name -> sandbox",
        (unsigned long long)c->outside.size, gone ? "sees nothing" : "sees other bytes");
    judge_say_op(out, e, slug, c->observation, stored_op(o), EFFECT_WRONG,
              gone ? "programs do not see what a tool made" : "programs see other bytes than a tool made",
              arena_printf(out->arena, "what %s makes is not where programs in the sandbox look",
                           o->step->op->name),
              buf_string(&evidence));
    buf_release(&evidence);
    return true;
}

/* A link that leads nowhere is there, and yet nothing can be found under its name. */
static bool stands(const struct file_view *v)
{
    return seen(v) && v->exists && (v->kind != 'l' || view_has_bytes(v));
}

static bool says_missing(struct bytes message)
{
    static const char *const words[] = {"not found", "No such file",   "no such file",
                                        "ENOENT",    "does not exist", "doesn't exist",
                                        "Not found", "cannot find",    "not exist"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (bytes_find(message, bytes_of_string(words[i]), 0) >= 0)
            return true;
    return false;
}

/* The step that made this path, acknowledged, before step i. */
static size_t maker_of(const struct execution *e, size_t i, struct bytes wanted)
{
    for (size_t j = i; j-- > 0;) {
        struct bytes path;
        const struct file_view *before, *after;
        if (observation_claims(&e->observations[j]) &&
            made_path(&e->observations[j], &path, &before, &after) && path_same(path, wanted))
            return j;
    }
    return e->count;
}

/* "No such file", said of a file that stands there. */
static void judge_denial(const struct execution *e, struct verdicts *out, size_t i)
{
    static const char *const asks[] = {"read", "download", "stat",   "list", "copy",
                                       "move", "edit",     "append", NULL};
    const struct observation *o = &e->observations[i];
    struct bytes path = observation_argument(o, "path");
    if (!observation_is_any(o, asks) || !observation_refused(o) || observation_reframed(o) || path_has_nul(path) ||
        !says_missing(o->outcome.message))
        return;
    bool there = stands(&o->before) && stands(&o->after);
    size_t maker = maker_of(e, i, path);
    /* The words may be about the other end: only where that is seen to be there they are not. */
    bool to_missing = observation_argument(o, "to").len && !(seen(&o->to_before) && o->to_before.exists);
    if (!there || maker == e->count || group_touches(e, i, path) || to_missing)
        return;
    struct buf evidence;
    buf_init(&evidence, 4096);
    buf_addf(&evidence,
             "step %s %s made the file; seen from %s the sandbox it is there before and after step %s %s, "
             "which says ",
             e->observations[maker].step->id, e->observations[maker].step->op->name,
             witness_name(o->before.by), o->step->id, o->step->op->name);
    judge_quote(&evidence, o->outcome.message, 200);
    buf_add_string(&evidence, " -> interface");
    judge_say(out, e, slug, i, EFFECT_RIGHT, "a file that is there is reported as missing",
              arena_printf(out->arena, "%s does not find what %s made", o->step->op->name,
                           e->observations[maker].step->op->name),
              buf_string(&evidence));
    buf_release(&evidence);
}

static void judge(const struct execution *e, struct verdicts *out)
{
    bool crossed = false;
    for (size_t i = 0; i < e->cross_count; i++)
        crossed = judge_cross(e, out, &e->crosses[i]) || crossed;
    for (size_t i = 0; i < e->count; i++) {
        judge_elsewhere(e, out, i);
        if (!crossed)
            judge_denial(e, out, i);
    }
}

const struct check check_roots_differ = {slug, "C50", "path",
                                         "a path means the same file to every tool and program", judge};
