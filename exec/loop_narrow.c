/* A signature that showed where several tasks were put together is tried in fresh sessions of those that it needs: what it showed in, and the
 * first one, whose state it may come from. One session more, and five that take half as long. */
#include "exec/loop_internal.h"

#include "mutate/join.h"

struct task *loop_rejoin(const struct loop *l, const struct loop_work *work, const bool *out)
{
    struct task *t = NULL;
    for (size_t i = 0; i < work->part_count; i++) {
        if (out[i])
            continue;
        struct task *longer = t ? mutate_join(t, work->parts[i], l->options->settings) : task_copy(work->parts[i]);
        task_free(t);
        t = longer;
        if (!t)
            return NULL;
    }
    return t;
}

/* Which of the parts the step is of. Steps that were put in since shift it by some: then what is tried does not show it. */
static size_t part_of(const struct loop_work *work, const struct execution *e, size_t observation)
{
    size_t index = 0, part = 0;
    while (index < e->task->step_count && e->observations[observation].step != &e->task->steps[index])
        index++;
    for (size_t end = work->parts[0]->step_count; part + 1 < work->part_count && index >= end; end += work->parts[part]->step_count)
        part++;
    return part;
}

int loop_narrow(struct loop *l, const struct loop_work *work, const struct execution *e, size_t observation, const char *signature,
                struct loop_shown *shown, struct task **smaller, struct error **err)
{
    bool out[LOOP_PARTS_MAX] = {false};
    *smaller = NULL;
    if (work->part_count < 3 || work->wired || observation >= e->count)
        return 0;
    size_t part = part_of(work, e, observation);
    for (size_t i = 1; i < work->part_count; i++)
        out[i] = i != part;
    struct task *t = loop_rejoin(l, work, out);
    int shows = t ? loop_look(l->options->target, t, signature, &l->halt, e->arena, shown, err) : 0;
    if (shows > 0)
        *smaller = t;
    else
        task_free(t);
    return shows < 0 ? shows : 0;
}
