/* Files that a page sends: what the server received, as the fixture site saw it or the server shows it afterwards, is not what a witness
 * saw in the file, or the page is gone. */
#include "exec/oracle/browser.h"
#include "exec/oracle/checks/checks.h"

#include <string.h>

static const char slug[] = "upload-breaks-page";

/* The first file that the site received from step `from` on, which is the chosen one: its page has one field for files. NULL: none came, or
 * more than one did. */
static const struct web_field *received(const struct execution *e, size_t from, struct bytes name, size_t *step)
{
    const struct web_field *found = NULL;
    for (size_t i = 0; i < e->site.count; i++) {
        const struct web_visit *v = &e->site.visits[i];
        for (size_t k = 0; k < v->field_count && v->step >= (int64_t)from && v->end != WEB_LEFT; k++) {
            if (!v->fields[k].file || !bytes_equal(v->fields[k].filename, name))
                continue;
            if (found)
                return NULL;
            found = &v->fields[k];
            *step = (size_t)v->step;
        }
    }
    return *step < e->count ? found : NULL;
}

/* Nothing else was chosen after it before it was sent. */
static bool chosen_again(const struct execution *e, size_t chosen, size_t sent)
{
    for (size_t i = chosen + 1; i <= sent; i++)
        if (observation_is(&e->observations[i], "attach"))
            return true;
    return false;
}

static void judge_received(const struct execution *e, struct verdicts *out, size_t chosen)
{
    const struct observation *o = &e->observations[chosen];
    size_t sent = e->count;
    const struct web_field *field = received(e, chosen, path_name(observation_argument(o, "path")), &sent);
    if (!field || chosen_again(e, chosen, sent) || (field->size == o->before.size && strcmp(field->sha256, o->before.sha256) == 0))
        return;
    judge_say_op(out, e, slug, sent, "attach", EFFECT_WRONG, "the site received something else", "a file that was chosen does not arrive",
                 arena_printf(out->arena,
                              "step %s chose a file of %llu bytes; in step %s %s the site received %llu bytes under its name, with %s "
                              "SHA-256 -> sandbox",
                              o->step->id, (unsigned long long)o->before.size, e->observations[sent].step->id,
                              e->observations[sent].step->op->name, (unsigned long long)field->size,
                              strcmp(field->sha256, o->before.sha256) == 0 ? "the same" : "another"));
}

static void judge(const struct execution *e, struct verdicts *out)
{
    bool said = false;
    for (size_t i = 0, chosen = e->count; i < e->count; i++) {
        const struct observation *o = &e->observations[i];
        if (observation_is(o, "attach"))
            chosen = observation_claims(o) && view_has_bytes(&o->before) ? i : e->count;
        if (observation_is(o, "attach") && chosen == i && !step_mutated(e, o->step))
            judge_received(e, out, i);
        if (browser_opens(o))
            chosen = e->count;
        if (said || chosen >= e->count || !browser_asks(o))
            continue;
        const char *words = browser_hangs(e, i) ? "the page is not answered after a file was chosen"
                            : browser_fact_fails(e, i, out->arena) ? "the server received something else"
                                                                   : NULL;
        if (!words)
            continue;
        said = true;
        judge_say_op(out, e, slug, i, "attach", EFFECT_NONE, words, "a file that was chosen does not arrive",
                     arena_printf(out->arena,
                                  "step %s chose a file of %llu bytes; by step %s %s, %s -> interface",
                                  e->observations[chosen].step->id,
                                  (unsigned long long)e->observations[chosen].before.size, o->step->id,
                                  o->step->op->name, words));
    }
}

const struct check check_upload_breaks_page = {slug, "C91", "browser",
                                               "the server receives the bytes of the chosen file", judge};
