/* dialog-storm: a page that opens dialogs is loaded right before the task loads one of its own. Unless they are answered a right browser may refuse
 * what comes then, so the expectations go; that it says something else than what happens is what is looked for. */
#include <string.h>

#include "mutate/page/page.h"

static const struct storm {
    const char *kind, *script, *words;
} storms[] = {
    {"alert", "alert('taskgen alert')", "an alert"},
    {"confirm", "window.said=confirm('taskgen confirm')", "a question"},
    {"prompt", "window.said=prompt('taskgen prompt','x')", "a question with a field"},
    {"many", "for(let i=0;i<20;i++)alert('taskgen alert '+i)", "twenty alerts, one after the other"},
    {"late", "setTimeout(()=>alert('taskgen alert'),200)", "an alert that comes when the page has loaded"},
    {"leave", "onbeforeunload=e=>{e.preventDefault();return ''}", "a question before it is left"},
    {"odd", "alert('\\u0000\\ud800\\u202e\\n'+'x'.repeat(100000))", "an alert of odd characters, and long"},
    {"answered", "alert('taskgen alert')", "an alert, which is answered"},
};

static const char *const kinds[] = {"alert", "confirm", "prompt", "many", "late", "leave", "odd", "answered", NULL};

static const struct storm *storm_of(const char *kind)
{
    for (size_t i = 0; kind && i < sizeof storms / sizeof *storms; i++)
        if (strcmp(storms[i].kind, kind) == 0)
            return &storms[i];
    return NULL;
}

static bool apply(struct mutation *m)
{
    struct task *t = m->task;
    const struct storm *storm = storm_of(mutation_kind(m, kinds));
    size_t index = page_pick(m, false);
    bool answered = storm && strcmp(storm->kind, "answered") == 0;
    if (!storm || index == t->step_count || (answered && !page_uses(t, "dialog")))
        return false;
    struct arena *a = &t->arena;
    const char *next = t->steps[index].id;
    struct change c;
    change_begin(&c, m, "dialog-storm", index, "");
    if (!answered)
        retarget_unknown(&c);
    struct json *args = page_args(a, arena_printf(a, "<title>storm</title><h1>storm</h1><script>%s</script>", storm->script));
    c.step = page_insert(&c, index, "navigate", args)->id;
    if (answered)
        page_insert(&c, index + 1, "dialog", json_new(a, JSON_OBJECT));
    change_end(&c, "%s: a page with %s is loaded before %s", storm->kind, storm->words, next);
    return true;
}

const struct mutator mutator_dialog_storm = {
    .name = "dialog-storm",
    .group = "step",
    .summary = "dialogs that nobody answers, before a page is loaded",
    .details = "alert, confirm, prompt: one while the page loads; many: twenty alerts; late: one that comes afterwards; leave: a question before the page is "
               "left; odd: a NUL, a lone surrogate and 100,000 letters; answered: by the op dialog, in tasks that have one.",
    .places = "",
    .kinds = "alert confirm prompt many late leave odd answered",
    .apply = apply,
};
