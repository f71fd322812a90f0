/* tab-flood: one tab opened many times, within the budget of tabs.
 *
 * Repeating a tab-open leaves the last tab current, on the same page, so what follows is the same. A task
 * that opens none but uses the browser gets a flood right before a navigate, which loads its page in whatever
 * tab is current. */
#include <string.h>

#include "mutate/mutate_internal.h"

enum { POWERS = 8 };

/* Tabs that the task opens beside those of step `index`. */
static int64_t tabs_of_others(const struct task *t, size_t index)
{
    int64_t tabs = 0;
    for (size_t i = 0; i < t->step_count; i++)
        if (i != index && strcmp(t->steps[i].op->name, "tab-open") == 0)
            tabs += t->steps[i].repeat;
    return tabs;
}

static int64_t tab_budget(const struct mutation *m)
{
    int64_t budget = settings_int(m->settings, "budget.tabs"), limit;
    if (json_as_integer(json_get(m->task->limits, "tabs"), &limit) && limit < budget)
        budget = limit;
    return budget;
}

static size_t count_op(const struct task *t, const char *op)
{
    size_t count = 0;
    for (size_t i = 0; i < t->step_count; i++)
        count += strcmp(t->steps[i].op->name, op) == 0;
    return count;
}

static size_t nth_op(const struct task *t, const char *op, uint64_t n)
{
    for (size_t i = 0;; i++)
        if (strcmp(t->steps[i].op->name, op) == 0 && n-- == 0)
            return i;
}

/* Few as often as hundreds: tabs cost time. */
static int64_t pick_tabs(struct mutation *m, int64_t least, int64_t room)
{
    int64_t most = least + (INT64_C(2) << rng_below(m->rng, POWERS));
    return rng_range(m->rng, least, most < room ? most : room);
}

static bool flood_existing(struct mutation *m, uint64_t opens)
{
    size_t index = nth_op(m->task, "tab-open", rng_below(m->rng, opens));
    int64_t room = tab_budget(m) - tabs_of_others(m->task, index), was = m->task->steps[index].repeat;
    if (room <= was || room < 2)
        return false;
    int64_t tabs = pick_tabs(m, was + 1, room);
    struct change c;
    change_begin(&c, m, "tab-flood", index, "/repeat");
    change_set(&c, json_integer(&m->task->arena, tabs));
    change_end(&c, "the tab is opened %lld times", (long long)tabs);
    return true;
}

static bool flood_before_navigate(struct mutation *m)
{
    struct task *t = m->task;
    const struct op *open = ops_find(m->ops, "tab-open");
    size_t count = count_op(t, "navigate");
    /* One tab is there from the start. */
    int64_t room = tab_budget(m) - 1;
    if (!open || !count || room < 2)
        return false;
    size_t index = nth_op(t, "navigate", rng_below(m->rng, count));
    if (t->steps[index].group)
        return false;
    struct change c;
    change_begin(&c, m, "tab-flood", index, "");
    const char *session = t->steps[index].session;
    struct task_step *flood = change_insert_step(&c, index, open, NULL);
    flood->session = session;
    flood->repeat = (uint32_t)pick_tabs(m, 2, room);
    c.step = flood->id;
    change_end(&c, "%u tabs are opened before %s", (unsigned)flood->repeat, t->steps[index + 1].id);
    return true;
}

static bool apply(struct mutation *m)
{
    size_t opens = count_op(m->task, "tab-open");
    return opens ? flood_existing(m, opens) : flood_before_navigate(m);
}

const struct mutator mutator_tab_flood = {
    .name = "tab-flood",
    .group = "step",
    .summary = "many tabs at once, within budget.tabs",
    .details = "Repeats a tab-open; in a task that opens no tab, opens some before it navigates. Only "
               "browser tasks.",
    .places = "",
    .kinds = "",
    .apply = apply,
};
