/* Moving a step; see order.h. The record's value is the id of the step it stood behind, "" for none. */
#include "mutate/order/order.h"

#include <string.h>

#include "mutate/fallout.h"
#include "mutate/wire/wire_internal.h"

bool order_fits(const struct mutation *m, size_t least)
{
    return !*m->task->derivation && m->task->step_count >= least;
}

bool order_is_free(const struct task_step *s)
{
    return wire_is_frame(s->op) && !s->group;
}

static bool uses(const struct task_step *s, const char *id)
{
    for (const struct json *v = s->args; v;) {
        if (task_is_wrapper(v, "$from") && bytes_equal_string(json_as_text(v->first), id))
            return true;
        v = json_next(s->args, v, true);
    }
    return false;
}

/* No step between the two places uses it, or is used by it. */
static bool is_independent(const struct task *t, size_t from, size_t to)
{
    size_t low = from < to ? from + 1 : to, high = from < to ? to : from - 1;
    for (size_t i = low; i <= high; i++)
        if (uses(&t->steps[i], t->steps[from].id) || uses(&t->steps[from], t->steps[i].id))
            return false;
    return true;
}

static bool tears_group(const struct task *t, size_t from, size_t to)
{
    size_t before = from < to ? to : to - 1; /* what it will stand behind */
    return (from < to || to > 0) && mutation_group_end(t, before) != before + 1;
}

/* From one of several tasks that were put together into another: what hangs on it there is told by what belongs together. */
static bool leaves_part(const struct task *t, size_t from, size_t to)
{
    for (size_t i = from < to ? from : to; i <= (from < to ? to : from); i++)
        if (fallout_begins_part(t, i))
            return true;
    return false;
}

bool order_move(struct mutation *m, const char *mutator, size_t from, size_t to)
{
    struct task *t = m->task;
    if (from == to || !order_is_free(&t->steps[from]) || !is_independent(t, from, to) || tears_group(t, from, to) || leaves_part(t, from, to))
        return false;
    const char *other = t->steps[to].id;
    size_t behind = from < to ? to : to - 1;
    struct json *place = json_text(&t->arena, from < to || to > 0 ? t->steps[behind].id : "");
    struct change c;
    change_begin(&c, m, mutator, from, "/order");
    /* From the earlier of the two places on, the rest is in doubt. */
    if (from < to)
        retarget_unknown(&c);
    change_set(&c, place);
    if (to < from)
        retarget_unknown(&c);
    change_end(&c, "%s is done %s %s", c.step, from < to ? "after" : "before", other);
    return true;
}
