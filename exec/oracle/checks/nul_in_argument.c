/* A path with a NUL that is not refused, or that the target dies of or falls silent after. The views of such
 * a step are of the name cut at the NUL, where a careless target acts. An explicit error passes, whatever its
 * words. */
#include "exec/oracle/checks/checks.h"
#include "exec/oracle/effect.h"
#include "exec/oracle/fatal.h"
#include "exec/oracle/listing.h"

#include <string.h>

static const char slug[] = "nul-in-argument";

static void say(const struct execution *e, struct verdicts *out, size_t i, enum effect effect,
                const char *what)
{
    const struct observation *o = &e->observations[i];
    struct buf evidence;
    buf_init(&evidence, 4096);
    buf_addf(&evidence, "step %s %s was given the path ", o->step->id, o->step->op->name);
    judge_quote(&evidence, observation_argument(o, "path"), 120);
    buf_addf(&evidence, " and claims success; %s -> %s", what, layer_name(layer_of(effect)));
    judge_say_op(out, e, slug, i, stored_op(o), effect, what,
              arena_printf(out->arena, "%s takes a path with a NUL: %s", o->step->op->name, what),
              buf_string(&evidence));
    buf_release(&evidence);
}

static bool changed(const struct file_view *before, const struct file_view *after)
{
    return before->exists != after->exists || before->mode != after->mode ||
           (view_has_bytes(after) && !view_same_bytes(before, after));
}

/* The listing is that of the directory under the cut name; another one is listing-wrong's. That of the root tells nothing: a target
 * that takes no notice of the path gives it too. */
static bool lists_it(const struct execution *e, size_t i, struct arena *a)
{
    struct listing l;
    struct bytes path = observation_argument(&e->observations[i], "path");
    const uint8_t *nul = memchr(path.data, 0, path.len);
    if (path_name(bytes_slice(path, 0, (size_t)(nul - path.data))).len == 0)
        return false;
    return listing_compare(e, i, a, &l) && !l.missing && !l.extra;
}

static void judge_one(const struct execution *e, struct verdicts *out, size_t i)
{
    static const char *const asks[] = {"read", "download", "list", "stat", NULL};
    static const char *const acts[] = {"remove", "chmod", "edit", "append", "write", "upload", "mkdir", NULL};
    static const char *const makes[] = {"write", "upload", "mkdir", NULL};
    static const char cut[] = "it acts under the name cut at the NUL";
    const char *words;
    struct bytes place;
    const struct observation *o = &e->observations[i];
    bool seen = o->before.by != WITNESS_NONE && o->after.by != WITNESS_NONE;
    if (!observation_claims(o) || !path_has_nul(observation_argument(o, "path")) || !seen || o->in_group)
        return;
    if (observation_is_any(o, acts) && changed(&o->before, &o->after))
        say(e, out, i, EFFECT_WRONG, cut);
    else if (observation_is_any(o, asks) && o->after.exists && (!observation_is(o, "list") || lists_it(e, i, out->arena)))
        say(e, out, i, EFFECT_NONE, "it answers for the name cut at the NUL");
    else if (observation_is_any(o, makes))
        say(e, out, i, EFFECT_WRONG, effect_elsewhere(e, i, &words, &place) ? cut : "nothing is made");
}

static void judge(const struct execution *e, struct verdicts *out)
{
    for (size_t i = 0; i < e->count; i++)
        judge_one(e, out, i);
    fatal_report(e, out, slug);
}

const struct check check_nul_in_argument = {slug, "C07", "null-byte", "a path with a NUL is refused", judge};
