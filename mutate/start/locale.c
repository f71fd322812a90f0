/* locale: the target is started with another locale than UTF-8's. Bytes are bytes, so nothing may change: what does is decoded by a
 * locale on its way. */
#include <string.h>

#include "mutate/start/start_internal.h"

#define NAME "gr\303\266\303\237e-\345\220\215.txt"

static const struct start_kind kinds[] = {
    {"c", "the target is started with LC_ALL=C", START_ASCII, {.variables = {"LANG=C", "LC_ALL=C"}}},
    {"ascii",
     "the target is started with LC_ALL=C, and Python's own remedy for that turned off",
     START_OTHER,
     {.variables = {"LANG=C", "LC_ALL=C", "PYTHONUTF8=0", "PYTHONCOERCECLOCALE=0"}}},
    {0}};

static bool has_step(const struct task *t, const char *op)
{
    for (size_t i = 0; i < t->step_count; i++)
        if (strcmp(t->steps[i].op->name, op) == 0)
            return true;
    return false;
}

/* Few tasks have a name that an ASCII locale has no letters for. Half of those that write files anyway get one, behind all their steps,
 * where nothing that they expect of a listing is touched; the others stay for targets that cannot list. */
static void bring(struct change *c)
{
    struct task *t = c->m->task;
    const struct op *write = ops_find(c->m->ops, "write"), *list = ops_find(c->m->ops, "list");
    if (!write || !list || !has_step(t, "write") || has_step(t, "close") || !rng_chance(c->m->rng, 0.5))
        return;
    struct json *file = json_new(&t->arena, JSON_OBJECT), *directory = json_new(&t->arena, JSON_OBJECT);
    json_set(&t->arena, file, "path", json_text(&t->arena, NAME));
    json_set(&t->arena, file, "content", json_text(&t->arena, "one line\n"));
    json_set(&t->arena, directory, "path", json_text(&t->arena, "."));
    change_insert_step(c, t->step_count, write, file);
    change_insert_step(c, t->step_count, list, directory);
}

static bool apply(struct mutation *m)
{
    return start_apply(m, &start_locale);
}

const struct mutator mutator_locale = {
    .name = "locale",
    .group = "env",
    .summary = "the target is started with another locale",
    .details = "c: LC_ALL=C; ascii: and PYTHONUTF8=0, so that Python programs take text for ASCII. What tools for files do must not "
               "change by it. Half of the tasks that write files get a name beyond ASCII at their end, and a listing of it.",
    .places = "",
    .kinds = "c ascii",
    .at_start = true,
    .apply = apply,
};

const struct start_row start_locale = {&mutator_locale, "/start/locale", kinds, bring};
