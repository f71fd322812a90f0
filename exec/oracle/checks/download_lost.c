/* Downloads that are reported and not there, or empty, as a witness sees the file. */
#include "exec/oracle/browser.h"
#include "exec/oracle/checks/checks.h"
#include "exec/oracle/expect.h"

static const char slug[] = "download-lost";

static void judge(const struct execution *e, struct verdicts *out)
{
    for (size_t i = 0; i < e->count; i++) {
        const struct observation *o = &e->observations[i];
        const struct file_view *v = &o->after;
        if (!observation_is(o, "save") || !observation_claims(o) || v->by == WITNESS_NONE ||
            step_mutated(e, o->step) || o->in_group)
            continue;
        const char *words = v->exists ? NULL : "the file is not there";
        for (const struct json *x = e->task->expect ? e->task->expect->first : NULL; x && !words;
             x = x->next) {
            struct fact_report r;
            expect_evaluate(e, x, out->arena, &r);
            if (r.fact == FACT_FAILS && r.file.len && path_same(r.file, observation_argument(o, "path")))
                words = v->size ? "the file has other bytes" : "the file is empty";
        }
        if (words)
            judge_say(out, e, slug, i, EFFECT_WRONG, words, "a download is reported and lost",
                      arena_printf(out->arena,
                                   "step %s save claims success; seen from %s the sandbox, %s -> sandbox",
                                   o->step->id, witness_name(v->by), words));
    }
}

const struct check check_download_lost = {
    slug, "C87", "browser", "a download has its bytes and its name, and the page's session stays", judge};
