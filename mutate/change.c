/* Making one change of a task and keeping what was before. See mutate_internal.h for the form of "before".
 *
 * Invariant: between change_begin and change_end the task is always whole; every alteration goes through
 * here, so undo (undo.c) finds all of them in the record. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "gen/task_internal.h"
#include "mutate/mutate_internal.h"

/* One place of a step. */

/* The container and the last token of a pointer below the arguments; token is unescaped. */
static struct json *container_of(struct task *t, struct task_step *step, const char *at, struct bytes *token)
{
    struct bytes pointer = bytes_of_string(at);
    struct bytes prefix = BYTES_LITERAL("/args/");
    if (!bytes_starts(pointer, prefix))
        return NULL;
    size_t slash = pointer.len;
    while (pointer.data[slash - 1] != '/')
        slash--;
    struct json *container = json_pointer(step->args, bytes_slice(pointer, prefix.len - 1, slash - 1));
    struct buf name;
    buf_init(&name, pointer.len + 1);
    for (size_t i = slash; i < pointer.len; i++) {
        bool escape = pointer.data[i] == '~' && i + 1 < pointer.len;
        buf_add_byte(&name, escape ? (pointer.data[++i] == '1' ? '/' : '~') : pointer.data[i]);
    }
    *token = arena_copy(&t->arena, buf_bytes(&name));
    buf_release(&name);
    return container;
}

static struct json *member_of(const struct json *container, struct bytes token)
{
    if (json_is(container, JSON_OBJECT))
        return json_get_bytes(container, token);
    size_t index = 0;
    for (size_t i = 0; i < token.len; i++) {
        if (token.data[i] < '0' || token.data[i] > '9' || i > 6)
            return NULL;
        index = index * 10 + (token.data[i] - '0');
    }
    return token.len ? json_at(container, index) : NULL;
}

/* Moves a step behind the one with this id, or to the front. False: there is none, or it is the step itself. */
static bool put_behind(struct task *t, const struct task_step *step, struct bytes id)
{
    size_t from = (size_t)(step - t->steps), to = 0;
    if (id.len) {
        size_t behind = task_step_index(t, arena_string(&t->arena, id));
        if (behind == t->step_count || behind == from)
            return false;
        to = behind < from ? behind + 1 : behind;
    }
    struct task_step moved = t->steps[from];
    if (to < from)
        memmove(&t->steps[to + 1], &t->steps[to], (from - to) * sizeof moved);
    else
        memmove(&t->steps[from], &t->steps[from + 1], (to - from) * sizeof moved);
    t->steps[to] = moved;
    return true;
}

/* Of a step in no group. */
static struct json *step_value(struct task *t, size_t index)
{
    if (index >= t->step_count)
        return NULL;
    struct json *value = task_step_tree(&t->steps[index], &t->arena);
    json_replace(json_get(value, "args"), json_copy(&t->arena, t->steps[index].args)); /* inward, as all of a record in memory */
    return value;
}

struct json *change_step_get(struct task *t, struct task_step *step, const char *at)
{
    struct bytes token;
    if (strcmp(at, "/repeat") == 0)
        return step->repeat == 1 ? NULL : json_integer(&t->arena, step->repeat);
    if (strcmp(at, "/cancel_after_ms") == 0)
        return step->cancel_after_ms < 0 ? NULL : json_integer(&t->arena, step->cancel_after_ms);
    if (strcmp(at, "/session") == 0)
        return strcmp(step->session, "main") == 0 ? NULL : json_text(&t->arena, step->session);
    if (strcmp(at, "/group") == 0)
        return step->group ? json_text(&t->arena, step->group) : NULL;
    if (strcmp(at, "/order") == 0)
        return json_text(&t->arena, step == t->steps ? "" : step[-1].id);
    if (strcmp(at, "/next") == 0)
        return step_value(t, (size_t)(step - t->steps) + 1);
    if (strcmp(at, "/first") == 0)
        return step_value(t, 0);
    return member_of(container_of(t, step, at, &token), token);
}

static bool put_argument(struct task *t, struct task_step *step, const char *at, struct json *value)
{
    struct bytes token;
    struct json *container = container_of(t, step, at, &token);
    struct json *old = container ? member_of(container, token) : NULL;
    if (old && value)
        json_replace(old, value);
    else if (old && json_is(container, JSON_OBJECT))
        json_remove(container, old);
    else if (!old && value && json_is(container, JSON_OBJECT))
        json_set_bytes(&t->arena, container, token, value);
    else
        return !old && !value && json_is(container, JSON_OBJECT);
    return true;
}

/* What a step has beside its arguments. Each takes the value it gets back, NULL for none, and says false where no step can have it. */
static bool put_repeat(struct task *t, struct task_step *step, struct json *value)
{
    int64_t repeat = 1;
    if (value && (!json_as_integer(value, &repeat) || repeat < 1 || repeat > UINT32_MAX))
        return false;
    step->repeat = (uint32_t)repeat;
    return true;
}

static bool put_cancel(struct task *t, struct task_step *step, struct json *value)
{
    int64_t ms = -1;
    if (value && (!json_as_integer(value, &ms) || ms < 0))
        return false;
    step->cancel_after_ms = ms;
    return true;
}

static bool put_session(struct task *t, struct task_step *step, struct json *value)
{
    if (value && !json_is(value, JSON_STRING))
        return false;
    step->session = value ? arena_string(&t->arena, value->text) : "main";
    return true;
}

static bool put_group(struct task *t, struct task_step *step, struct json *value)
{
    if (value && !json_is(value, JSON_STRING))
        return false;
    step->group = value ? arena_string(&t->arena, value->text) : NULL;
    return true;
}

static bool put_order(struct task *t, struct task_step *step, struct json *value)
{
    return json_is(value, JSON_STRING) && put_behind(t, step, value->text);
}

/* A step that was left out, as it stands in its mutation's record (inward, as arguments are); NULL when it is none, or its id was given
 * to another one since. */
static bool put_step(struct task *t, size_t index, const struct json *value)
{
    struct arena *a = &t->arena;
    const struct json *id = json_get(value, "id"), *op = json_get(value, "op"), *args = json_get(value, "args");
    const struct op *known = op ? ops_find(t->steps[0].op->all, arena_string(a, json_as_text(op))) : NULL;
    int64_t number;
    if (!json_is(id, JSON_STRING) || !known || !json_is(args, JSON_OBJECT) || task_find_step(t, arena_string(a, id->text)))
        return false;
    struct task_step *step = task_insert_step(t, index, known, json_copy(a, args));
    step->id = arena_string(a, id->text);
    if (json_get(value, "session"))
        step->session = arena_string(a, json_as_text(json_get(value, "session")));
    if (json_as_integer(json_get(value, "after_ms"), &number))
        step->after_ms = number;
    if (json_as_integer(json_get(value, "cancel_after_ms"), &number))
        step->cancel_after_ms = number;
    if (json_as_integer(json_get(value, "timeout_ms"), &number))
        step->timeout_ms = number;
    if (json_as_integer(json_get(value, "repeat"), &number))
        step->repeat = (uint32_t)number;
    return true;
}

static bool put_or_take(struct task *t, size_t index, const struct json *value)
{
    if (value)
        return put_step(t, index, value);
    if (index >= t->step_count)
        return false;
    task_remove_step(t, index);
    return true;
}

static bool put_next(struct task *t, struct task_step *step, struct json *value)
{
    return put_or_take(t, (size_t)(step - t->steps) + 1, value);
}

static bool put_first(struct task *t, struct task_step *step, struct json *value)
{
    return put_or_take(t, 0, value);
}

/* What is done while the step runs: nothing of the step itself changes. */
static bool put_nothing(struct task *t, struct task_step *step, struct json *value)
{
    return !value;
}

static const struct {
    const char *at;
    bool (*put)(struct task *t, struct task_step *step, struct json *value);
} members[] = {
    {"/repeat", put_repeat}, {"/cancel_after_ms", put_cancel}, {"/session", put_session}, {"/group", put_group},
    {"/order", put_order},   {"/next", put_next},         {"/first", put_first},
    {"/frame", put_nothing},          {"/env", put_nothing},
};

bool change_step_put(struct task *t, struct task_step *step, const char *at, struct json *value)
{
    for (size_t i = 0; i < sizeof members / sizeof *members; i++)
        if (strcmp(at, members[i].at) == 0)
            return members[i].put(t, step, value);
    if (strncmp(at, "/start/", strlen("/start/")) == 0)
        return put_nothing(t, step, value);
    return put_argument(t, step, at, value);
}

/* A change. */

void change_begin(struct change *c, struct mutation *m, const char *mutator, size_t step, const char *at)
{
    struct arena *a = &m->task->arena;
    *c = (struct change){
        .m = m,
        .mutator = mutator,
        .step = m->task->steps[step].id,
        .at = arena_string(a, bytes_of_string(at)),
        .before = json_new(a, JSON_OBJECT),
        .old_args = json_copy(a, m->task->steps[step].args),
    };
}

size_t change_index(const struct change *c)
{
    return task_step_index(c->m->task, c->step);
}

/* The list under a name in "before", made when it is not there. */
static struct json *list_of(struct change *c, const char *name)
{
    struct arena *a = &c->m->task->arena;
    struct json *list = json_get(c->before, name);
    return list ? list : json_set(a, c->before, name, json_new(a, JSON_ARRAY));
}

void change_set(struct change *c, struct json *value)
{
    struct task *t = c->m->task;
    struct task_step *step = task_find_step(t, c->step);
    struct json *old = change_step_get(t, step, c->at);
    if (old)
        json_set(&t->arena, c->before, "value", json_copy(&t->arena, old));
    if (!change_step_put(t, step, c->at, value))
        BUG("a mutator changes a place that a step does not have");
}

struct task_step *change_insert_step(struct change *c, size_t index, const struct op *op, struct json *args)
{
    struct task *t = c->m->task;
    struct task_step *step = task_insert_step(t, index, op, args);
    json_add(list_of(c, "steps"), json_text(&t->arena, step->id));
    return step;
}

struct json *change_add_content(struct change *c, struct json *content)
{
    struct task *t = c->m->task;
    const char *name = NULL;
    for (size_t n = 1; !name || json_get(t->contents, name); n++)
        name = arena_printf(&t->arena, "m%zu", n);
    json_set(&t->arena, t->contents, name, content);
    json_add(list_of(c, "contents"), json_text(&t->arena, name));
    struct json *reference = json_new(&t->arena, JSON_OBJECT);
    json_set(&t->arena, reference, "$content", json_text(&t->arena, name));
    return reference;
}

static struct json *note_expectation(struct change *c, size_t index)
{
    struct arena *a = &c->m->task->arena;
    struct json *note = json_add(list_of(c, "expect"), json_new(a, JSON_OBJECT));
    json_set(a, note, "index", json_integer(a, (int64_t)index));
    json_set(a, note, "was", json_copy(a, json_at(c->m->task->expect, index)));
    return note;
}

void change_drop_expectation(struct change *c, size_t index)
{
    note_expectation(c, index);
    json_remove(c->m->task->expect, json_at(c->m->task->expect, index));
}

void change_put_expectation(struct change *c, size_t index, const char *member, struct json *value)
{
    struct arena *a = &c->m->task->arena;
    json_set(a, note_expectation(c, index), "kept", json_bool(a, true));
    json_replace(json_get(json_at(c->m->task->expect, index), member), value);
}

void change_end(struct change *c, const char *detail, ...)
{
    char *words = NULL;
    va_list arguments;
    va_start(arguments, detail);
    if (vasprintf(&words, detail, arguments) < 0)
        BUG("out of memory");
    va_end(arguments);
    task_note_mutation(c->m->task, c->mutator, c->step, c->at, words, c->before);
    free(words);
}
