/* restart-between: the session is ended and opened again on the same root between two steps. Files stay; so
 * only tasks that keep nothing in the target's memory: no jobs, servers or tabs. */
#include <string.h>

#include "mutate/mutate_internal.h"

static bool keeps_state(const struct task_step *s)
{
    static const char *const ops[] = {"start", "poll", "signal", "wait", "serve", "open", "close", "reopen"};
    for (size_t i = 0; i < sizeof ops / sizeof *ops; i++)
        if (strcmp(s->op->name, ops[i]) == 0)
            return true;
    return strcmp(s->op->group, "browser") == 0 || strcmp(s->op->group, "tool") == 0;
}

/* A program may leave something running that a later step needs. */
static bool may_leave_something(const struct task_step *s)
{
    return strcmp(s->op->name, "run") == 0;
}

static bool apply(struct mutation *m)
{
    struct task *t = m->task;
    size_t last_program = 0;
    for (size_t i = 0; i < t->step_count; i++) {
        if (keeps_state(&t->steps[i]))
            return false;
        if (may_leave_something(&t->steps[i]))
            last_program = i + 1;
    }
    /* Between two steps, not inside a group, and with no program before it that anything after it could lean
     * on. */
    size_t places = 0, index = 0;
    for (size_t i = 1; i < t->step_count; i++) {
        bool free_place = mutation_group_end(t, i - 1) == i &&
                          (last_program == 0 || i >= last_program || i == 1);
        if (free_place && rng_below(m->rng, ++places) == 0)
            index = i;
    }
    if (!places)
        return false;
    struct change c;
    change_begin(&c, m, "restart-between", index, "");
    const char *session = t->steps[index].session;
    struct task_step *step = change_insert_step(&c, index, ops_find(m->ops, "reopen"), NULL);
    step->session = session;
    c.step = step->id;
    change_end(&c, "the session is opened anew before %s", t->steps[index + 1].id);
    return true;
}

const struct mutator mutator_restart_between = {
    .name = "restart-between",
    .group = "step",
    .summary = "the session is ended and opened again between two steps",
    .details = "On the same root, so that files stay. Only tasks without jobs, servers, tabs and tools of "
               "the target's own, which may "
               "keep what they know in memory.",
    .places = "",
    .kinds = "",
    .apply = apply,
};
