/* Calls of the exec driver: run, start, poll, signal, wait, any number of them at once.
 *
 * A run is over when its process has ended and its pipes are closed, or a short while has passed in which
 * whoever else holds them could have let go. At its deadline its process group is killed, and what came so
 * far is its result. */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "base/clock.h"
#include "exec/target/exec_internal.h"

enum {
    NS_PER_MS = 1000000,
    LINGER_MS = 250,
    KILL_MS = 1000,
    SLICE_MS = 150,
    SHARED_SLICE_MS = 2, /* when something else goes on beside */
    DEFAULT_WAIT_MS = 5000,
    NOT_FOUND = 127,
    NOT_EXECUTABLE = 126,
    KILLED = 128 + SIGKILL
};

struct running {
    struct call *call;
    struct exec_command command;
    struct job *job; /* NULL: done */
    bool waits;      /* for a job of an earlier start; else it is a run's own */
    bool cancelled, timed_out;
    int64_t deadline, cancel_at, killed_at; /* monotonic ns; INT64_MAX: never */
};

static int64_t linger_ns(struct session *s)
{
    int64_t grace = settings_int(s->target->options.settings, "exec.grace");
    return (grace < LINGER_MS ? grace : LINGER_MS) * NS_PER_MS;
}

static size_t max_reply(struct session *s)
{
    return (size_t)settings_int(s->target->options.settings, "exec.max-reply");
}

/* --- results --- */

static void put_status(struct call *call, int status)
{
    struct outcome *o = &call->outcome;
    o->has_exit = true;
    o->signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
    o->exit = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
    call_put_integer(call, "exit", o->exit);
}

static void put_output(struct call *call, const struct job *j, bool with_err)
{
    struct outcome *o = &call->outcome;
    call_put_bytes(call, "stdout", buf_bytes(&j->out));
    o->raw = json_as_text(json_get(o->result, "stdout"));
    if (with_err)
        call_put_bytes(call, "stderr", buf_bytes(&j->err));
    o->truncated = j->out_cut || (with_err && j->err_cut);
    o->bytes_out = j->received;
}

static uint64_t command_size(const struct session *s, const struct exec_command *c)
{
    const struct exec_state *x = s->commands;
    size_t skip = 0;
    uint64_t size = 0;
    while (x->words[skip])
        skip++;
    for (size_t i = skip; i < c->argv.count; i++)
        size += strlen(c->argv.items[i]) + 1;
    return size;
}

/* For who wants to run it again. What stands in a file of ours, or in a directory with a name of its own, is not to be had again. */
static void note_program(struct session *s, const struct exec_command *c, bool stays)
{
    const struct exec_state *x = s->commands;
    size_t prefix = 0;
    struct strings own = {0};
    if (c->script_file || x->made || !(x->shared->begins_in_root || x->shared->sees_root)) {
        wire_log_spoil(&s->wire);
        return;
    }
    while (x->words[prefix])
        prefix++;
    for (size_t i = 0; i < c->environment.count; i++) {
        size_t k = 0;
        while (x->environment[k] && strcmp(x->environment[k], c->environment.items[i]) != 0)
            k++;
        if (!x->environment[k])
            strings_add(&own, c->environment.items[i]);
    }
    static const char *const none[] = {NULL};
    wire_log_program(&s->wire, &(struct wire_program){.words = (const char *const *)c->argv.items + prefix,
                                                      .env = own.count ? (const char *const *)own.items : none,
                                                      .in = c->cwd,
                                                      .input = c->input,
                                                      .stays = stays});
    strings_release(&own);
}

/* Starts the command; false, with the outcome set, when it did not come to run. */
static bool begin_job(struct session *s, struct call *call, struct exec_command *c, struct job **job)
{
    struct agent_command command = {.argv = (const char *const *)c->argv.items,
                                    .env = (const char *const *)c->environment.items,
                                    .cwd = c->cwd,
                                    .with_stdin = c->input.len > 0};
    struct error *err = NULL;
    *job = NULL;
    if (!c->argv.count) {
        call_skip(call, "argv: no program");
        return false;
    }
    note_program(s, c, strcmp(call->op->name, "start") == 0);
    struct job *j = job_start(s, &command, c->input, max_reply(s), &err);
    if (!j) {
        call_fail(call, OUTCOME_HARNESS, 0, "%s", err->text);
        error_free(err);
        return false;
    }
    call->outcome.bytes_in = command_size(s, c);
    int failed = j->process.exec_errno;
    if (!failed) {
        *job = j;
        return true;
    }
    jobs_forget(s->commands, j);
    call->outcome.replies = 1;
    call_fail(call, OUTCOME_TOOL_ERROR, failed, "cannot execute '%.200s': %s", c->argv.items[0],
              strerror(failed));
    call->outcome.has_exit = true;
    call->outcome.exit = failed == ENOENT ? NOT_FOUND : NOT_EXECUTABLE;
    call_put_integer(call, "exit", call->outcome.exit);
    return false;
}

/* --- ops: each begins; those that take time leave r->job --- */

static void begin_run(struct session *s, struct running *r)
{
    if (!exec_command_make(s, r->call, &r->command))
        return;
    begin_job(s, r->call, &r->command, &r->job);
}

static void begin_start(struct session *s, struct running *r)
{
    struct job *j;
    if (!exec_command_make(s, r->call, &r->command) || !begin_job(s, r->call, &r->command, &j))
        return;
    j->input = BYTES_NONE; /* start has none; a long script may have been meant for it */
    r->call->outcome.class = OUTCOME_OK;
    r->call->outcome.replies = 1;
    call_put_integer(r->call, "pid", j->process.pid);
    /* Its script's file must stay as long as it may be read: to the end of the session. */
    free(r->command.script_file);
    r->command.script_file = NULL;
}

/* The job that `pid` names; NULL, with the outcome set, when there is none. */
static struct job *named_job(struct session *s, struct call *call)
{
    int64_t pid = 0;
    struct job *j = call_integer(call, "pid", &pid, NULL) ? jobs_find(s->commands, pid) : NULL;
    if (!j) {
        call->outcome.replies = 1;
        call_fail(call, OUTCOME_TOOL_ERROR, ESRCH, "no such job");
    }
    return j;
}

static void begin_poll(struct session *s, struct running *r)
{
    struct job *j = named_job(s, r->call);
    if (!j)
        return;
    jobs_pump(s, 0);
    r->call->outcome.class = OUTCOME_OK;
    r->call->outcome.replies = 1;
    json_set(r->call->arena, call_result(r->call), "running", json_bool(r->call->arena, !j->ended));
    if (j->ended)
        put_status(r->call, j->status);
    put_output(r->call, j, false);
}

static void begin_wait(struct session *s, struct running *r)
{
    int64_t ms = DEFAULT_WAIT_MS;
    r->job = named_job(s, r->call);
    r->waits = true;
    call_integer(r->call, "ms", &ms, NULL);
    if (ms >= 0 && ms < r->call->timeout_ms)
        r->deadline = r->call->outcome.start_ns + ms * NS_PER_MS;
}

static void begin_signal(struct session *s, struct running *r)
{
    static const struct {
        const char *name;
        int number;
    } signals[] = {{"TERM", SIGTERM}, {"KILL", SIGKILL}, {"INT", SIGINT},  {"HUP", SIGHUP},
                   {"STOP", SIGSTOP}, {"CONT", SIGCONT}, {"USR1", SIGUSR1}};
    struct bytes name = BYTES_LITERAL("TERM");
    int number = 0;
    call_bytes(r->call, "signal", &name);
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
        if (bytes_equal_string(name, signals[i].name))
            number = signals[i].number;
    if (!number) {
        call_skip(r->call, "signal: not one that we send");
        return;
    }
    struct job *j = named_job(s, r->call);
    if (!j)
        return;
    jobs_pump(s, 0);
    r->call->outcome.replies = 1;
    if (j->ended) {
        call_fail(r->call, OUTCOME_TOOL_ERROR, ESRCH, "the job has ended");
        return;
    }
    agent_signal(s->agent, j->process.id, number, true);
    r->call->outcome.class = OUTCOME_OK;
}

static const struct {
    const char *op;
    void (*begin)(struct session *s, struct running *r);
} ops[] = {{"run", begin_run},
           {"start", begin_start},
           {"poll", begin_poll},
           {"wait", begin_wait},
           {"signal", begin_signal}};

/* --- what takes time --- */

static void end_call(struct session *s, struct running *r)
{
    r->call->outcome.ns = clock_monotonic_ns() - r->call->outcome.start_ns;
    if (!r->waits && r->job) {
        r->call->outcome.bytes_in += r->job->input_at;
        r->job->input = BYTES_NONE; /* it lives in the call's arena */
        r->job->input_at = 0;
        r->job->discard = true;
        buf_release(&r->job->out);
        buf_release(&r->job->err);
    }
    r->job = NULL;
}

static void finish_run(struct session *s, struct running *r)
{
    struct call *call = r->call;
    put_output(call, r->job, true);
    const char *stopped = session_stop_reason(s);
    if (stopped) {
        call_fail(call, OUTCOME_HARNESS, 0, "%s", stopped);
    } else if (!agent_alive(s->agent)) {
        call_fail(call, OUTCOME_HARNESS, 0, "the session's agent is gone");
    } else if (r->timed_out) {
        call_fail(call, OUTCOME_TIMEOUT, 0, "no end within %lld ms", (long long)call->timeout_ms);
    } else {
        put_status(call, r->job->status);
        call->outcome.class = OUTCOME_OK;
        call->outcome.replies = 1;
        if (r->cancelled)
            call->outcome.message = bytes_of_string(
                arena_printf(call->arena, "cancelled after %lld ms", (long long)call->cancel_after_ms));
        else if (call->outcome.exit == KILLED && agent_oom_killed(s->agent))
            call->outcome.message = BYTES_LITERAL("killed when budget.memory was used up");
    }
    end_call(s, r);
}

static void finish_wait(struct session *s, struct running *r)
{
    struct call *call = r->call;
    put_output(call, r->job, false);
    call->outcome.replies = 1;
    const char *stopped = session_stop_reason(s);
    if (stopped) {
        call_fail(call, OUTCOME_HARNESS, 0, "%s", stopped);
    } else if (!agent_alive(s->agent)) {
        call_fail(call, OUTCOME_HARNESS, 0, "the session's agent is gone");
    } else if (r->job->ended) {
        put_status(call, r->job->status);
        call->outcome.class = OUTCOME_OK;
    } else {
        call_fail(call, OUTCOME_TOOL_ERROR, ETIMEDOUT, "still running");
    }
    end_call(s, r);
}

static void kill_job(struct session *s, struct running *r, int64_t now)
{
    agent_signal(s->agent, r->job->process.id, SIGKILL, true);
    r->killed_at = now;
}

static int64_t earlier(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/* These look at one that takes time, and give the next moment at which it must be looked at again. */

static int64_t step_wait(struct session *s, struct running *r, bool over)
{
    int64_t until = earlier(r->deadline, r->cancel_at);
    if (!over && clock_monotonic_ns() < until)
        return until;
    finish_wait(s, r);
    return INT64_MAX;
}

static int64_t step_run(struct session *s, struct running *r, bool over)
{
    int64_t now = clock_monotonic_ns();
    if (over || (r->timed_out && now >= r->killed_at + (int64_t)KILL_MS * NS_PER_MS)) {
        finish_run(s, r);
        return INT64_MAX;
    }
    if (!r->timed_out && now >= r->deadline) {
        r->timed_out = true;
        kill_job(s, r, now);
    } else if (!r->cancelled && now >= r->cancel_at && !r->job->ended) {
        r->cancelled = true;
        kill_job(s, r, now);
    }
    int64_t next = r->timed_out ? r->killed_at + (int64_t)KILL_MS * NS_PER_MS : r->deadline;
    return r->cancelled || r->job->ended ? next : earlier(next, r->cancel_at);
}

static int64_t step(struct session *s, struct running *r, int64_t linger)
{
    const struct job *j = r->job;
    int64_t now = clock_monotonic_ns(), let_go = j->ended ? j->ended_ns + linger : INT64_MAX;
    bool over = j->ended && (!job_open(j) || now >= earlier(let_go, r->deadline));
    return earlier(r->waits ? step_wait(s, r, over) : step_run(s, r, over), over ? INT64_MAX : let_go);
}

static void begin(struct session *s, struct running *r)
{
    int64_t start = r->call->outcome.start_ns;
    r->deadline = start + r->call->timeout_ms * NS_PER_MS;
    r->cancel_at = r->call->cancel_after_ms >= 0 ? start + r->call->cancel_after_ms * NS_PER_MS : INT64_MAX;
    for (size_t i = 0; i < sizeof ops / sizeof *ops; i++) {
        if (strcmp(ops[i].op, r->call->op->name) == 0) {
            ops[i].begin(s, r);
            return;
        }
    }
    call_skip(r->call, r->call->op->needs);
}

/* Ends what takes time, in the middle. */
static void interrupt(struct session *s, struct running *all, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (all[i].job && all[i].waits) {
            finish_wait(s, &all[i]);
        } else if (all[i].job) {
            kill_job(s, &all[i], clock_monotonic_ns());
            finish_run(s, &all[i]);
        }
    }
}

static bool is_busy(const struct exec_beside *beside)
{
    return beside && beside->busy(beside->context);
}

void exec_calls_beside(struct session *s, struct call *const *calls, size_t count, const struct exec_beside *beside)
{
    struct running *all = xcalloc(count, sizeof *all);
    int64_t linger = linger_ns(s);
    for (size_t i = 0; i < count; i++) {
        all[i].call = calls[i];
        begin(s, &all[i]);
        if (!all[i].job)
            call_end(calls[i]);
    }
    for (;;) {
        int64_t next = INT64_MAX;
        bool busy = false;
        for (size_t i = 0; i < count; i++) {
            if (!all[i].job)
                continue;
            int64_t at = step(s, &all[i], linger);
            busy |= all[i].job != NULL;
            next = at < next ? at : next;
        }
        if (!busy)
            break;
        if (session_stopping(s)) {
            interrupt(s, all, count);
            break;
        }
        bool shared = is_busy(beside);
        int64_t slice = clock_monotonic_ns() + (int64_t)(shared ? SHARED_SLICE_MS : SLICE_MS) * NS_PER_MS;
        jobs_pump(s, next < slice ? next : slice);
        if (shared)
            beside->turn(beside->context);
    }
    for (size_t i = 0; i < count; i++)
        exec_command_release(s, &all[i].command);
    jobs_trim(s->commands);
    free(all);
}

void exec_calls(struct session *s, struct call *const *calls, size_t count)
{
    exec_calls_beside(s, calls, count, NULL);
}
