/* cancel: a call is cancelled while it runs. Either one that the task has, soon after it was sent, or one
 * that is put in for it: a program that adds a line to a file ten times a second, so that anybody who looks
 * sees whether the work has ended. */
#include <string.h>

#include "mutate/mutate_internal.h"
#include "mutate/wire/wire_internal.h"

enum { SOONEST_MS = 1, LATEST_MS = 150, WORK_MS = 500 };

#define WORK_SHARE 0.3
#define INPUT_SHARE 0.4 /* of programs that are put in */

static const char *const kinds[] = {"soon", "work", NULL};

static const char work_script[] = "i=0; while [ $i -lt 60 ]; do echo $i >> " WORK_FILE
                                  "; i=$((i+1)); sleep 0.1; done";

static bool can_cancel(const struct task_step *s)
{
    return wire_is_frame(s->op) && s->cancel_after_ms < 0 && s->repeat <= 1 && !s->group;
}

/* The n-th step that does, counted from 0; step_count when there are not so many. */
static size_t nth(const struct task *t, bool (*does)(const struct task_step *s), uint64_t n)
{
    size_t i = 0;
    while (i < t->step_count && !(does(&t->steps[i]) && n-- == 0))
        i++;
    return i;
}

static uint64_t how_many(const struct task *t, bool (*does)(const struct task_step *s))
{
    uint64_t count = 0;
    for (size_t i = 0; i < t->step_count; i++)
        count += does(&t->steps[i]);
    return count;
}

static bool cancel_soon(struct mutation *m)
{
    struct task *t = m->task;
    uint64_t count = how_many(t, can_cancel);
    if (!count)
        return false;
    size_t index = nth(t, can_cancel, rng_below(m->rng, count));
    int64_t ms = rng_range(m->rng, SOONEST_MS, LATEST_MS);
    struct change c;
    change_begin(&c, m, "cancel", index, "/cancel_after_ms");
    change_set(&c, json_integer(&t->arena, ms));
    retarget_unknown(&c);
    change_end(&c, "soon: the call is cancelled after %lld ms", (long long)ms);
    return true;
}

/* The task must run programs anyway: a target that cannot would be told nothing by it. */
static bool runs_shell(const struct task_step *s)
{
    return strcmp(s->op->name, "run") == 0 && !s->group;
}

static bool has_work(const struct task *t)
{
    for (size_t i = 0; i < t->step_count; i++) {
        const struct json *argv = json_get(t->steps[i].args, "argv");
        if (json_is(argv, JSON_ARRAY) && argv->last &&
            bytes_find(json_as_text(argv->last), BYTES_LITERAL(WORK_FILE), 0) >= 0)
            return true;
    }
    return false;
}

bool work_insert(struct change *c, struct mutation *m, const char *mutator, int64_t cancel_after_ms)
{
    struct task *t = m->task;
    if (!how_many(t, runs_shell) || has_work(t))
        return false;
    struct json *args = json_new(&t->arena, JSON_OBJECT);
    struct json *argv = json_set(&t->arena, args, "argv", json_new(&t->arena, JSON_ARRAY));
    json_add(argv, json_text(&t->arena, "sh"));
    json_add(argv, json_text(&t->arena, "-c"));
    json_add(argv, json_text(&t->arena, work_script));
    if (rng_chance(m->rng, INPUT_SHARE)) /* who feeds a program may be another one than who stops it */
        json_set(&t->arena, args, "stdin", json_text(&t->arena, "input\n"));
    size_t last = t->step_count - 1;
    const char *session = t->steps[last].session;
    change_begin(c, m, mutator, last, "");
    struct task_step *step = change_insert_step(c, last + 1, ops_find(m->ops, "run"), args);
    step->session = session;
    step->cancel_after_ms = cancel_after_ms;
    c->step = step->id;
    return true;
}

static bool cancel_work(struct mutation *m)
{
    struct change c;
    if (!work_insert(&c, m, "cancel", WORK_MS))
        return false;
    change_end(&c, "work: a program that adds to %s is cancelled after %d ms", WORK_FILE, WORK_MS);
    return true;
}

static bool apply(struct mutation *m)
{
    const char *kind = mutation_kind(m, kinds);
    if (!kind)
        return false;
    /* Work takes seconds to be looked at, each time. */
    bool work = strcmp(kind, "work") == 0 && (m->kinds || rng_chance(m->rng, WORK_SHARE));
    return work ? cancel_work(m) : mutation_words_have(m->kinds, "soon") && cancel_soon(m);
}

const struct mutator mutator_cancel = {
    .name = "cancel",
    .group = "step",
    .summary = "a call is cancelled while it runs",
    .details = "One of the task's, 1 to 150 ms after it was sent; or, in a task that runs programs, one put "
               "in for it, which adds a line to "
               "a file ten times a second, sometimes with input of its own, and should have stopped when somebody looks.",
    .places = "",
    .kinds = "soon work",
    .apply = apply,
};
