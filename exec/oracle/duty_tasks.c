/* Duties of tasks, as 2025-11-25 has them: when one is made, its states, its result, its end. Transitions are
 * judged where messages come in the order in which they were sent, over pipes. */
#include <ctype.h>
#include <string.h>

#include "exec/oracle/duty_internal.h"

#define RELATED "io.modelcontextprotocol/related-task"

/* A task's value: its state, and what else was seen. */
enum {
    STATE_MASK = 7,
    SEEN_RESULT = 8,  /* tasks/result was answered */
    SEEN_LISTED = 16, /* it stood in a list */
    UNLISTED = 32,    /* it was missing in a whole list */
    CREATED = 64      /* a call was answered by it */
};
enum task_state { TASK_NONE, TASK_WORKING, TASK_INPUT, TASK_COMPLETED, TASK_FAILED, TASK_CANCELLED };

static const char *const states[] = {"", "working", "input_required", "completed", "failed", "cancelled"};

static enum task_state state_of(const struct json *task)
{
    struct bytes text = json_as_text(json_get(task, "status"));
    for (size_t i = 1; i < sizeof states / sizeof *states; i++)
        if (bytes_equal_string(text, states[i]))
            return (enum task_state)i;
    return TASK_NONE;
}

static bool is_terminal(int state)
{
    return state >= TASK_COMPLETED;
}

/* 2025-11-25T12:00:00, with a zone or a fraction behind. */
static bool is_time(const struct json *value)
{
    static const char form[] = "dddd-dd-ddTdd:dd:dd";
    struct bytes text = json_as_text(value);
    if (!json_is(value, JSON_STRING) || text.len < sizeof form - 1)
        return false;
    for (size_t i = 0; i < sizeof form - 1; i++)
        if (form[i] == 'd' ? !isdigit(text.data[i]) : text.data[i] != (uint8_t)form[i])
            return false;
    return true;
}

enum duty_task_support duty_task_support_of(const struct json *tool)
{
    struct bytes text = json_as_text(json_pointer(tool, BYTES_LITERAL("/execution/taskSupport")));
    return bytes_equal_string(text, "required")   ? DUTY_TASK_REQUIRED
           : bytes_equal_string(text, "optional") ? DUTY_TASK_OPTIONAL
                                                  : DUTY_TASK_FORBIDDEN;
}

static void look_at_form(struct duty_watch *w, const struct json *task, struct bytes line)
{
    const struct json *ttl = json_get(task, "ttl"), *id = json_get(task, "taskId");
    if (!json_is(id, JSON_STRING))
        duty_say(w, 82, "a task whose id is no text", line);
    if (state_of(task) == TASK_NONE)
        duty_say(w, 82, "a task in a state that there is not", line);
    if (!is_time(json_get(task, "createdAt")) || !is_time(json_get(task, "lastUpdatedAt")))
        duty_say(w, 83, "a task without its times", line);
    if (!ttl || (!json_is(ttl, JSON_NUMBER) && !json_is(ttl, JSON_NULL)))
        duty_say(w, 83, "a task without ttl", line);
}

/* The task's new state; NULL when it has no id. */
static struct duty_name *move(struct duty_watch *w, const struct json *task, struct bytes line)
{
    const struct json *id = json_get(task, "taskId");
    struct duty_name *known = json_is(id, JSON_STRING) ? duty_names_add(&w->tasks, id->text) : NULL;
    enum task_state now = state_of(task);
    if (!known || now == TASK_NONE)
        return known;
    int before = known->value & STATE_MASK;
    bool ordered = w->transport == DUTY_STDIO;
    if (ordered && before == TASK_CANCELLED && now != TASK_CANCELLED)
        duty_say(w, 85, "a cancelled task does not stay cancelled", line);
    else if (ordered && is_terminal(before) && (int)now != before)
        duty_say(w, 82, "a task leaves a state that is final", line);
    if (ordered && (known->value & SEEN_RESULT) && !is_terminal(now))
        duty_say(w, 84, "a result before the task has ended", line);
    known->value = (known->value & ~STATE_MASK) | (int)now;
    return known;
}

void duty_task_status(struct duty_watch *w, const struct json *task, struct bytes line)
{
    look_at_form(w, task, line);
    move(w, task, line);
}

/* --- calls --- */

static void look_at_created(struct duty_watch *w, const struct json *task, struct bytes line)
{
    const struct json *id = json_get(task, "taskId");
    struct duty_name *known = json_is(id, JSON_STRING) ? duty_names_add(&w->tasks, id->text) : NULL;
    if (known && (known->value & CREATED))
        duty_say(w, 82, "two tasks with one id", line);
    if (known)
        known->value |= CREATED; /* what was told of it may have come first */
    if (state_of(task) != TASK_WORKING && state_of(task) != TASK_NONE)
        duty_say(w, 82, "a new task that is not working", line);
    look_at_form(w, task, line);
    move(w, task, line);
}

/* Asked for a task, or not, where the tool must or must not have one. */
static void look_at_support(struct duty_watch *w, const struct json *params, const struct duty_reply *reply,
                            bool asked, bool made)
{
    const struct duty_name *tool = duty_names_find(&w->tools.names, json_as_text(json_get(params, "name")));
    if (!tool || !w->tools.complete)
        return;
    bool refused = reply->error || json_is(json_get(reply->result, "isError"), JSON_TRUE);
    if (tool->value == DUTY_TASK_REQUIRED && !asked && reply->code != -32601)
        duty_say(w, 81,
                 refused ? "a tool that needs a task refuses to go without one, but not by -32601"
                         : "a tool that needs a task goes without one",
                 reply->line);
    else if (tool->value == DUTY_TASK_FORBIDDEN && asked && reply->code != -32601)
        duty_say_should(w, 81, "a tool without tasks is called with one, and not refused by -32601", reply->line);
    else if (tool->value != DUTY_TASK_FORBIDDEN && asked && reply->result && !made)
        duty_say(w, 80, "a task was asked for and none was made", reply->line);
}

bool duty_task_call(struct duty_watch *w, const struct json *params, const struct duty_reply *reply)
{
    const struct json *task = json_get(reply->result, "task");
    bool made = json_is(task, JSON_OBJECT) && json_get(task, "taskId"),
         asked = json_get(params, "task") != NULL;
    bool declared = duty_declared(w, "/tasks/requests/tools/call");
    if (!duty_since(w, "2025-11-25") || duty_since(w, "2026-07-28"))
        return made;
    if (made && w->capabilities && !declared)
        duty_say(w, 80, "a task without the capability", reply->line);
    else if (made && params && !asked)
        duty_say(w, 80, "a task that was not asked for", reply->line);
    if (declared && params)
        look_at_support(w, params, reply, asked, made);
    if (made)
        look_at_created(w, task, reply->line);
    return made;
}

/* --- tasks/get, tasks/result, tasks/cancel, tasks/list --- */

/* The task that the request names. An id that the server never gave has to be refused; then NULL. */
static struct duty_name *named_task(struct duty_watch *w, const struct duty_request *r,
                                    const struct duty_reply *reply)
{
    const struct json *params = duty_params(w, r), *id = json_get(params, "taskId");
    struct duty_name *known = json_is(id, JSON_STRING) ? duty_names_find(&w->tasks, id->text) : NULL;
    if (known || !params || w->tasks.forgot || !duty_declared(w, "/tasks") || reply->code == -32602 ||
        reply->code == -32601)
        return known;
    duty_say(w, 86,
             reply->result ? "an unknown task is accepted"
                           : "an unknown task is refused with another code than -32602",
             reply->line);
    return NULL;
}

void duty_look_task(struct duty_watch *w, const struct duty_request *r, const struct duty_reply *reply)
{
    const struct duty_name *task = named_task(w, r, reply);
    if (!reply->result)
        return;
    look_at_form(w, reply->result, reply->line);
    if (task && (task->value & UNLISTED))
        duty_say(w, 86, "a task that can be read is not listed", reply->line);
    move(w, reply->result, reply->line);
}

void duty_look_task_result(struct duty_watch *w, const struct duty_request *r, const struct duty_reply *reply)
{
    const struct json *id = json_get(duty_params(w, r), "taskId");
    struct duty_name *task = named_task(w, r, reply);
    const struct json *related = json_get(json_get(json_get(reply->result, "_meta"), RELATED), "taskId");
    if (task && reply->code != -32602)
        task->value |= SEEN_RESULT;
    if (!reply->result)
        return;
    if (!related || !id || !json_equal(related, id))
        duty_say(w, 86, "a task's result that does not name its task", reply->line);
    duty_call_result(w, BYTES_NONE, reply->result, reply->line);
}

void duty_look_task_cancel(struct duty_watch *w, const struct duty_request *r, const struct duty_reply *reply)
{
    const struct duty_name *task = named_task(w, r, reply);
    bool over = task && is_terminal(task->value & STATE_MASK);
    if (over && reply->code != -32602)
        duty_say(w, 85,
                 reply->result ? "a task that has ended is cancelled"
                               : "cancelling a task that has ended: another code than -32602",
                 reply->line);
    if (!reply->result)
        return;
    look_at_form(w, reply->result, reply->line);
    if (!over && state_of(reply->result) != TASK_CANCELLED && state_of(reply->result) != TASK_NONE)
        duty_say(w, 85, "a task is not cancelled after cancelling", reply->line);
    if (!over)
        move(w, reply->result, reply->line);
}

void duty_look_task_list(struct duty_watch *w, const struct duty_request *r, const struct duty_reply *reply)
{
    const struct json *tasks = json_get(reply->result, "tasks");
    bool whole = !json_get(duty_params(w, r), "cursor") && !json_get(reply->result, "nextCursor");
    if (!reply->result)
        return;
    if (!json_is(tasks, JSON_ARRAY)) {
        duty_say(w, 83, "a list of tasks without tasks", reply->line);
        return;
    }
    for (struct duty_name *one = w->tasks.first; one; one = one->next)
        one->value &= ~SEEN_LISTED;
    for (const struct json *task = tasks->first; task; task = task->next) {
        look_at_form(w, task, reply->line);
        struct duty_name *known = move(w, task, reply->line);
        if (known)
            known->value = (known->value | SEEN_LISTED) & ~UNLISTED;
    }
    for (struct duty_name *one = w->tasks.first; whole && one; one = one->next)
        if (!(one->value & SEEN_LISTED))
            one->value |= UNLISTED;
}
