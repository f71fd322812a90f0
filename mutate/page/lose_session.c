/* lose-session: what the browser knows is gone between two steps: its session ends and is opened anew, or the site's cookie is taken away. It is done right before
 * the task loads a page, so there is a page for what comes then; whether it is the one that was meant hangs on what was lost, so from there on nothing of
 * pages is expected. Files stay. */
#include <string.h>

#include "gen/task.h"
#include "mutate/page/page.h"

static const char *const kinds[] = {"reopen", "logout", NULL};

#define LOGOUT TASK_SITE "/logout"

/* Tabs by name, jobs and other sessions do not outlive the session, and programs may leave something. */
static bool leans_on_session(const struct task *t)
{
    static const char *const ops[] = {"tab-switch", "tab-close", "start",  "serve", "poll", "signal", "wait",
                                      "open",       "close",     "reopen", "run",   "call"};
    for (size_t i = 0; i < sizeof ops / sizeof *ops; i++)
        if (page_uses(t, ops[i]))
            return true;
    return false;
}

/* The task uses the site, and does not count how often it logs out. */
static bool can_log_out(const struct task *t)
{
    bool site = false;
    for (size_t i = 0; i < t->step_count; i++) {
        const struct json *url = json_get(t->steps[i].args, "url");
        site = site || (json_is(url, JSON_STRING) && bytes_starts(url->text, BYTES_LITERAL(TASK_SITE)));
    }
    for (const struct json *x = t->expect ? t->expect->first : NULL; x; x = x->next)
        if (bytes_equal_string(json_as_text(json_get(x, "site")), "/logout"))
            return false;
    return site;
}

static bool apply(struct mutation *m)
{
    struct task *t = m->task;
    const char *kind = mutation_kind(m, kinds);
    size_t index = page_pick(m, false);
    if (!kind || index == t->step_count || index == 0)
        return false;
    bool reopens = strcmp(kind, "reopen") == 0;
    if (reopens ? leans_on_session(t) || !ops_find(m->ops, "reopen") : !can_log_out(t))
        return false;
    const char *next = t->steps[index].id;
    struct json *args = NULL;
    if (!reopens) {
        args = json_new(&t->arena, JSON_OBJECT);
        json_set(&t->arena, args, "url", json_text(&t->arena, LOGOUT));
    }
    struct change c;
    change_begin(&c, m, "lose-session", index, "");
    retarget_unknown(&c);
    c.step = page_insert(&c, index, reopens ? "reopen" : "navigate", args)->id;
    change_end(&c, "%s: %s before %s", kind, reopens ? "the browser's session is ended and opened anew" : "the site takes its cookie away", next);
    return true;
}

const struct mutator mutator_lose_session = {
    .name = "lose-session",
    .group = "step",
    .summary = "the browser's session, or the site's cookie, is gone before a page is loaded",
    .details = "Before a navigate that is not the first step. reopen: the session is ended and opened anew, in tasks without programs, jobs and tabs by name; logout: the "
               "site takes its cookie away, in tasks that use it and do not count logouts.",
    .places = "",
    .kinds = "reopen logout",
    .apply = apply,
};
