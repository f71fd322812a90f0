/* idle-between: nothing happens for a while between two steps. What a target forgets meanwhile it should not
 * have. */
#include "mutate/mutate_internal.h"

enum { SHORTEST_MS = 100, LONGEST_MS = 400 };

static bool apply(struct mutation *m)
{
    struct task *t = m->task;
    size_t places = 0, index = 0;
    for (size_t i = 1; i < t->step_count; i++)
        if (mutation_group_end(t, i - 1) == i && rng_below(m->rng, ++places) == 0)
            index = i;
    if (!places)
        return false;
    int64_t ms = rng_range(m->rng, SHORTEST_MS, LONGEST_MS);
    struct json *args = json_new(&t->arena, JSON_OBJECT);
    json_set(&t->arena, args, "ms", json_integer(&t->arena, ms));
    struct change c;
    change_begin(&c, m, "idle-between", index, "");
    const char *session = t->steps[index].session;
    struct task_step *step = change_insert_step(&c, index, ops_find(m->ops, "idle"), args);
    step->session = session;
    c.step = step->id;
    change_end(&c, "nothing happens for %lld ms before %s", (long long)ms, t->steps[index + 1].id);
    return true;
}

const struct mutator mutator_idle_between = {
    .name = "idle-between",
    .group = "step",
    .summary = "nothing happens for a while between two steps",
    .details = "For 100 to 400 ms. Everything must be as it would be without.",
    .places = "",
    .kinds = "",
    .apply = apply,
};
