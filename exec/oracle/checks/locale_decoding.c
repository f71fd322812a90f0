/* Results that depend on the locale the target was started in: in a task that chose one, characters beyond ASCII are lost, shown as
 * question marks or as bytes, in what was stored, in a reply or in a listing; or a call is refused because the locale's character set
 * has not this character. */
#include "exec/oracle/checks/checks.h"
#include "exec/oracle/listing.h"

#include <string.h>

static const char slug[] = "locale-decoding";

static bool mine(const struct mismatch *m)
{
    return m->locale && !m->stale && !m->full_disk;
}

static void judge_listing(const struct execution *e, struct verdicts *out, size_t i)
{
    struct listing l;
    if (!listing_compare(e, i, out->arena, &l) || !listing_renames(&l))
        return;
    struct buf evidence;
    buf_init(&evidence, 2048);
    buf_addf(&evidence, "step %s list, of a target that was started in another locale: seen from %s the sandbox there is a name ",
             e->observations[i].step->id, witness_name(l.by));
    judge_quote(&evidence, l.a_missing, 120);
    buf_add_string(&evidence, "; the reply has ");
    judge_quote(&evidence, l.an_extra, 120);
    buf_add_string(&evidence, " in its place -> interface");
    judge_say(out, e, slug, i, EFFECT_RIGHT, "names without characters that the locale has not", "a listing depends on the target's locale",
              buf_string(&evidence));
    buf_release(&evidence);
}

/* A refusal that speaks of a character set, in the words of common libraries. */
static bool blames_charset(struct bytes message)
{
    static const char *const words[] = {"codec can't encode", "codec can't decode", "surrogates not allowed",
                                        "Invalid or incomplete multibyte", "illegal multibyte sequence", "cannot be encoded"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (bytes_find(message, bytes_of_string(words[i]), 0) >= 0)
            return true;
    return false;
}

static void judge_refusal(const struct execution *e, struct verdicts *out, size_t i)
{
    const struct observation *o = &e->observations[i];
    if (!observation_refused(o) || o->outcome.lowered || observation_mutated(o) || !blames_charset(o->outcome.message))
        return;
    judge_say(out, e, slug, i, EFFECT_NONE, "refused for a character that the locale has not",
              arena_printf(out->arena, "%s is refused for its characters, because of the target's locale", o->step->op->name),
              arena_printf(out->arena, "step %s %s, of a target that was started in another locale, was refused: %.*s -> interface",
                           o->step->id, o->step->op->name, BYTES_ARG(bytes_slice(o->outcome.message, 0, o->outcome.message.len < 200 ? o->outcome.message.len : 200))));
}

static void judge(const struct execution *e, struct verdicts *out)
{
    if (!task_mutated_by(e->task, "locale"))
        return;
    roundtrip_report(e, out, slug, mine);
    for (size_t i = 0; i < e->count; i++) {
        judge_listing(e, out, i);
        judge_refusal(e, out, i);
    }
}

const struct check check_locale_decoding = {slug, "C09", "environment", "results do not depend on the target's locale", judge};
