/* Lowered background jobs: start, poll, signal, wait, through a shell that keeps nothing between calls.
 *
 * A job is a shell that leads a session of its own, runs the program with its output in a file, and writes
 * down its exit status; both files are in a directory that has the shell's process id in its name. So the id
 * is all that poll, signal and wait need. Signals go to the group; the shell itself does nothing about those
 * it can, and lives on to write. */
#include "exec/target/lower_internal.h"

#include <errno.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { SCRIPT_SPACE = 256 * 1024, TICK_MS = 100, DEFAULT_WAIT_MS = 5000, MAX_PID = 1 << 22 };

/* Sets $j to where job directories are: the usual place, or, where nobody may write there, one that stands in
 * %s. */
#define JOBS "j=${TMPDIR:-/tmp}; [ -w \"$j\" ] || j=%s; "

/* Prints how the job in $d stands in the first line, then its output. Whether it lives is asked first: a
 * status that is written in between is then seen. */
static const char report[] = "r=; kill -0 $p 2>/dev/null && r=1; "
                             "if [ -s \"$d/exit\" ]; then echo \"exit $(cat \"$d/exit\")\"; "
                             "elif [ \"$r\" ]; then echo running; else echo 'exit 137'; fi; "
                             "cat \"$d/out\" 2>/dev/null; exit 0";

/* --- start --- */

static void add_words(struct buf *script, const struct json *argv)
{
    for (const struct json *word = argv->first; word; word = word->next) {
        buf_add_byte(script, ' ');
        lower_add_quoted(script, word->text);
    }
}

static bool words_good(const struct json *argv)
{
    if (!json_is(argv, JSON_ARRAY) || !argv->first)
        return false;
    for (const struct json *word = argv->first; word; word = word->next)
        if (word->kind != JSON_STRING || (word->text.len && memchr(word->text.data, '\0', word->text.len)))
            return false;
    return true;
}

static const struct {
    const char *language, *words; /* before the script */
} interpreters[] = {
    {"sh", " sh -c "},
    {"bash", " bash -c "},
    {"python", " \"$(command -v /usr/bin/python3 || command -v python3)\" -c "},
    {"node", " node -e "},
};

/* The program's words; false, with the call skipped, when there are none to be had. */
static bool add_program(struct lowered *l, struct buf *script)
{
    const struct json *argv = json_get(l->call->args, "argv");
    struct bytes language, text;
    if (argv) {
        if (words_good(argv))
            add_words(script, argv);
        else
            call_skip(l->call, "argv: a command needs words without NUL");
        return words_good(argv);
    }
    if (!lower_text(l, "language", &language) || !lower_text(l, "script", &text))
        return false;
    for (size_t i = 0; i < sizeof interpreters / sizeof *interpreters; i++) {
        if (!bytes_equal_string(language, interpreters[i].language))
            continue;
        buf_add_string(script, interpreters[i].words);
        lower_add_quoted(script, text);
        return true;
    }
    call_skip(l->call, "language: not one that can be started in the background here");
    return false;
}

static bool add_variables(struct lowered *l, struct buf *script)
{
    const struct json *env = json_get(l->call->args, "env");
    for (const struct json *v = env ? env->first : NULL; v; v = v->next) {
        bool nul = (v->text.len && memchr(v->text.data, '\0', v->text.len)) ||
                   (v->key.len && memchr(v->key.data, '\0', v->key.len));
        if (v->kind != JSON_STRING || nul || !v->key.len || memchr(v->key.data, '=', v->key.len)) {
            call_skip(l->call, "env: no variable that a command can be given");
            return false;
        }
        buf_add_string(script, v == env->first ? " env " : " ");
        lower_add_quoted(script, v->key);
        buf_add_byte(script, '=');
        lower_add_quoted(script, v->text);
    }
    return true;
}

/* The job's own script runs "$@"; $0 is the root. It tells its process id when its directory is there, and
 * then lets go of the pipe, for which the shell in front of it waits. */
void lower_add_job(struct lowered *l, struct buf *script, struct bytes program)
{
    buf_addf(script,
             "p=$($(command -v setsid) sh -c 'trap : TERM INT HUP USR1; " JOBS "d=$j/taskgen-job.$$; "
             "mkdir -p -- \"$d\" || exit 1; echo $$; exec >/dev/null 2>&1 </dev/null; "
             "\"$@\" >\"$d/out\" 2>&1; echo $? >\"$d/exit\"' ",
             "$0");
    lower_add_quoted(script, session_spell(l->s, BYTES_NONE, "absolute", l->a));
    buf_add(script, program);
    buf_add_string(script, " &); [ \"$p\" ] && echo \"$p\"");
}

static void start_begin(struct lowered *l)
{
    struct buf script, program;
    struct bytes cwd;
    buf_init(&script, SCRIPT_SPACE);
    buf_init(&program, SCRIPT_SPACE);
    bool good = true;
    if (json_get(l->call->args, "cwd") && (good = lower_text(l, "cwd", &cwd)) && cwd.len) {
        lower_add_enter(&script, session_spell(l->s, cwd, "absolute", l->a));
    }
    good = good && add_variables(l, &program) && add_program(l, &program);
    if (good) {
        lower_add_job(l, &script, buf_bytes(&program));
        script.overflow |= program.overflow;
        lower_shell(l, &script, NULL);
    }
    buf_release(&program);
    buf_release(&script);
}

static void start_reply(struct lowered *l, const struct lower_answer *answer)
{
    char text[32] = "", *end;
    memcpy(text, answer->out.data ? (const char *)answer->out.data : "",
           answer->out.len < 31 ? answer->out.len : 31);
    long pid = strtol(text, &end, 10);
    if (answer->exit != 0 || end == text || pid < 2) {
        lower_fail(l, answer);
        return;
    }
    lower_done(l);
    call_put_integer(l->call, "pid", pid);
}

/* --- poll, signal, wait --- */

/* "p=PID; d=DIRECTORY;" and an end of it when there is no such job: nothing else may be signalled. */
static bool add_job(struct lowered *l, struct buf *script)
{
    int64_t pid = 0;
    struct buf quoted;
    if (!lower_number(l, "pid", 2, MAX_PID, &pid))
        return false;
    if (!pid) {
        call_skip(l->call, "pid: a command needs it");
        return false;
    }
    buf_init(&quoted, SCRIPT_SPACE);
    lower_add_quoted(&quoted, session_spell(l->s, BYTES_NONE, "absolute", l->a));
    buf_addf(script,
             JOBS "p=%lld; d=$j/taskgen-job.$p; [ -d \"$d\" ] || { echo 'no such job' >&2; exit 1; }; ",
             buf_string(&quoted), (long long)pid);
    buf_release(&quoted);
    return true;
}

static void poll_begin(struct lowered *l)
{
    struct buf script;
    buf_init(&script, SCRIPT_SPACE);
    if (add_job(l, &script)) {
        buf_add_string(&script, report);
        lower_shell(l, &script, NULL);
    }
    buf_release(&script);
}

static void wait_begin(struct lowered *l)
{
    struct buf script;
    int64_t ms = DEFAULT_WAIT_MS;
    buf_init(&script, SCRIPT_SPACE);
    if (lower_number(l, "ms", 0, INT32_MAX, &ms) && add_job(l, &script)) {
        buf_addf(
            &script,
            "i=0; while [ $i -lt %lld ] && [ ! -s \"$d/exit\" ] && kill -0 $p 2>/dev/null; do sleep 0.1; "
            "i=$((i + 1)); done; ",
            (long long)(ms / TICK_MS));
        buf_add_string(&script, report);
        lower_shell(l, &script, NULL);
    }
    buf_release(&script);
}

static void signal_begin(struct lowered *l)
{
    struct buf script;
    struct bytes name = BYTES_LITERAL("TERM");
    static const char *const names[] = {"TERM", "KILL", "INT", "HUP", "STOP", "CONT", "USR1"};
    bool known = false;
    call_bytes(l->call, "signal", &name);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        known |= bytes_equal_string(name, names[i]);
    if (!known) {
        call_skip(l->call, "signal: not one that we send");
        return;
    }
    buf_init(&script, SCRIPT_SPACE);
    if (add_job(l, &script)) {
        buf_addf(&script, "kill -s %.*s -- -$p 2>/dev/null || kill -s %.*s $p", BYTES_ARG(name),
                 BYTES_ARG(name));
        lower_shell(l, &script, NULL);
    }
    buf_release(&script);
}

/* First line "running" or "exit N", then the output. */
static void status_reply(struct lowered *l, const struct lower_answer *answer)
{
    ptrdiff_t newline = bytes_find(answer->out, BYTES_LITERAL("\n"), 0);
    struct bytes line = newline < 0 ? BYTES_NONE : bytes_slice(answer->out, 0, (size_t)newline);
    bool running = bytes_equal_string(line, "running"), polled = strcmp(l->row->op, "poll") == 0;
    if (answer->exit != 0 || (!running && !bytes_starts(line, BYTES_LITERAL("exit ")))) {
        lower_fail(l, answer);
        return;
    }
    if (running && !polled)
        call_fail(l->call, OUTCOME_TOOL_ERROR, ETIMEDOUT, "still running");
    else
        lower_done(l);
    if (polled)
        json_set(l->a, call_result(l->call), "running", json_bool(l->a, running));
    if (!running)
        call_put_integer(l->call, "exit", strtol((const char *)line.data + strlen("exit "), NULL, 10));
    call_put_bytes(l->call, "stdout", bytes_slice(answer->out, (size_t)newline + 1, answer->out.len));
}

const struct lower_row lower_job_rows[] = {
    {.op = "start", .need = "run:sh", .begin = start_begin, .reply = start_reply},
    {.op = "poll", .need = "run:sh", .begin = poll_begin, .reply = status_reply},
    {.op = "wait", .need = "run:sh", .begin = wait_begin, .reply = status_reply},
    {.op = "signal", .need = "run:sh", .begin = signal_begin},
    {0},
};
