/* Names that look like options or patterns, taken for such: success is claimed and nothing was done to the file of that name, while
 * the same op does its work on plain names; or the refusal is the words of a program that met an unknown option. */
#include "exec/oracle/checks/checks.h"
#include "exec/oracle/effect.h"
#include "exec/oracle/odd_name.h"

#include <string.h>

static const char slug[] = "name-as-option";

/* What programs print when they take a name for an option. */
static bool speaks_of_options(struct bytes text)
{
    static const char *const words[] = {"invalid option", "unrecognized option", "unknown option", "illegal option",
                                        "nvalid argument '-", "ry 'rm --help'", "Usage: "};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (bytes_find(text, bytes_of_string(words[i]), 0) >= 0)
            return true;
    return false;
}

static void judge_effect(const struct execution *e, struct verdicts *out, size_t i)
{
    const struct observation *o = &e->observations[i];
    const char *absent = effect_absent(e, i);
    if (!odd_name_ignored(e, i))
        return;
    const struct file_view *v = o->to_after.by != WITNESS_NONE ? &o->to_after : &o->after;
    struct buf evidence;
    buf_init(&evidence, 2048);
    buf_addf(&evidence, "step %s %s of ", o->step->id, o->step->op->name);
    judge_quote(&evidence, observation_argument(o, "path"), 80);
    buf_addf(&evidence, ": the reply claims success; seen from %s the sandbox just afterwards, the file %s -> sandbox",
             witness_name(v->by), absent);
    judge_say(out, e, slug, i, EFFECT_WRONG, arena_printf(out->arena, "a file with an odd name %s", absent),
              arena_printf(out->arena, "%s does nothing to a file whose name looks like an option or a pattern", o->step->op->name),
              buf_string(&evidence));
    buf_release(&evidence);
}

static void judge_words(const struct execution *e, struct verdicts *out, size_t i)
{
    const struct observation *o = &e->observations[i];
    struct bytes path = observation_argument(o, "path"), to = observation_argument(o, "to");
    bool option = bytes_starts(path_name(path), BYTES_LITERAL("-")) || (to.len && bytes_starts(path_name(to), BYTES_LITERAL("-")));
    if (!option || strcmp(o->step->op->group, "files") != 0 || o->outcome.lowered || !observation_refused(o) ||
        !speaks_of_options(o->outcome.message))
        return;
    judge_say(out, e, slug, i, EFFECT_NONE, "a name is taken for an option",
              arena_printf(out->arena, "%s takes a name for an option", o->step->op->name),
              arena_printf(out->arena, "step %s %s was refused in the words of a program that met an option: %.*s -> interface", o->step->id,
                           o->step->op->name,
                           BYTES_ARG(bytes_slice(o->outcome.message, 0, o->outcome.message.len < 160 ? o->outcome.message.len : 160))));
}

static void judge(const struct execution *e, struct verdicts *out)
{
    for (size_t i = 0; i < e->count; i++) {
        judge_effect(e, out, i);
        judge_words(e, out, i);
    }
}

const struct check check_name_as_option = {slug, "C54", "path", "a name that looks like an option or a pattern is a name", judge};
