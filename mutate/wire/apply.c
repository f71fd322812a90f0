/* Choosing a step and a kind, and writing the record down. The step stays as it is. */
#include <string.h>

#include "mutate/wire/wire_internal.h"

enum { KINDS_MAX = 24 };

bool wire_is_frame(const struct op *op)
{
    static const char *const groups[] = {"files", "run", "net", "tool"};
    for (size_t i = 0; i < sizeof groups / sizeof *groups; i++)
        if (strcmp(op->group, groups[i]) == 0)
            return true;
    return false;
}

/* Two mutations of one frame would undo each other's meaning. */
static bool is_taken(const struct task *t, const char *step)
{
    struct wire_mutation other;
    return wire_find(t, step, "wire", &other) || wire_find(t, step, "env", &other);
}

/* Something of this step may live on in the target's memory, and a later one lean on it. */
static bool leaves_running(const struct task_step *s)
{
    static const char *const ops[] = {"start", "poll", "signal", "wait", "serve", "connect", "fetch"};
    static const char *const words[] = {"&", "nohup", "setsid", "Popen", "fork", "daemon", "spawn", "listen"};
    for (size_t i = 0; i < sizeof ops / sizeof *ops; i++)
        if (strcmp(s->op->name, ops[i]) == 0)
            return true;
    const struct json *argv = json_get(s->args, "argv"), *script = json_get(s->args, "script");
    struct bytes texts[] = {json_as_text(script),
                            json_is(argv, JSON_ARRAY) ? json_as_text(argv->last) : BYTES_NONE};
    for (size_t i = 0; i < 2 * sizeof words / sizeof *words; i++)
        if (bytes_find(texts[i % 2], bytes_of_string(words[i / 2]), 0) >= 0)
            return true;
    return strcmp(s->op->group, "browser") == 0 || task_is_wrapper(script, "$content");
}

static bool any_leaves_running(const struct task *t)
{
    for (size_t i = 0; i < t->step_count; i++)
        if (leaves_running(&t->steps[i]))
            return true;
    return false;
}

static bool fits(const struct mutation *m, size_t index, bool alone, const char *op)
{
    const struct task_step *s = &m->task->steps[index];
    if (op && strcmp(s->op->name, op) != 0)
        return false;
    return wire_is_frame(s->op) && s->repeat <= 1 && !(alone && s->group) && s->cancel_after_ms < 0 &&
           !is_taken(m->task, s->id);
}

/* One of the kinds that the hazard admits and the budget has room for. */
static const struct wire_variant *choose(const struct mutation *m, const struct wire_row *row, size_t step)
{
    const struct wire_variant *list[KINDS_MAX];
    size_t count = 0;
    uint64_t room = (uint64_t)body_room(m, step);
    for (const struct wire_variant *v = row->variants; v->kind && count < KINDS_MAX; v++)
        if (mutation_words_have(m->kinds, v->kind) && v->bytes <= room)
            list[count++] = v;
    return count ? list[rng_below(m->rng, count)] : NULL;
}

bool wire_apply(struct mutation *m, const struct wire_row *row, bool alone)
{
    return wire_apply_to(m, row, alone, NULL);
}

bool wire_apply_to(struct mutation *m, const struct wire_row *row, bool alone, const char *op)
{
    size_t fitting = 0;
    if (alone && any_leaves_running(m->task))
        return false;
    for (size_t i = 0; i < m->task->step_count; i++)
        fitting += fits(m, i, alone, op);
    if (!fitting)
        return false;
    size_t chosen = (size_t)rng_below(m->rng, fitting), index = 0;
    while (!fits(m, index, alone, op) || chosen--)
        index++;
    const struct wire_variant *v = choose(m, row, index);
    if (!v)
        return false;
    struct change c;
    change_begin(&c, m, row->mutator->name, index,
                 strcmp(row->mutator->group, "env") == 0 ? "/env" : "/frame");
    if (!v->same)
        retarget_unknown(&c);
    change_end(&c, "%s: %s", v->kind, v->words);
    return true;
}
