/* duplicate: a step is done once more right after itself, as a client does that has not seen the answer. */
#include "gen/task.h"
#include "mutate/order/order.h"

/* Of the content that it sends once more; more than the budget has: no. */
static bool has_room(const struct mutation *m, size_t index)
{
    const struct json *value = json_get(m->task->steps[index].args, "content");
    return !value || (value->text.len && (int64_t)value->text.len <= body_room(m, index) / 2);
}

static void strike(struct mutation *m, size_t index)
{
    struct task *t = m->task;
    const struct task_step *s = &t->steps[index];
    const char *id = s->id, *session = s->session;
    const struct op *op = s->op;
    struct json *args = json_copy(&t->arena, s->args);
    struct change c;
    change_begin(&c, m, "duplicate", index, "");
    struct task_step *step = change_insert_step(&c, index + 1, op, args);
    step->session = session;
    c.step = step->id;
    if (!mutation_only_reads(op))
        retarget_unknown(&c);
    change_end(&c, "%s is done once more", id);
}

static bool apply(struct mutation *m)
{
    size_t count = m->task->step_count, first = order_fits(m, 1) ? (size_t)rng_below(m->rng, count) : 0;
    for (size_t i = 0; order_fits(m, 1) && i < count; i++) {
        size_t index = (first + i) % count;
        if (!order_is_free(&m->task->steps[index]) || m->task->steps[index].repeat != 1 || !has_room(m, index))
            continue;
        strike(m, index);
        return true;
    }
    return false;
}

const struct mutator mutator_duplicate = {
    .name = "duplicate",
    .group = "step",
    .summary = "a step of an imported task is done once more",
    .details = "Of a task without a derivation, right after itself.",
    .places = "",
    .kinds = "",
    .apply = apply,
};
