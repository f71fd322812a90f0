/* The tools that run commands: run_command waits for the end, start_process does not, poll_process and
 * signal_process speak of what the latter started. */
#include <errno.h>
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "leakybox/command.h"
#include "leakybox/environment.h"
#include "leakybox/faults.h"
#include "leakybox/rpc.h"
#include "leakybox/text.h"

enum { ARGUMENT_MAX = 131071 /* of Linux: 32 pages less the NUL */, DEFAULT_TIMEOUT_MS = 60000 };

/* Opens the working directory: 0, or -1 when the call was answered. */
static int open_cwd(struct call *c, int *fd)
{
    struct place p;
    int number;

    if (!call_has(c, "cwd")) {
        *fd = fcntl(c->server->root.fd, F_DUPFD_CLOEXEC, 3);
        if (*fd < 0)
            call_failed_errno(c, "open the root", NULL, errno);
        return *fd < 0 ? -1 : 0;
    }
    if (!call_place(c, "cwd", PLACE_FOLLOW, &p))
        return -1;
    *fd = openat(p.dir, p.name, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    number = errno;
    if (*fd < 0)
        call_failed_errno(c, "run in", &p, number);
    place_release(&p);
    return *fd < 0 ? -1 : 0;
}

static void refuse(struct call *c, const struct fault_start *event)
{
    if (event->not_ready)
        call_failed(c, "the sandbox is not ready");
    else
        call_failed(c, "the command has %zu bytes, more than the %d that one argument of a program may have",
                    event->command.len, ARGUMENT_MAX);
}

struct job *command_start(struct call *c, struct bytes id, int64_t timeout_ms, size_t keep)
{
    struct json *more = json_get(c->args, "env");
    struct job_command jc = {.timeout_ms = timeout_ms, .keep = keep};
    struct fault_start event = {
        .tool = c->tool,
        .arena = c->arena,
        .command = call_bytes(c, "command"),
        .input = call_bytes(c, "stdin"),
        .own_cwd = call_has(c, "cwd"),
        .cwd = &jc.cwd,
        .more_environment = more != NULL,
    };
    struct job *job;
    int number;

    if (open_cwd(c, &jc.cwd))
        return NULL;
    faults_start(&event);
    if (event.not_ready || event.command.len > ARGUMENT_MAX) {
        close(jc.cwd);
        refuse(c, &event);
        return NULL;
    }
    jc.command = arena_string(c->arena, event.command);
    jc.input = event.input;
    jc.env = environment_make(c->arena, more, event.whole_environment, event.temporary);
    jc.keeps_input = event.keeps_input;
    jc.denied = event.denied;
    jc.holds = event.holds;
    jc.keeps_zombie = event.keeps_zombie;
    jc.keeps_cwd = event.keeps_cwd;
    job = job_start(c->server, id, &jc);
    number = errno;
    close(jc.cwd);
    if (!job) {
        struct buf why;

        buf_init(&why, 256);
        text_errno(&why, number);
        call_failed(c, "cannot start the command: %s; %zu run already, %d may", buf_string(&why),
                    c->server->job_count, JOBS_MAX);
        buf_release(&why);
    }
    return job;
}

void tool_run_command(struct call *c)
{
    int64_t timeout_ms = call_integer(c, "timeout_ms", DEFAULT_TIMEOUT_MS);

    command_start(c, c->id, timeout_ms, OUTPUT_MAX_BYTES); /* answered by job_answer */
}

static void answer_start_failure(struct job *j)
{
    struct buf text;

    buf_init(&text, 512);
    if (j->shell) {
        buf_add_string(&text,
                       "the process that keeps the command was killed; the command's end is not known");
    } else {
        buf_add_string(&text, "cannot start the command: ");
        text_errno(&text, j->start_errno);
    }
    rpc_text(j->server, buf_bytes(&j->id), buf_bytes(&text), true);
    buf_release(&text);
}

static const char *notice_of(struct arena *a, const struct job *j, const struct fault_end *e,
                             struct bytes out, struct bytes err)
{
    if (e->timed_out)
        return arena_printf(
            a, "timed out after %lld ms and was killed with all it had started; its output so far follows",
            (long long)j->timeout_ms);
    if (*e->out_total > out.len || *e->err_total > err.len)
        return arena_printf(
            a, "the output was cut: the first %zu of %llu bytes of stdout and %zu of %llu of stderr follow",
            out.len, (unsigned long long)*e->out_total, err.len, (unsigned long long)*e->err_total);
    return NULL;
}

void job_answer(struct job *j)
{
    struct fault_end event = {
        .timed_out = j->killed,
        .signalled = WIFSIGNALED(j->status),
        .shell = j->shell,
        .cwd = j->cwd,
        .held_ms = j->held_ns ? (clock_monotonic_ns() - j->held_ns) / 1000000 : 0,
        .exit_code = job_exit_code(j),
        .out = &j->out.kept,
        .err = &j->err.kept,
        .out_total = &j->out.total,
        .err_total = &j->err.total,
    };
    struct arena a;
    struct json *result;
    struct bytes out, err;

    if (j->number || j->start_errno) {
        if (j->start_errno)
            answer_start_failure(j);
        else
            process_answer(j);
        return;
    }
    faults_end(&event);
    arena_init(&a);
    out = command_output(event.out, *event.out_total);
    err = command_output(event.err, *event.err_total);
    result = json_new(&a, JSON_OBJECT);
    command_set_end(&a, result, j, event.exit_code);
    json_set(&a, result, "timed_out", json_bool(&a, event.timed_out));
    command_set_stream(&a, result, "stdout", out, *event.out_total);
    command_set_stream(&a, result, "stderr", err, *event.err_total);
    rpc_structured(j->server, buf_bytes(&j->id), result, event.timed_out, notice_of(&a, j, &event, out, err));
    arena_release(&a);
}
