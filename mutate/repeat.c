/* repeat: one step is done several times over. What it costs must not grow, and what it reads must not change. A step that only
 * reads gives the same each time; after any other the rest of the task is anybody's guess (a second append, a directory that is
 * there already). */
#include <string.h>

#include "gen/recipe.h"
#include "mutate/mutate_internal.h"
#include "mutate/wire/wire_internal.h"

enum { FEW_MAX = 5, MANY_MIN = 20, MANY_MAX = 60, CALLS_LEFT = 50 /* of budget.calls, for the rest of the task */ };

static const char *const kinds[] = {"few", "many", NULL};

static bool fits(const struct task_step *s)
{
    return wire_is_frame(s->op) && s->repeat == 1 && !s->group && s->cancel_after_ms < 0;
}

/* Programs may take their time, and so may what waits in a fixture: a pipe that nobody writes to. */
static bool is_cheap(const struct task *t, size_t index)
{
    for (size_t i = 0; i < t->step_count; i++)
        if (strcmp(t->steps[i].op->group, "stage") == 0)
            return false;
    return strcmp(t->steps[index].op->group, "files") == 0;
}

static uint64_t bytes_of_step(const struct mutation *m, const struct task_step *s)
{
    const struct json *value = json_get(s->args, "content");
    const struct json *content = value ? body_content(m->task, value) : NULL;
    int64_t size = content ? content_size(content) : 0;
    return size > 0 ? (uint64_t)size : 0;
}

static uint64_t most(const struct mutation *m, size_t index, bool many)
{
    uint64_t rounds = many ? MANY_MAX : FEW_MAX;
    uint64_t size = bytes_of_step(m, &m->task->steps[index]), room = (uint64_t)body_room(m, index);
    uint64_t calls = (uint64_t)settings_int(m->settings, "budget.calls");
    if (size && room / size < rounds)
        rounds = room / size;
    calls = calls > CALLS_LEFT + m->task->step_count ? calls - CALLS_LEFT - m->task->step_count : 0;
    return calls < rounds ? calls : rounds;
}

static bool strike(struct mutation *m, size_t index, bool many)
{
    struct task *t = m->task;
    uint64_t least = many ? MANY_MIN : 2, rounds = most(m, index, many);
    if (!fits(&t->steps[index]) || (many && !is_cheap(t, index)) || rounds < least)
        return false;
    rounds = (uint64_t)rng_range(m->rng, (int64_t)least, (int64_t)rounds);
    struct change c;
    change_begin(&c, m, "repeat", index, "/repeat");
    change_set(&c, json_integer(&t->arena, (int64_t)rounds));
    if (!mutation_only_reads(t->steps[index].op))
        retarget_unknown(&c);
    change_end(&c, "%s: %s is done %llu times", many ? "many" : "few", t->steps[index].op->name,
               (unsigned long long)rounds);
    return true;
}

static bool apply(struct mutation *m)
{
    const char *kind = mutation_kind(m, kinds);
    size_t count = m->task->step_count;
    size_t first = kind && count ? (size_t)rng_below(m->rng, count) : 0;
    for (size_t i = 0; kind && i < count; i++)
        if (strike(m, (first + i) % count, strcmp(kind, "many") == 0))
            return true;
    return false;
}

const struct mutator mutator_repeat = {
    .name = "repeat",
    .group = "step",
    .summary = "one step is done several times",
    .details = "few: 2 to 5 times; many: 20 to 60 times, of steps on files. Expectations of the rest stay only when the step reads and "
               "changes nothing.",
    .places = "",
    .kinds = "few many",
    .apply = apply,
};
