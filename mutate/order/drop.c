/* drop: a step is left out that nothing else needs. Its record stands at the step before it, or, of the first one, at the step that is
 * the first now, and its value is the whole step. */
#include <stdlib.h>
#include <string.h>

#include "mutate/order/order.h"
#include "mutate/shrink/record.h"

/* A record of an earlier mutation speaks of it, and could not be undone without it. */
static bool is_in_records(const struct task *t, const char *id)
{
    for (const struct json *v = t->mutations; v; v = json_next(t->mutations, v, true))
        if (json_is(v, JSON_STRING) && bytes_equal_string(v->text, id))
            return true;
    return false;
}

/* Two groups of one name would become one. */
static bool joins_groups(const struct task *t, size_t index)
{
    const char *before = index ? t->steps[index - 1].group : NULL;
    const char *behind = index + 1 < t->step_count ? t->steps[index + 1].group : NULL;
    return before && behind && strcmp(before, behind) == 0;
}

/* No other step needs what it makes or gives, and none that is to fail would not without it. */
static bool is_needless(const struct task *t, size_t index)
{
    bool *gone = xcalloc(t->step_count, sizeof *gone);
    size_t count = 0;
    gone[index] = true;
    record_close(t, gone);
    record_mark_failing(t, gone);
    for (size_t i = 0; i < t->step_count; i++)
        count += gone[i];
    free(gone);
    return count == 1;
}

/* Of a step that leaves no trace, only what is expected of itself goes. */
static void forget_own(struct change *c, const char *id)
{
    struct json *expect = c->m->task->expect;
    for (size_t i = 0; i < expect->count;)
        if (bytes_equal_string(json_as_text(json_get(json_at(expect, i), "step")), id))
            change_drop_expectation(c, i);
        else
            i++;
}

static void strike(struct mutation *m, size_t index)
{
    struct task *t = m->task;
    const struct op *op = t->steps[index].op;
    struct change c;
    change_begin(&c, m, "drop", index, index ? "/next" : "/first");
    const char *id = c.step;
    if (mutation_only_reads(op))
        forget_own(&c, id);
    else
        retarget_unknown(&c);
    c.step = t->steps[index ? index - 1 : 1].id;
    change_set(&c, NULL);
    change_end(&c, "%s, %s, is left out", id, op->name);
}

static bool apply(struct mutation *m)
{
    const struct task *t = m->task;
    size_t count = t->step_count, first = order_fits(m, 2) ? (size_t)rng_below(m->rng, count) : 0;
    for (size_t i = 0; order_fits(m, 2) && i < count; i++) {
        size_t index = (first + i) % count;
        if (!order_is_free(&t->steps[index]) || is_in_records(t, t->steps[index].id) || joins_groups(t, index) || !is_needless(t, index))
            continue;
        strike(m, index);
        return true;
    }
    return false;
}

const struct mutator mutator_drop = {
    .name = "drop",
    .group = "step",
    .summary = "a step of an imported task is left out",
    .details = "Of a task without a derivation. Only one that no other step needs; what hangs on it is no longer expected.",
    .places = "",
    .kinds = "",
    .apply = apply,
};
