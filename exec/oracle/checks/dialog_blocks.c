/* Dialogs that hold a call: the page opens one by its own text, and the call is not answered although the
 * target is. */
#include "exec/oracle/browser.h"
#include "exec/oracle/checks/checks.h"
#include "exec/oracle/symptom.h"

static const char slug[] = "dialog-blocks";

static void judge(const struct execution *e, struct verdicts *out)
{
    static const char dialogs[] =
        "alert(|confirm(|prompt(|onbeforeunload|print()|#alert|#confirm|#prompt|/dialog";
    for (size_t i = 0; i < e->count; i++) {
        const struct observation *o = &e->observations[i];
        static const char *const ops[] = {"navigate", "tab-open", "click", "submit", "evaluate", NULL};
        bool opens = observation_is_any(o, ops) &&
                     (symptom_words(observation_argument(o, "url"), dialogs) ||
                      symptom_words(observation_argument(o, "script"), dialogs) ||
                      symptom_words(observation_argument(o, "selector"), dialogs));
        if (!opens || !browser_hangs(e, i))
            continue;
        judge_say(
            out, e, slug, i, EFFECT_NONE, "a dialog holds the call",
            "a call that opens a dialog is not answered",
            arena_printf(out->arena,
                         "step %s %s opens a dialog and was not answered; a plain call was -> interface",
                         o->step->id, o->step->op->name));
    }
}

const struct check check_dialog_blocks = {slug, "C86", "browser",
                                          "a dialog is mentioned in the reply, which comes in time", judge};
