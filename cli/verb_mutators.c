/* mutators: what can be done to a task. */
#include "cli/verbs.h"
#include "mutate/mutate.h"

#include <stdio.h>

static const struct cli_option own[] = {
    {"json", 0, NULL, "an array of objects"},
    {0},
};

static void add_json(struct arena *a, struct json *list, const struct mutator *m)
{
    struct json *row = json_add(list, json_new(a, JSON_OBJECT));
    json_set(a, row, "name", json_text(a, m->name));
    json_set(a, row, "group", json_text(a, m->group));
    json_set(a, row, "summary", json_text(a, m->summary));
    json_set(a, row, "details", json_text(a, m->details));
}

static int run_mutators(const struct verb *v, struct cli_args *args)
{
    const struct mutator *m;
    struct arena a;
    arena_init(&a);
    struct buf out;
    buf_init(&out, 1 << 20);
    if (cli_flag(args, "json")) {
        struct json *list = json_new(&a, JSON_ARRAY);
        for (size_t i = 0; (m = mutator_at(i)); i++)
            add_json(&a, list, m);
        json_write(&out, list, JSON_PRETTY);
        buf_add_byte(&out, '\n');
    } else {
        for (size_t i = 0; (m = mutator_at(i)); i++)
            buf_addf(&out, "%-16s %-8s %s\n%s%s\n", m->name, m->group, m->summary, m->details, *m->details ? "\n" : "");
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
    .details = "Lists what can be done to a task to make it hostile. Templates name mutators as hazards; fuzz applies them to\n"
               "tasks of the corpus. Every mutation is recorded in the task.",
    .options = options,
    .run = run_mutators,
};
