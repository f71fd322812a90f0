/* Pages and pictures whose characters have no glyph: the renderer says so on its way and reports success. */
#include "exec/oracle/checks/checks.h"
#include "exec/oracle/symptom.h"

static const char slug[] = "glyphs-missing";

static void judge(const struct execution *e, struct verdicts *out)
{
    for (size_t i = 0; i < e->count; i++) {
        const struct observation *o = &e->observations[i];
        bool ended = observation_is(o, "run") && observation_claims(o) && o->outcome.has_exit &&
                     o->outcome.exit == 0;
        struct bytes printed = ended ? symptom_printed(o, out->arena) : BYTES_NONE;
        static const char words[] = "missing from font|missing from current font|Missing character: There is "
                                    "no|no glyph for|glyph not found";
        if (!symptom_words(printed, words) || symptom_program(o, words) || step_mutated(e, o->step))
            continue;
        struct buf evidence;
        buf_init(&evidence, 4096);
        buf_addf(&evidence, "step %s run ended with status 0; inside the sandbox the renderer said ",
                 o->step->id);
        judge_quote(&evidence, printed, 300);
        buf_add_string(&evidence, " -> sandbox");
        judge_say(out, e, slug, i, EFFECT_WRONG, "characters have no glyph",
                  "what was rendered lacks characters", buf_string(&evidence));
        buf_release(&evidence);
    }
}

const struct check check_glyphs_missing = {slug, "C93", "environment",
                                           "a rendered page shows all its characters", judge};
