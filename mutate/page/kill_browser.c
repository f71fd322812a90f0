/* kill-browser: processes of the browser are killed from outside, as the machine's memory killer would: those that show pages, or all of them. It is done
 * right before a blank page is loaded, which may fail and say so, and what comes then is a page of the task's. The runner does it (exec/runner_page.c), where it
 * can see the processes.
 *
 * A dead page must make room for the next one; a dead browser is started again, or the calls say that it is gone. So expectations stay for the former in
 * tasks that do not go back to a tab, and go for the latter. */
#include <string.h>

#include "mutate/page/page.h"

static const char *const kinds[] = {"pages", "browser", NULL};

static bool apply(struct mutation *m)
{
    struct task *t = m->task;
    const char *kind = mutation_kind(m, kinds);
    size_t index = page_pick(m, false);
    if (!kind || index == t->step_count)
        return false;
    bool pages = strcmp(kind, "pages") == 0;
    struct json *args = json_new(&t->arena, JSON_OBJECT);
    json_set(&t->arena, args, "url", json_text(&t->arena, "about:blank"));
    const char *next = t->steps[index].id;
    struct change c;
    change_begin(&c, m, PAGE_KILLER, index, "");
    if (!pages || page_uses(t, "tab-switch") || page_uses(t, "tab-open"))
        retarget_unknown(&c);
    c.step = page_insert(&c, index, "navigate", args)->id;
    change_end(&c, "%s: %s killed, and a blank page is loaded, before %s", kind,
               pages ? "the processes that show pages are" : "the whole browser is", next);
    return true;
}

bool mutate_kills_browser(const struct task *t, const char *step, bool *pages)
{
    for (const struct json *m = t->mutations ? t->mutations->first : NULL; m; m = m->next) {
        if (!bytes_equal_string(json_as_text(json_get(m, "mutator")), PAGE_KILLER) ||
            !bytes_equal_string(json_as_text(json_get(m, "step")), step))
            continue;
        *pages = bytes_starts(json_as_text(json_get(m, "detail")), BYTES_LITERAL("pages"));
        return true;
    }
    return false;
}

const struct mutator mutator_kill_browser = {
    .name = "kill-browser", /* PAGE_KILLER */
    .group = "step",
    .summary = "the browser's processes are killed before a page is loaded",
    .details = "pages: those that show pages; browser: all of them. With SIGKILL, from outside, right before a blank page is loaded in front of a navigate; only where this machine sees the "
               "target's processes.",
    .places = "",
    .kinds = "pages browser",
    .apply = apply,
};
