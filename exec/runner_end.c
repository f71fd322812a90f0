/* Control calls, wire records, and what is left when the session has ended. */
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "exec/oracle/judge.h"
#include "exec/resolve.h"
#include "exec/runner_internal.h"

static const char control_name[] = ".taskgen-control";

bool runner_plain_call(struct runner *r, const char *op, struct json *args, struct outcome *outcome)
{
    struct call call = {
        .op = ops_find(r->ops, op),
        .args = args,
        .cancel_after_ms = -1,
        .arena = r->a,
        .timeout_ms = settings_int(r->settings, "exec.probe-timeout"),
    };
    struct call *calls[] = {&call};
    if (!call.op || !session_supports(r->session, call.op->needs))
        return false;
    session_calls(r->session, calls, 1);
    *outcome = call.outcome;
    return outcome->class != OUTCOME_SKIPPED && outcome->class != OUTCOME_HARNESS;
}

static struct json *control_args(struct runner *r)
{
    struct json *args = json_new(r->a, JSON_OBJECT);
    json_set(r->a, args, "path", json_text(r->a, control_name));
    return args;
}

/* Removes the control object without the target, so that no later listing shows it; with it where nobody else
 * can. */
static void remove_control(struct runner *r)
{
    struct outcome ignored;
    if (!r->witness.outside) {
        runner_plain_call(r, "remove", control_args(r), &ignored);
        return;
    }
    int root = open(session_root(r->session), O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (root >= 0) {
        unlinkat(root, control_name, 0);
        close(root);
    }
}

static bool holds(const struct outcome *o, const char *text)
{
    static const char *const members[] = {"content", "stdout", "value"};
    for (size_t i = 0; i < sizeof members / sizeof *members; i++)
        if (bytes_find(json_as_text(json_get(o->result, members[i])), bytes_of_string(text), 0) >= 0)
            return true;
    return bytes_find(o->raw, bytes_of_string(text), 0) >= 0;
}

static bool lost(const struct outcome *o)
{
    return o->class == OUTCOME_TIMEOUT || o->class == OUTCOME_TRANSPORT_ERROR ||
           o->class == OUTCOME_TARGET_DIED;
}

/* Where a target has nothing but its own tools: the call that a task of those ends with, when it needs no other step. What
 * it says does not matter, only that it says anything. */
static void call_last(struct runner *r, struct control *c, struct outcome *o)
{
    const struct task_step *last = r->task->step_count ? &r->task->steps[r->task->step_count - 1] : NULL;
    struct resolver resolver = {.task = r->task, .site = session_site(r->session)};
    struct resolved resolved = {0};
    bool plain = last && (strcmp(last->op->name, "call") == 0 || strcmp(last->op->name, "request") == 0);
    if (!plain || strcmp(r->task->domain, "tools") != 0 ||
        resolve_step(&resolver, last, r->a, &resolved, NULL) < 0 || resolved.skip_reason)
        return;
    if (runner_plain_call(r, last->op->name, resolved.args, o)) {
        c->op = last->op->name;
        if (!lost(o))
            o->class = OUTCOME_OK;
    }
}

/* Where the task is about pages; false: it is not, or they cannot be asked. What refuses answers. */
static bool control_page(struct runner *r, struct control *c, struct outcome *o, char **text)
{
    c->op = runner_page_used(r) ? runner_page_control(r, *text, o) : NULL;
    if (!c->op)
        return false;
    if (!lost(o) && o->class != OUTCOME_OK) {
        o->class = OUTCOME_OK;
        *text = arena_printf(r->a, "%s", "");
    }
    return true;
}

/* Asks a page, or writes and reads an object of our own, or prints a word, or lists: the first that the target can do. */
static void make_control(struct runner *r, struct control *c, struct outcome *o, char **text)
{
    *text = arena_printf(r->a, "control %llx", (unsigned long long)clock_monotonic_ns());
    if (control_page(r, c, o, text))
        return;
    struct json *args = control_args(r);
    json_set(r->a, args, "content", json_text(r->a, *text));
    if (session_supports(r->session, "read") && runner_plain_call(r, "write", args, o)) {
        struct outcome back;
        c->op = "write";
        if (o->class != OUTCOME_OK)
            return;
        if (runner_plain_call(r, "read", control_args(r), &back)) {
            c->op = "read";
            *o = back;
        } else { /* it was not sent: a budget is used up */
            *text = arena_printf(r->a, "%s", "");
        }
        return;
    }
    args = json_new(r->a, JSON_OBJECT);
    json_set(r->a, args, "language", json_text(r->a, "sh"));
    json_set(r->a, args, "script", json_text(r->a, arena_printf(r->a, "echo '%s'", *text)));
    if (session_supports(r->session, "run:sh") && runner_plain_call(r, "run", args, o)) {
        c->op = "run";
        return;
    }
    args = json_new(r->a, JSON_OBJECT);
    json_set(r->a, args, "path", json_text(r->a, ""));
    if (runner_plain_call(r, "list", args, o)) {
        c->op = "list";
        *text = arena_printf(r->a, "%s", "");
        return;
    }
    call_last(r, c, o);
    *text = arena_printf(r->a, "%s", "");
}

/* In the session that is the runner's now; false: it was made and failed. `beside`: the session's name, when it is not the first. */
static bool control_in(struct runner *r, size_t after_step, const char *beside)
{
    struct control c = {.after_step = after_step, .fine = r->e->control.fine};
    struct outcome o = {.class = OUTCOME_SKIPPED};
    char *text;
    make_control(r, &c, &o, &text);
    if (c.op && !runner_stopped(r)) {
        bool right = o.class == OUTCOME_OK && (!*text || holds(&o, text));
        c.made = true;
        /* What refuses, or shows its bytes in its own way, did so before; only a change is news. */
        c.answered = right || (!lost(&o) && !r->control_worked);
        c.what = c.answered ? NULL
                            : arena_printf(r->a, "%s: %s%s%s%s", c.op, outcome_class_name(o.class),
                                           o.class == OUTCOME_OK ? ", but with other bytes" : "",
                                           beside ? CONTROL_BESIDE : "", beside ? beside : "");
        r->control_worked = r->control_worked || right;
        c.fine = right && after_step != SIZE_MAX ? after_step + 1 : c.fine;
        r->e->control = c;
    }
    remove_control(r);
    return !c.made || c.answered;
}

/* First where the task began, then in every other session that is open: what one of them did must not break the others. */
void runner_control(struct runner *r, size_t after_step)
{
    struct session *first = r->session;
    size_t fine_before = r->e->control.fine;
    bool fine = control_in(r, after_step, NULL);
    for (size_t i = 1; i < r->client_count && fine; i++) {
        if (!session_alive(r->clients[i].session) || runner_closed(r, &r->clients[i]))
            continue;
        r->session = r->clients[i].session;
        fine = control_in(r, after_step, r->clients[i].name);
    }
    if (!fine)
        r->e->control.fine = fine_before; /* that of another client was answered, and tells nothing of this one */
    r->session = first;
}

static const char *wire_kind(enum wire_kind kind)
{
    static const char *const names[] = {
        [WIRE_STRAY_LINE] = "stray-line",
        [WIRE_UNKNOWN_ID] = "unknown-id",
        [WIRE_DOUBLE_REPLY] = "double-reply",
        [WIRE_BAD_MESSAGE] = "bad-message",
        [WIRE_UNOFFERED_REQUEST] = "unoffered-request",
        [WIRE_NOTE] = "note",
        [WIRE_BREACH] = "breach",
    };
    return names[kind];
}

void runner_wire(struct runner *r, size_t after_step)
{
    for (size_t c = 0; c < r->client_count; c++) {
        const struct wire_event *events;
        size_t count = session_wire_events(r->clients[c].session, &events);
        for (size_t i = 0; i < count && r->e->wire_count < RUNNER_WIRE_MAX; i++)
            r->e->wire[r->e->wire_count++] = (struct wire_record){
                .kind = wire_kind(events[i].kind),
                .duty = events[i].duty,
                .detail = events[i].detail ? arena_string(r->a, bytes_of_string(events[i].detail)) : NULL,
                .text = arena_copy(r->a, events[i].text),
                .after_step = after_step};
    }
}

void runner_note_processes(struct runner *r, struct runner_client *c)
{
    if (target_in_process(session_target(c->session)))
        return;
    struct process_info *list = arena_alloc(r->a, RUNNER_PROCESSES_MAX * sizeof *list);
    size_t count = session_processes(c->session, list, RUNNER_PROCESSES_MAX);
    for (size_t i = 0; i < count && i < RUNNER_PROCESSES_MAX; i++)
        c->calm_pids[c->calm_count++] = list[i].pid;
}

/* A job that we put into the background ourselves, because the target has no way of its own, is ours to end,
 * not the target's. */
static bool of_our_own_job(const struct runner *r, const struct process_info *p)
{
    for (size_t i = 0; i < r->e->count; i++) {
        const struct observation *o = &r->e->observations[i];
        if (!o->outcome.lowered || o->outcome.class != OUTCOME_OK)
            continue;
        if (observation_is(o, "serve"))
            return true;
        if (runner_jobs_does(o, p))
            return true;
    }
    return false;
}

static bool is_calm(const struct runner *r, const struct runner_client *c, const struct process_info *p)
{
    for (size_t i = 0; i < c->calm_count; i++)
        if (c->calm_pids[i] == p->pid)
            return true;
    return of_our_own_job(r, p);
}

static void add_leftover(struct runner *r, const struct runner_client *c, const struct process_info *p)
{
    if (r->e->leftover_count == RUNNER_LEFTOVERS_MAX)
        return;
    r->e->leftovers[r->e->leftover_count++] = (struct leftover){
        .pid = p->pid,
        .state = p->state,
        .name = arena_string(r->a, bytes_of_string(p->name)),
        .command = arena_string(r->a, bytes_of_string(p->command)),
        .calm = is_calm(r, c, p)};
}

static bool listed(const struct process_info *list, size_t count, const struct process_info *p)
{
    for (size_t i = 0; i < count; i++)
        if (list[i].pid == p->pid && list[i].state == p->state)
            return true;
    return false;
}

static size_t look_at_processes(struct runner *r, struct process_info *list)
{
    size_t count = session_processes(r->session, list, RUNNER_PROCESSES_MAX);
    return count < RUNNER_PROCESSES_MAX ? count : RUNNER_PROCESSES_MAX;
}

/* Ended processes that are still there in two looks with time between them, after one that most sessions end
 * with: none has ended and not been reaped. */
static void note_zombies(struct runner *r, struct process_info *first, struct process_info *second)
{
    int64_t settle = settings_int(r->settings, "leftover.settle");
    size_t zombies = 0, count = look_at_processes(r, first);
    for (size_t i = 0; i < count; i++)
        zombies += first[i].state == 'Z';
    if (!zombies || !session_alive(r->session))
        return;
    clock_sleep_ms(settle / 2);
    count = look_at_processes(r, first);
    clock_sleep_ms(settle);
    size_t again = look_at_processes(r, second);
    for (size_t i = 0; i < again; i++)
        if (second[i].state == 'Z' && listed(first, count, &second[i]))
            add_leftover(r, &r->clients[0], &second[i]);
}

void runner_leftovers(struct runner *r)
{
    if (target_in_process(session_target(r->session))) {
        for (size_t c = r->client_count; c-- > 0;)
            session_end(r->clients[c].session, NULL, 0);
        return;
    }
    struct process_info *first = arena_alloc(r->a, RUNNER_PROCESSES_MAX * sizeof *first);
    struct process_info *second = arena_alloc(r->a, RUNNER_PROCESSES_MAX * sizeof *second);
    note_zombies(r, first, second);
    for (size_t c = r->client_count; c-- > 0;) {
        size_t count = session_end(r->clients[c].session, first, RUNNER_PROCESSES_MAX);
        for (size_t i = 0; i < count && i < RUNNER_PROCESSES_MAX; i++)
            if (first[i].state != 'Z')
                add_leftover(r, &r->clients[c], &first[i]);
    }
    runner_outside_left_open(r);
}
