/* The task as its public record: one JSON object, members in canonical order.
 *
 * Members that hold their default are left out of steps, and "derivation" is left out of an imported task;
 * all other members are always there, so two records differ only where two tasks do. */
#include <inttypes.h>
#include <string.h>

#include "gen/task_internal.h"

static void set_text(struct arena *a, struct json *object, const char *name, const char *text)
{
    json_set(a, object, name, json_text(a, text));
}

/* Seeds use all 64 bits, which json_integer does not have. */
static void set_unsigned(struct arena *a, struct json *object, const char *name, uint64_t value)
{
    struct json *number = json_new(a, JSON_NUMBER);
    number->text = bytes_of_string(arena_printf(a, "%" PRIu64, value));
    json_set(a, object, name, number);
}

struct json *task_step_tree(const struct task_step *step, struct arena *a)
{
    struct json *object = json_new(a, JSON_OBJECT);
    set_text(a, object, "id", step->id);
    set_text(a, object, "op", step->op->name);
    json_set(a, object, "args", task_value_outward(a, step->args));
    if (strcmp(step->session, "main") != 0)
        set_text(a, object, "session", step->session);
    if (step->group)
        set_text(a, object, "group", step->group);
    if (step->after_ms)
        json_set(a, object, "after_ms", json_integer(a, step->after_ms));
    if (step->cancel_after_ms >= 0)
        json_set(a, object, "cancel_after_ms", json_integer(a, step->cancel_after_ms));
    if (step->timeout_ms)
        json_set(a, object, "timeout_ms", json_integer(a, step->timeout_ms));
    if (step->repeat != 1)
        json_set(a, object, "repeat", json_integer(a, step->repeat));
    return object;
}

static void set_provenance(const struct task *t, struct arena *a, struct json *record)
{
    set_text(a, record, "id", t->id);
    set_unsigned(a, record, "seed", t->seed);
    set_unsigned(a, record, "index", t->index);
    if (!*t->derivation && !*t->grammar_hash)
        return;
    struct json *derivation = json_set(a, record, "derivation", json_new(a, JSON_OBJECT));
    set_text(a, derivation, "grammar", t->grammar_hash);
    set_text(a, derivation, "choices", t->derivation);
}

struct json *task_tree(const struct task *t, struct arena *a, bool whole)
{
    struct json *record = json_new(a, JSON_OBJECT);
    set_text(a, record, "format", "taskgen/task/1");
    if (whole)
        set_provenance(t, a, record);
    set_text(a, record, "domain", t->domain);
    set_text(a, record, "workflow", t->workflow);
    set_text(a, record, "instruction", t->instruction);
    struct json *needs = json_set(a, record, "needs", json_new(a, JSON_ARRAY));
    for (size_t i = 0; i < t->need_count; i++)
        json_add(needs, json_text(a, t->needs[i]));
    struct json *steps = json_set(a, record, "steps", json_new(a, JSON_ARRAY));
    for (size_t i = 0; i < t->step_count; i++)
        json_add(steps, task_step_tree(&t->steps[i], a));
    json_set(a, record, "expect", task_value_outward(a, t->expect));
    json_set(a, record, "mutations", task_value_outward(a, t->mutations));
    json_set(a, record, "contents", task_value_outward(a, t->contents));
    json_set(a, record, "limits", json_copy(a, t->limits));
    return record;
}

void task_write(const struct task *t, struct buf *out)
{
    struct arena scratch;
    arena_init(&scratch);
    json_write(out, task_tree(t, &scratch, true), JSON_SORTED);
    arena_release(&scratch);
}
