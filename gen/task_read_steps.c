/* Reading a record's steps: each by itself first, then what one says of another. */
#include <stdlib.h>
#include <string.h>

#include "gen/task_internal.h"

enum { MS_MAX = 7 * 24 * 3600 * 1000, REPEAT_MAX = 1000000 };

static struct task_step *current(struct task_reader *r)
{
    return &r->task->steps[r->step];
}

static int read_step_id(struct task_reader *r, struct json *value, const char *member)
{
    TRY(task_read_name(r, value, member, &current(r)->id));
    return 0;
}

static int read_step_op(struct task_reader *r, struct json *value, const char *member)
{
    const struct op *op = NULL;
    if (json_is(value, JSON_STRING) && task_name_ok(value->text))
        op = ops_find(r->ops, arena_string(&r->task->arena, value->text));
    if (!op)
        return task_fault(r, member, value, "one of the ops that 'taskgen ops' lists");
    current(r)->op = op;
    return 0;
}

static int read_step_args(struct task_reader *r, struct json *value, const char *member)
{
    TRY(task_expect_kind(r, value, member, JSON_OBJECT, "an object of arguments"));
    if (task_wrapper_of(value) != WRAP_NONE)
        return task_fault(r, member, value, "an object of arguments");
    current(r)->args = task_value_inward(r, value, WRAPS_ARGS, member);
    return current(r)->args ? 0 : ERR_INPUT;
}

static int read_step_session(struct task_reader *r, struct json *value, const char *member)
{
    return task_read_name(r, value, member, &current(r)->session);
}

static int read_step_group(struct task_reader *r, struct json *value, const char *member)
{
    return task_read_name(r, value, member, &current(r)->group);
}

static int read_step_after(struct task_reader *r, struct json *value, const char *member)
{
    return task_read_count(r, value, member, 0, MS_MAX, &current(r)->after_ms);
}

static int read_step_cancel(struct task_reader *r, struct json *value, const char *member)
{
    return task_read_count(r, value, member, 0, MS_MAX, &current(r)->cancel_after_ms);
}

static int read_step_timeout(struct task_reader *r, struct json *value, const char *member)
{
    return task_read_count(r, value, member, 0, MS_MAX, &current(r)->timeout_ms);
}

static int read_step_repeat(struct task_reader *r, struct json *value, const char *member)
{
    int64_t repeat = 1;
    TRY(task_read_count(r, value, member, 1, REPEAT_MAX, &repeat));
    current(r)->repeat = (uint32_t)repeat;
    return 0;
}

static const struct task_member step_members[] = {
    {"id", true, read_step_id},
    {"op", true, read_step_op},
    {"args", false, read_step_args},
    {"session", false, read_step_session},
    {"group", false, read_step_group},
    {"after_ms", false, read_step_after},
    {"cancel_after_ms", false, read_step_cancel},
    {"timeout_ms", false, read_step_timeout},
    {"repeat", false, read_step_repeat},
};

static int compare_ids(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static int check_unique_ids(struct task_reader *r)
{
    const struct task *t = r->task;
    const char **ids = arena_alloc(&r->task->arena, (t->step_count + 1) * sizeof *ids);
    for (size_t i = 0; i < t->step_count; i++)
        ids[i] = t->steps[i].id;
    qsort(ids, t->step_count, sizeof *ids, compare_ids);
    for (size_t i = 1; i < t->step_count; i++)
        if (strcmp(ids[i - 1], ids[i]) == 0)
            return error_set(r->err, ERR_INPUT,
                             "%s: steps: found two steps with the id '%s', expected an id of its own "
                             "for each",
                             r->where, ids[i]);
    return 0;
}

int task_read_steps(struct task_reader *r, struct json *value, const char *member)
{
    struct task *t = r->task;
    TRY(task_expect_kind(r, value, member, JSON_ARRAY, "an array of steps"));
    if (value->count > TASK_STEPS_MAX)
        return error_set(r->err, ERR_INPUT, "%s: %s: found %u steps, expected at most %d", r->where, member,
                         value->count, TASK_STEPS_MAX);
    t->step_count = t->step_capacity = value->count;
    t->steps = arena_alloc(&t->arena, (t->step_count + 1) * sizeof *t->steps);
    r->step = 0;
    for (struct json *item = value->first; item; item = item->next, r->step++) {
        char *path = arena_printf(&t->arena, "%s[%zu]", member, r->step);
        TRY(task_expect_kind(r, item, path, JSON_OBJECT, "a step"));
        *current(r) = (struct task_step){.session = "main", .cancel_after_ms = -1, .repeat = 1};
        TRY(task_read_members(r, item, path, step_members, sizeof step_members / sizeof *step_members));
        if (!current(r)->args)
            current(r)->args = json_new(&t->arena, JSON_OBJECT);
    }
    TRY(check_unique_ids(r));
    for (r->step = 0; r->step < t->step_count; r->step++)
        TRY(task_check_args(r, current(r), arena_printf(&t->arena, "%s[%zu].args", member, r->step)));
    return 0;
}
