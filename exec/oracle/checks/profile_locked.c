/* A second client of one browser: it works, or is told in words that the profile is in use. */
#include "exec/oracle/browser.h"
#include "exec/oracle/checks/checks.h"
#include "exec/oracle/symptom.h"

#include <string.h>

static const char slug[] = "profile-locked";

static void judge(const struct execution *e, struct verdicts *out)
{
    for (size_t i = 1; i < e->count; i++) {
        const struct observation *o = &e->observations[i];
        bool second = (browser_opens(o) || observation_is(o, "open")) &&
                      strcmp(o->step->session, e->observations[0].step->session) != 0;
        bool told = symptom_words(o->outcome.message, "in use|lock|already|another|profile");
        if (!second || !(browser_hangs(e, i) || (observation_refused(o) && !told)) ||
            error_expected(e, o->step))
            continue;
        judge_say_op(out, e, slug, i, "open", EFFECT_NONE,
                     observation_refused(o) ? "a second client is refused without a reason"
                                            : "a second client is not answered",
                     "a second client of one browser neither works nor is told why",
                     arena_printf(out->arena, "step %s %s of a second client %s -> interface", o->step->id,
                                  o->step->op->name,
                                  observation_refused(o) ? "was refused, and the words do not tell why"
                                                         : "was not answered, and a plain call was"));
        return;
    }
}

const struct check check_profile_locked = {slug, "C90", "browser",
                                           "a second client works or fails at once with a clear text", judge};
