/* Dialogs that stand in the way: the page opens one, and the call is not answered although the target is; or what comes after it is
 * said to be loaded, and the page behind the dialog is still there. */
#include "exec/oracle/browser.h"
#include "exec/oracle/checks/checks.h"
#include "exec/oracle/symptom.h"

#include <string.h>

static const char slug[] = "dialog-blocks";

/* By the text of the page, or the script. */
static bool opens_dialog(const struct observation *o)
{
    static const char dialogs[] = "alert(|confirm(|prompt(|alert%28|confirm%28|prompt%28|onbeforeunload|print()|print%28%29|#alert|#confirm|#prompt|/dialog";
    static const char *const ops[] = {"navigate", "tab-open", "click", "submit", "evaluate", NULL};
    return observation_is_any(o, ops) && (symptom_words(observation_argument(o, "url"), dialogs) ||
                                          symptom_words(observation_argument(o, "script"), dialogs) ||
                                          symptom_words(observation_argument(o, "selector"), dialogs));
}

/* The reply speaks of one. */
static bool tells_dialog(const struct observation *o)
{
    const char *words = "dialog with message|Open dialog|open dialog|dialog is open|JavaScript dialog|javascript dialog";
    return symptom_words(o->outcome.raw, words) || symptom_words(o->outcome.message, words);
}

/* A "/" at the end, and what follows "#", are no other page. */
static struct bytes plain_address(struct bytes url)
{
    ptrdiff_t hash = bytes_starts(url, BYTES_LITERAL("data:")) ? -1 : bytes_find(url, BYTES_LITERAL("#"), 0);
    url = hash < 0 ? url : bytes_slice(url, 0, (size_t)hash);
    while (url.len && url.data[url.len - 1] == '/')
        url.len--;
    return url;
}

static bool same_address(struct bytes a, struct bytes b)
{
    return bytes_equal(plain_address(a), plain_address(b));
}

/* A step that says it loaded a page, and where it says the browser is. */
static bool is_at(const struct observation *o, struct bytes *url)
{
    bool present;
    *url = observation_result(o, "url", &present);
    if (!present && observation_is(o, "tab-open"))
        *url = observation_argument(o, "url");
    return observation_claims(o) && browser_opens(o) && url->len > 0;
}

static bool judge_hang(const struct execution *e, struct verdicts *out, size_t i)
{
    const struct observation *o = &e->observations[i];
    if (!opens_dialog(o) || !browser_hangs(e, i))
        return false;
    judge_say(out, e, slug, i, EFFECT_NONE, "a dialog holds the call", "a call that opens a dialog is not answered",
              arena_printf(out->arena, "step %s %s opens a dialog and was not answered; a plain call was -> interface", o->step->id,
                           o->step->op->name));
    return true;
}

/* `dialog`: the step whose dialog is still open; `from`: where the browser was then. */
static void judge_stay(const struct execution *e, struct verdicts *out, size_t i, size_t dialog, struct bytes from)
{
    const struct observation *o = &e->observations[i];
    struct bytes now, asked = observation_argument(o, "url");
    struct buf words;
    if (!observation_is(o, "navigate") || step_mutated(e, o->step) || !is_at(o, &now) || same_address(asked, from) ||
        same_address(asked, now) || !same_address(now, from))
        return;
    buf_init(&words, 1024);
    judge_quote(&words, now, 120);
    judge_say(out, e, slug, i, EFFECT_WRONG, "a page is said to be loaded, and the one behind the dialog stays",
              "loading a page behind an open dialog is reported and does not happen",
              arena_printf(out->arena,
                           "step %s %s left a dialog open; step %s navigate claims success, and the browser is still at %s -> sandbox",
                           e->observations[dialog].step->id, e->observations[dialog].step->op->name, o->step->id, buf_string(&words)));
    buf_release(&words);
}

static void judge(const struct execution *e, struct verdicts *out)
{
    size_t dialog = e->count;
    struct bytes page = BYTES_NONE, url;
    for (size_t i = 0; i < e->count; i++) {
        const struct observation *o = &e->observations[i];
        static const char *const others[] = {"dialog", "tab-switch", "tab-close", "tab-open", "reopen", NULL};
        if (judge_hang(e, out, i))
            continue;
        if (dialog < e->count && strcmp(o->step->session, e->observations[dialog].step->session) == 0)
            judge_stay(e, out, i, dialog, page);
        if (observation_is_any(o, others))
            dialog = e->count;
        if (is_at(o, &url))
            page = url;
        if (observation_claims(o) && tells_dialog(o) && !observation_is(o, "dialog"))
            dialog = i;
    }
}

const struct check check_dialog_blocks = {
    slug, "C86", "browser", "a dialog is mentioned in the reply, which comes in time, and nothing is said to happen behind it", judge};
