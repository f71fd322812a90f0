/* mutators: what can be done to a task. */
#include "cli/verbs.h"
#include "mutate/mutate.h"
#include "mutate/tree/tree.h"

#include <stdio.h>

static const struct cli_option own[] = {
    {"json", 0, NULL, "an array of objects"},
    {0},
};

static void add_json(struct arena *a, struct json *list, const char *name, const char *group, const char *summary,
                     const char *details, bool hazard)
{
    struct json *row = json_add(list, json_new(a, JSON_OBJECT));
    json_set(a, row, "name", json_text(a, name));
    json_set(a, row, "group", json_text(a, group));
    json_set(a, row, "summary", json_text(a, summary));
    json_set(a, row, "details", json_text(a, details));
    json_set(a, row, "hazard", json_bool(a, hazard)); /* whether a template may name it */
}

static void write_row(struct buf *out, const char *name, const char *group, const char *summary, const char *details)
{
    buf_addf(out, "%-20s %-8s %s\n%s%s", name, group, summary, details, *details ? "\n" : "");
}

static int run_mutators(const struct verb *v, struct cli_args *args)
{
    const struct mutator *m;
    const struct tree_mutator *t;
    struct arena a;
    arena_init(&a);
    struct buf out;
    buf_init(&out, 1 << 20);
    if (cli_flag(args, "json")) {
        struct json *list = json_new(&a, JSON_ARRAY);
        for (size_t i = 0; (m = mutator_at(i)); i++)
            add_json(&a, list, m->name, m->group, m->summary, m->details, true);
        for (size_t i = 0; (t = tree_mutator_at(i)); i++)
            add_json(&a, list, t->name, t->group, t->summary, t->details, false);
        json_write(&out, list, JSON_PRETTY);
        buf_add_byte(&out, '\n');
    } else {
        for (size_t i = 0; (m = mutator_at(i)); i++)
            write_row(&out, m->name, m->group, m->summary, m->details);
        for (size_t i = 0; (t = tree_mutator_at(i)); i++)
            write_row(&out, t->name, t->group, t->summary, t->details);
    }
    int status = cli_out(v, buf_bytes(&out));
    buf_release(&out);
    arena_release(&a);
    return status;
}

static const struct cli_option *const options[] = {own, options_common, NULL};

const struct verb verb_mutators = {
    .name = "mutators",
    .usage = "[--json]",
    .summary = "list the mutators",
    .details = "Lists what can be done to a task to make it hostile, or another one. fuzz applies mutators to tasks of the corpus;\n"
               "templates name them as hazards, but for those from regenerate on, which edit the choices that a task was\n"
               "derived from. drop, duplicate, swap and move stand there twice: as edits of the steps of imported tasks, which were not derived,\n"
               "and of derivations. Every mutation is recorded in the task.",
    .options = options,
    .run = run_mutators,
};
