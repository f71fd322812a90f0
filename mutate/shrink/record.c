/* Reducing a record: steps that go, and what of the record goes with them; simpler steps.
 *
 * Invariants: every reference in what is left points to something that is left; mutations that are left can
 * be undone if they could before, unless what they put back would use what is gone; there is no derivation
 * any more. */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "gen/task_internal.h"
#include "mutate/mutate_internal.h"
#include "mutate/shrink/record.h"

static bool is_gone(const struct task *t, const bool *gone, struct bytes id)
{
    for (size_t i = 0; i < t->step_count; i++)
        if (bytes_equal_string(id, t->steps[i].id))
            return gone[i];
    return false;
}

/* Inserted steps that are gone need not be taken out by undoing any more. */
static void filter_steps(struct task *t, const bool *gone, struct json *before)
{
    struct json *list = json_get(before, "steps");
    for (struct json *id = json_is(list, JSON_ARRAY) ? list->first : NULL, *next; id; id = next) {
        next = id->next;
        if (is_gone(t, gone, json_as_text(id)))
            json_remove(list, id);
    }
}

static bool refers_to_gone(const struct task *t, const bool *gone, const struct json *value)
{
    for (const struct json *v = value; v; v = task_walk_values(value, (struct json *)v))
        if (task_is_wrapper(v, "$from") && is_gone(t, gone, json_as_text(v->first)))
            return true;
    return false;
}

static void drop_from_mutations(struct task *t, const bool *gone)
{
    for (struct json *m = t->mutations->first, *next; m; m = next) {
        struct json *before = json_get(m, "before"), *value = json_get(before, "value");
        next = m->next;
        if (is_gone(t, gone, json_as_text(json_get(m, "step"))))
            record_forget_mutation(t, m);
        else if (value && refers_to_gone(t, gone, value))
            json_replace(before, json_new(&t->arena, JSON_NULL));
        else
            filter_steps(t, gone, before);
    }
}

static bool refers_to_content(const struct json *value, struct bytes name)
{
    for (const struct json *v = value; v; v = json_next(value, (struct json *)v, true))
        if (task_is_wrapper(v, "$content") && bytes_equal(json_as_text(v->first), name))
            return true;
    return false;
}

static void drop_unused_contents(struct task *t)
{
    for (struct json *c = t->contents->first, *next; c; c = next) {
        next = c->next;
        bool used = refers_to_content(t->expect, c->key) || refers_to_content(t->mutations, c->key);
        for (size_t i = 0; !used && i < t->step_count; i++)
            used = refers_to_content(t->steps[i].args, c->key);
        if (!used)
            json_remove(t->contents, c);
    }
}

void record_drop_steps(struct task *t, bool *gone)
{
    do {
        record_close(t, gone);
    } while (record_mark_failing(t, gone));
    record_forget_expectations(t, gone);
    drop_from_mutations(t, gone);
    for (size_t i = t->step_count; i-- > 0;)
        if (gone[i])
            task_remove_step(t, i);
    drop_unused_contents(t);
    t->derivation = t->grammar_hash = "";
    task_identify(t);
}

bool record_simplify_step(struct task *t, size_t step)
{
    struct task_step *s = &t->steps[step];
    if (s->repeat == 1 && !s->after_ms)
        return false;
    s->repeat = 1;
    s->after_ms = 0;
    t->derivation = t->grammar_hash = "";
    task_identify(t);
    return true;
}
