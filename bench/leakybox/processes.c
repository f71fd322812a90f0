/* The tools for background processes: start_process begins one, the others speak of it by its number. */
#include <signal.h>
#include <sys/wait.h>

#include "leakybox/command.h"
#include "leakybox/faults.h"
#include "leakybox/keeper.h"
#include "leakybox/rpc.h"
#include "leakybox/text.h"

enum { DEFAULT_WAIT_MS = 5000 };

void tool_start_process(struct call *c)
{
    struct job *j = command_start(c, BYTES_NONE, 0, BACKGROUND_MAX_BYTES);
    struct json *result;

    if (!j)
        return;
    result = json_new(c->arena, JSON_OBJECT);
    json_set(c->arena, result, "process_id", json_text(c->arena, arena_printf(c->arena, "p%u", j->number)));
    rpc_structured(c->server, c->id, result, false, NULL);
}

/* For a planted fault: a process that ended well and printed nothing. */
static void tell_blank(struct call *c, struct bytes name)
{
    struct arena *a = c->arena;
    struct json *result = json_new(a, JSON_OBJECT);

    json_set(a, result, "process_id", json_string(a, name));
    json_set(a, result, "running", json_bool(a, false));
    json_set(a, result, "exit_code", json_integer(a, 0));
    command_set_stream(a, result, "stdout", BYTES_NONE, 0);
    command_set_stream(a, result, "stderr", BYTES_NONE, 0);
    rpc_structured(c->server, c->id, result, false, NULL);
}

/* NULL when the call was answered. */
static struct job *named_process(struct call *c)
{
    struct bytes name = call_bytes(c, "process_id");
    struct fault_unknown event = {0};
    struct job *j = NULL;
    struct buf text;
    unsigned number = 0;
    size_t at = 1;

    if (name.len >= 2 && name.len <= 9 && name.data[0] == 'p') {
        while (at < name.len && name.data[at] >= '0' && name.data[at] <= '9')
            number = number * 10 + (name.data[at++] - '0');
        if (at == name.len && name.data[1] != '0')
            j = job_find(c->server, number);
    }
    if (j)
        return j;
    faults_unknown(&event);
    if (event.blank) {
        tell_blank(c, name);
        return NULL;
    }
    buf_init(&text, 1024);
    text_quote(&text, name);
    call_failed(c, "no process %s is known", buf_string(&text));
    buf_release(&text);
    return NULL;
}

static void tell_lost(struct call *c, const struct job *j)
{
    struct buf why;

    buf_init(&why, 256);
    text_errno(&why, j->start_errno);
    call_failed(c, "p%u never ran or was lost: %s", j->number, buf_string(&why));
    buf_release(&why);
}

static void tell(struct job *j, struct bytes id)
{
    struct bytes out = command_output(&j->out.kept, j->out.total);
    struct bytes err = command_output(&j->err.kept, j->err.total);
    struct fault_tell event = {
        .killed = j->signalled && WIFSIGNALED(j->status),
        .running = job_alive(j),
        .out = out,
        .out_total = j->out.total,
    };
    const char *notice = NULL;
    struct arena a;
    struct json *result;

    arena_init(&a);
    event.arena = &a;
    faults_tell(&event);
    out = event.out;
    result = json_new(&a, JSON_OBJECT);
    json_set(&a, result, "process_id", json_text(&a, arena_printf(&a, "p%u", j->number)));
    json_set(&a, result, "running", json_bool(&a, event.running));
    if (!event.running)
        command_set_end(&a, result, j, job_exit_code(j));
    command_set_stream(&a, result, "stdout", out, j->out.total);
    command_set_stream(&a, result, "stderr", err, j->err.total);
    if (j->out.total > out.len || j->err.total > err.len)
        notice = "the output is longer than what is kept: only the first bytes of each stream follow";
    rpc_structured(j->server, id, result, false, notice);
    arena_release(&a);
}

void process_answer(struct job *j)
{
    tell(j, buf_bytes(&j->id));
}

void tool_poll_process(struct call *c)
{
    struct job *j = named_process(c);

    if (j && j->start_errno)
        tell_lost(c, j);
    else if (j)
        tell(j, c->id);
}

void tool_wait_process(struct call *c)
{
    struct job *j = named_process(c);

    if (!j)
        return;
    if (j->start_errno)
        tell_lost(c, j);
    else if (!job_alive(j))
        tell(j, c->id);
    else if (j->id.len)
        call_failed(c, "another call waits for p%u already", j->number);
    else
        job_wait(j, c->id, call_integer(c, "timeout_ms", DEFAULT_WAIT_MS));
}

static const struct {
    const char *name;
    int number;
} signals[] = {
    {"TERM", SIGTERM}, {"KILL", SIGKILL}, {"INT", SIGINT},   {"HUP", SIGHUP},   {"QUIT", SIGQUIT},
    {"STOP", SIGSTOP}, {"CONT", SIGCONT}, {"USR1", SIGUSR1}, {"USR2", SIGUSR2},
};

void tool_signal_process(struct call *c)
{
    struct job *j = named_process(c);
    struct fault_signal event = {.keeper = j ? j->keeper : 0};
    struct bytes name = call_has(c, "signal") ? call_bytes(c, "signal") : BYTES_LITERAL("TERM");

    if (!j)
        return;
    if (!job_alive(j)) {
        call_failed(c, "p%u has ended already", j->number);
        return;
    }
    for (size_t i = 0; i < sizeof(signals) / sizeof(*signals); i++) {
        if (!bytes_equal_string(name, signals[i].name))
            continue;
        event.number = signals[i].number;
        faults_signal(&event);
        keeper_tell(j->control, event.shell_only ? 's' : 'S', event.number);
        j->signalled = true;
        call_textf(c, "sent %s to p%u", signals[i].name, j->number);
        return;
    }
}
