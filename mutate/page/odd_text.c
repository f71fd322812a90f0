/* odd-text: a page whose heading and title hold odd characters is loaded, and its heading read where the task reads such, right before the task loads a page of its
 * own. What the page says goes through replies, outlines and encoders; then it is gone, so what the task expects stays. */
#include <string.h>

#include "mutate/page/page.h"

static const struct oddity {
    const char *kind, *text, *words;
} oddities[] = {
    {"nul", "'a\\u0000b'", "a NUL"},
    {"half", "'a\\ud83d'+'b\\udc00'", "halves of surrogate pairs"},
    {"mark", "'\\ufeffa\\ufeffb\\ufffe'", "byte order marks, one of them turned"},
    {"bidi", "'\\u05e9\\u05dc\\u05d5\\u05dd \\u202egnp.exe\\u2066'", "right-to-left letters, and an override and an isolate that do not end"},
    {"combining", "'e'+'\\u0301'.repeat(200)", "a letter with 200 accents"},
    {"cjk", "'\\u4e2d\\u6587\\u304b\\u3099\\ud55c\\uae00\\uff76\\uff9e\\ud842\\udfb7'", "Chinese, Japanese and Korean"},
    {"controls", "'\\u0001\\u0008\\u000b\\u001b[31m\\u007f\\u0085\\u2028'", "control characters, and line ends of Unicode"},
    {"overlong", NULL, "bytes that are overlong forms, and others that are no UTF-8"},
};

static const char *const kinds[] = {"nul", "half", "mark", "bidi", "combining", "cjk", "controls", "overlong", NULL};

/* The bytes are the page's own, so the browser decides what they become. */
static const char *page_of(struct arena *a, const struct oddity *o)
{
    if (!o->text)
        return "<title>\xc0\x80\xe0\x80\xaf</title><h1>a\xc0\x80\xe0\x80\xaf\xed\xa0\x80\xf0\x82\x82\xac\xff z</h1>";
    return arena_printf(a, "<h1></h1><script>document.title=document.querySelector('h1').textContent=%s</script>", o->text);
}

static bool apply(struct mutation *m)
{
    struct task *t = m->task;
    const char *kind = mutation_kind(m, kinds);
    size_t index = page_pick(m, false);
    const struct oddity *o = NULL;
    for (size_t i = 0; kind && i < sizeof oddities / sizeof *oddities; i++)
        o = strcmp(oddities[i].kind, kind) == 0 ? &oddities[i] : o;
    if (!o || index == t->step_count)
        return false;
    struct arena *a = &t->arena;
    const char *next = t->steps[index].id;
    struct change c;
    change_begin(&c, m, "odd-text", index, "");
    c.step = page_insert(&c, index, "navigate", page_args(a, page_of(a, o)))->id;
    if (page_uses(t, "scrape")) {
        struct json *args = json_new(a, JSON_OBJECT);
        json_set(a, args, "selector", json_text(a, "h1"));
        page_insert(&c, index + 1, "scrape", args);
    }
    change_end(&c, "%s: a page with %s is loaded before %s", o->kind, o->words, next);
    return true;
}

const struct mutator mutator_odd_text = {
    .name = "odd-text",
    .group = "step",
    .summary = "a page with odd characters in its heading and title, before a page is loaded",
    .details = "nul, half (of surrogate pairs), mark (byte order marks), bidi, combining (200 accents), cjk, controls: put there by a script; overlong: as "
               "bytes of the page that are no UTF-8. Its heading is read in tasks that read texts.",
    .places = "",
    .kinds = "nul half mark bidi combining cjk controls overlong",
    .apply = apply,
};
