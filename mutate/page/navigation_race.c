/* navigation-race: the page that is there begins to go elsewhere by itself just before the task loads another. What the task asked for last is what
 * must be there in the end, or the call must say why not; so what is expected stays. */
#include <string.h>

#include "mutate/page/page.h"

static const struct race {
    const char *kind, *script, *words;
} races[] = {
    {"reload", "setTimeout(() => location.reload(), %d) && 1", "reloads itself"},
    {"leave", "setTimeout(() => { location.href = 'about:blank?taskgen' }, %d) && 1", "goes to a blank page"},
    {"back", "setTimeout(() => history.back(), %d) && 1", "goes back"},
    {"write", "setTimeout(() => { document.open(); document.write('<h1>taskgen</h1>') }, %d) && 1", "writes itself anew"},
};

static const char *const kinds[] = {"reload", "leave", "back", "write", NULL};

enum { DELAY_MOST = 7 /* powers of two of milliseconds */ };

static bool apply(struct mutation *m)
{
    struct task *t = m->task;
    const char *kind = mutation_kind(m, kinds);
    const struct race *race = NULL;
    size_t index = page_pick(m, false);
    for (size_t i = 0; kind && i < sizeof races / sizeof *races; i++)
        race = strcmp(races[i].kind, kind) == 0 ? &races[i] : race;
    if (!race || index == t->step_count || !page_uses(t, "evaluate"))
        return false;
    struct arena *a = &t->arena;
    int delay = (1 << rng_below(m->rng, DELAY_MOST)) - 1;
    const char *next = t->steps[index].id;
    struct buf script;
    buf_init(&script, 1024);
    const char *mark = strstr(race->script, "%d");
    buf_add(&script, bytes_of(race->script, (size_t)(mark - race->script)));
    buf_addf(&script, "%d%s", delay, mark + 2);
    struct json *args = json_new(a, JSON_OBJECT);
    json_set(a, args, "script", json_string(a, buf_bytes(&script)));
    buf_release(&script);
    struct change c;
    change_begin(&c, m, "navigation-race", index, "");
    c.step = page_insert(&c, index, "evaluate", args)->id;
    change_end(&c, "%s: the page %s %d ms before %s loads another, or while it does", race->kind, race->words, delay, next);
    return true;
}

const struct mutator mutator_navigation_race = {
    .name = "navigation-race",
    .group = "step",
    .summary = "a page goes elsewhere by itself while another is loaded",
    .details = "reload, leave (to a blank page), back, write (the document, anew): begun by a script in the page that is there, 0 to 63 ms after it, right "
               "before a navigate. Only in tasks that run scripts in pages.",
    .places = "",
    .kinds = "reload leave back write",
    .apply = apply,
};
