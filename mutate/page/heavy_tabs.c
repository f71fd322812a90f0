/* heavy-tabs: tabs whose page takes much memory: ever more of them, until a stated budget (budget.flood) is passed, or some that are all closed
 * again, whose memory must come back.
 *
 * They come right before a step that loads a page, so what follows is on a page of its own; in tasks that go back to tabs only before one that opens a
 * tab. The page fills what it takes with random numbers, so that nobody can share or compress it. */
#include <string.h>

#include "mutate/page/page.h"

enum { FLOOD_LEAST = 8, FLOOD_MOST = 48, CYCLE_LEAST = 3, CYCLE_MOST = 5, CYCLE_MIB = 64 };

static const char *const kinds[] = {"flood", "cycle", NULL};

static int64_t room(const struct mutation *m)
{
    int64_t budget = settings_int(m->settings, "budget.tabs"), limit, tabs = 1; /* one is there from the start */
    if (json_as_integer(json_get(m->task->limits, "tabs"), &limit) && limit < budget)
        budget = limit;
    for (size_t i = 0; i < m->task->step_count; i++)
        if (strcmp(m->task->steps[i].op->name, "tab-open") == 0)
            tabs += m->task->steps[i].repeat;
    return budget - tabs;
}

static struct json *heavy(struct mutation *m, int mib)
{
    struct arena *a = &m->task->arena;
    return page_args(a, arena_printf(a,
                                     "<title>heavy</title><h1>%d MiB</h1><script>window.kept=[];for(let i=0;i<%d;i++){const a=new "
                                     "Uint32Array(262144);for(let k=0;k<a.length;k++)a[k]=Math.random()*4294967296;kept.push(a)}</script>",
                                     mib, mib));
}

static void flood(struct mutation *m, size_t index, int64_t most)
{
    static const int sizes[] = {32, 64, 100, 200};
    int mib = sizes[rng_below(m->rng, sizeof sizes / sizeof *sizes)];
    const char *next = m->task->steps[index].id;
    struct change c;
    change_begin(&c, m, "heavy-tabs", index, "");
    struct task_step *step = page_insert(&c, index, "tab-open", heavy(m, mib));
    step->repeat = (uint32_t)rng_range(m->rng, FLOOD_LEAST, most < FLOOD_MOST ? most : FLOOD_MOST);
    c.step = step->id;
    change_end(&c, "flood: %u tabs of %d MiB each are opened before %s", (unsigned)step->repeat, mib, next);
}

static struct json *tab_of(struct arena *a, const char *step)
{
    struct json *args = json_new(a, JSON_OBJECT), *from = json_set(a, args, "tab", json_new(a, JSON_OBJECT));
    json_set(a, from, "$from", json_text(a, step));
    json_set(a, from, "at", json_text(a, "/tab"));
    return args;
}

static void cycle(struct mutation *m, size_t index, int64_t most)
{
    const char *opened[CYCLE_MOST], *next = m->task->steps[index].id;
    size_t count = (size_t)rng_range(m->rng, CYCLE_LEAST, most < CYCLE_MOST ? most : CYCLE_MOST);
    struct change c;
    change_begin(&c, m, "heavy-tabs", index, "");
    for (size_t i = 0; i < count; i++)
        opened[i] = page_insert(&c, index + i, "tab-open", heavy(m, CYCLE_MIB))->id;
    for (size_t i = 0; i < count; i++)
        page_insert(&c, index + count + i, "tab-close", tab_of(&m->task->arena, opened[i]));
    c.step = opened[0];
    change_end(&c, "cycle: %zu tabs of %d MiB each are opened and closed before %s", count, (int)CYCLE_MIB, next);
}

static bool apply(struct mutation *m)
{
    struct task *t = m->task;
    const char *kind = mutation_kind(m, kinds);
    bool back = page_uses(t, "tab-switch") || page_uses(t, "tab-close"), opens = page_uses(t, "tab-open");
    int64_t most = room(m);
    size_t index = page_pick(m, true);
    if (!kind || index == t->step_count || (back && strcmp(t->steps[index].op->name, "tab-open") != 0) || !ops_find(m->ops, "tab-close"))
        return false;
    bool floods = strcmp(kind, "flood") == 0;
    if (most < (floods ? FLOOD_LEAST : CYCLE_LEAST) || (!opens && page_uses(t, "open")))
        return false;
    if (floods)
        flood(m, index, most);
    else
        cycle(m, index, most);
    return true;
}

const struct mutator mutator_heavy_tabs = {
    .name = "heavy-tabs",
    .group = "step",
    .summary = "tabs that take 32 to 200 MiB each: ever more, or some that are closed again",
    .details = "Before a step that loads a page. flood: 8 to 48 of them, within budget.tabs; past budget.flood no more are opened. cycle: "
               "3 to 5 of 64 MiB, all closed again. In tasks that go back to tabs only before a tab-open.",
    .places = "",
    .kinds = "flood cycle",
    .apply = apply,
};
