/* Browsers: how much memory their tabs take while a task runs, how many are open in the end, and whether a tab of our own still answers.
 *
 * Memory is what the session's processes have together, each shared page counted once (PSS). Asking for it walks page tables, so it is
 * asked for after steps on pages only, and never for more than a fifth of the time. */
#include "exec/runner_internal.h"

#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "mutate/mutate.h"

enum { LOOK_SHARE = 4, BOX_QUARTERS = 3, CLOSED_LEAST = 3, SETTLE_LOOKS = 8, SETTLE_MS = 500, SETTLE_LEAST = 8 << 20, NOTICE_MS = 150 /* for a browser to see that a page has died */ };

static bool on_page(const struct task_step *step)
{
    return strcmp(step->op->group, "browser") == 0;
}

bool runner_page_used(const struct runner *r)
{
    for (size_t i = 0; i < r->task->step_count; i++)
        if (on_page(&r->task->steps[i]))
            return true;
    return false;
}

/* --- memory --- */

const char runner_page_spent[] = "budget.flood is used up";

/* The setting's share of this machine's memory, and no more than three quarters of what the box has. */
uint64_t runner_page_budget(const struct runner *r)
{
    long pages = sysconf(_SC_PHYS_PAGES), size = sysconf(_SC_PAGESIZE);
    double share = settings_real(r->settings, "budget.flood");
    uint64_t most = (uint64_t)settings_int(r->settings, "budget.memory") / 4 * BOX_QUARTERS;
    uint64_t machine = pages > 0 && size > 0 ? (uint64_t)((double)pages * (double)size * share) : most;
    return machine < most ? machine : most;
}

void runner_page_look(struct runner *r, size_t from, size_t count)
{
    bool any = false;
    for (size_t i = from; i < from + count; i++)
        any = any || (on_page(r->e->observations[i].step) && r->e->observations[i].outcome.class != OUTCOME_SKIPPED);
    int64_t start = clock_monotonic_ns();
    if (!any || !r->outside || start < r->page_look_ns)
        return;
    struct usage *usage = &r->e->observations[from + count - 1].usage;
    outside_pages(r->outside, usage);
    r->page_memory = usage->pss;
    r->page_look_ns = clock_monotonic_ns();
    r->page_look_ns += LOOK_SHARE * (r->page_look_ns - start);
}

const char *runner_page_full(const struct runner *r, const struct task_step *step)
{
    bool opens = strcmp(step->op->name, "tab-open") == 0;
    return opens && r->page_memory >= runner_page_budget(r) ? runner_page_spent : NULL;
}

/* --- death --- */

void runner_page_kill(struct runner *r, struct observation *o)
{
    bool pages;
    if (!r->outside || !mutate_kills_browser(r->task, o->step->id, &pages))
        return;
    o->killed = outside_kill_pages(r->outside, pages);
    if (o->killed)
        clock_sleep_ms(NOTICE_MS);
}

/* --- calls of ours --- */

static bool call_page(struct runner *r, const char *op, struct json *args, struct outcome *outcome)
{
    const struct op *known = ops_find(r->ops, op);
    return known && session_supports_op(r->session, known) && runner_plain_call(r, op, args, outcome);
}

static struct json *current_of(const struct json *tabs)
{
    for (const struct json *one = tabs ? tabs->first : NULL; one; one = one->next)
        if (json_is(json_get(one, "current"), JSON_TRUE))
            return json_get(one, "tab");
    return NULL;
}

static struct json *naming(struct runner *r, const char *name, const struct json *value)
{
    struct json *args = json_new(r->a, JSON_OBJECT);
    json_set(r->a, args, name, json_copy(r->a, value));
    return args;
}

static size_t done(const struct runner *r, const char *op)
{
    size_t count = 0;
    for (size_t i = 0; i < r->e->count; i++)
        count += r->e->observations[i].outcome.class == OUTCOME_OK && strcmp(r->e->observations[i].step->op->name, op) == 0;
    return count;
}

/* Processes of closed tabs go in their own time: waits until they take no less than a moment before. */
static uint64_t settled_memory(struct runner *r)
{
    struct usage now = {0}, before;
    for (int i = 0; i < SETTLE_LOOKS && r->outside; i++) {
        before = now;
        now = (struct usage){0};
        outside_pages(r->outside, &now);
        if (i && now.pss + SETTLE_LEAST >= before.pss)
            break;
        clock_sleep_ms(SETTLE_MS);
    }
    return now.pss;
}

/* How many tabs there are, asked of the browser when the last step is over, and what memory closed ones have left. */
void runner_page_end(struct runner *r)
{
    struct outcome o;
    if (!done(r, "tab-open") || !session_alive(r->session))
        return;
    r->e->tabs.budget = runner_page_budget(r);
    if (done(r, "tab-close") >= CLOSED_LEAST)
        r->e->tabs.settled = settled_memory(r);
    if (!call_page(r, "tab-list", json_new(r->a, JSON_OBJECT), &o))
        return;
    const struct json *tabs = json_get(o.result, "tabs");
    r->e->tabs.listed = o.class == OUTCOME_OK && json_is(tabs, JSON_ARRAY);
    r->e->tabs.open = r->e->tabs.listed ? tabs->count : 0;
}

/* A script in a tab of our own, which goes again; in the current one where tabs cannot be had. What refuses, and says why, answers: a dialog
 * may be open. */
const char *runner_page_control(struct runner *r, const char *text, struct outcome *o)
{
    struct outcome before, opened, ignored;
    bool listed = call_page(r, "tab-list", json_new(r->a, JSON_OBJECT), &before);
    const struct json *current = listed ? current_of(json_get(before.result, "tabs")) : NULL;
    bool opens = current && call_page(r, "tab-open", naming(r, "url", json_text(r->a, "about:blank")), &opened);
    const struct json *own = opens ? json_get(opened.result, "tab") : NULL;
    if (opens && opened.class != OUTCOME_OK) {
        *o = opened;
        return "tab-open";
    }
    bool asked = call_page(r, "evaluate", naming(r, "script", json_text(r->a, arena_printf(r->a, "'%s'", text))), o);
    if (own)
        call_page(r, "tab-close", naming(r, "tab", own), &ignored);
    if (own && current)
        call_page(r, "tab-switch", naming(r, "tab", current), &ignored);
    return asked ? "evaluate" : NULL;
}
