/* Building executions by hand. */
#ifndef TESTS_UNIT_EXECUTION_CASE_H
#define TESTS_UNIT_EXECUTION_CASE_H

#include "base/hash.h"
#include "oracle_case.h"

enum { CASE_STEPS = 16 };

struct execution_case {
    struct ops *ops;
    struct task *task;
    struct arena arena;
    struct observation observations[CASE_STEPS];
    struct execution execution;
};

static inline void case_init(struct execution_case *c, struct ops *ops)
{
    *c = (struct execution_case){.ops = ops, .task = task_new()};
    arena_init(&c->arena);
    c->execution = (struct execution){
        .task = c->task, .arena = &c->arena, .observations = c->observations, .executed = true};
}

static inline void case_release(struct execution_case *c)
{
    task_free(c->task);
    arena_release(&c->arena);
}

static inline struct file_view case_file(struct bytes data)
{
    struct file_view v = {.by = WITNESS_OUTSIDE,
                          .exists = true,
                          .kind = 'f',
                          .size = data.len,
                          .mode = 0644,
                          .data = data,
                          .have_data = true};
    sha256_hex(data, v.sha256);
    return v;
}

static inline struct file_view case_absent(void)
{
    return (struct file_view){.by = WITNESS_OUTSIDE};
}

/* One more step on `path`, observed as answered. Steps move when the task grows, so all pointers to them are
 * set anew. */
static inline struct observation *case_step(struct execution_case *c, const char *op, const char *path)
{
    struct json *args = json_new(&c->task->arena, JSON_OBJECT);
    json_set(&c->task->arena, args, "path", json_text(&c->task->arena, path));
    task_add_step(c->task, ops_find(c->ops, op), args);
    struct observation *o = &c->observations[c->execution.count++];
    *o = (struct observation){.args = args, .outcome = {.class = OUTCOME_OK, .replies = 1}};
    for (size_t i = 0; i < c->execution.count; i++)
        c->observations[i].step = &c->task->steps[i];
    return o;
}

static inline void case_result(struct execution_case *c, struct observation *o, const char *name,
                               struct bytes value)
{
    if (!o->outcome.result)
        o->outcome.result = json_new(&c->arena, JSON_OBJECT);
    json_set(&c->arena, o->outcome.result, name, json_string(&c->arena, value));
}

#endif
