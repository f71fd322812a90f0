/* Files that a page sends: what the server shows of them afterwards is not what a witness saw in the file, or
 * the page is gone. */
#include "exec/oracle/browser.h"
#include "exec/oracle/checks/checks.h"

static const char slug[] = "upload-breaks-page";

static void judge(const struct execution *e, struct verdicts *out)
{
    for (size_t i = 0, chosen = e->count; i < e->count; i++) {
        const struct observation *o = &e->observations[i];
        if (observation_is(o, "attach"))
            chosen = observation_claims(o) && view_has_bytes(&o->before) ? i : e->count;
        if (browser_opens(o))
            chosen = e->count;
        if (chosen >= e->count || !browser_asks(o))
            continue;
        const char *words = browser_hangs(e, i) ? "the page is not answered after a file was chosen"
                            : browser_fact_fails(e, i, out->arena) ? "the server received something else"
                                                                   : NULL;
        if (!words)
            continue;
        judge_say_op(out, e, slug, i, "attach", EFFECT_NONE, words, "a file that was chosen does not arrive",
                     arena_printf(out->arena,
                                  "step %s chose a file of %llu bytes; by step %s %s, %s -> interface",
                                  e->observations[chosen].step->id,
                                  (unsigned long long)e->observations[chosen].before.size, o->step->id,
                                  o->step->op->name, words));
        return;
    }
}

const struct check check_upload_breaks_page = {slug, "C91", "browser",
                                               "the server receives the bytes of the chosen file", judge};
