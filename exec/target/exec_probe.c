/* What an exec prefix can do: one command that tells where it is and which interpreters there are, run once
 * per target.
 *
 * This is also the target's first answer. A prefix without a shell may still run programs; it must then run
 * `true`. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "base/clock.h"
#include "exec/target/exec_internal.h"

enum { NS_PER_MS = 1000000, ANSWER_MAX = 65536, MAX_LINES = EXEC_LANGUAGES + 4 };

int exec_ask(struct session *s, bool prefixed, const char *const *words, int64_t ms, struct exec_answer *a,
             struct error **err)
{
    struct exec_state *x = s->driver_state;
    struct exec_command c = {0};
    *a = (struct exec_answer){0};
    buf_init(&a->out, ANSWER_MAX);
    buf_init(&a->err, ANSWER_MAX);
    if (prefixed) {
        exec_command_plain(s, words, &c);
    } else {
        strings_add_all(&c.argv, words);
        strings_add_all(&c.environment, (const char *const *)x->environment);
    }
    struct agent_command command = {.argv = (const char *const *)c.argv.items,
                                    .env = (const char *const *)c.environment.items,
                                    .cwd = c.cwd ? c.cwd : x->directory};
    struct job *j = job_start(s, &command, BYTES_NONE, ANSWER_MAX, err);
    exec_command_release(s, &c);
    if (!j)
        return ERR_TARGET;
    int64_t deadline = clock_monotonic_ns() + ms * NS_PER_MS;
    while (!(j->ended && !job_open(j)) && clock_monotonic_ns() < deadline)
        jobs_pump(s, deadline);
    buf_add(&a->out, buf_bytes(&j->out));
    buf_add(&a->err, buf_bytes(&j->err));
    a->exec_errno = j->process.exec_errno;
    a->ended = j->ended;
    a->status = j->status;
    if (!j->ended)
        agent_signal(s->agent, j->process.id, 9, true);
    jobs_forget(x, j);
    return 0;
}

void exec_answer_release(struct exec_answer *a)
{
    buf_release(&a->out);
    buf_release(&a->err);
}

bool exec_answer_good(const struct exec_answer *a)
{
    return a->ended && !a->exec_errno && WIFEXITED(a->status) && WEXITSTATUS(a->status) == 0;
}

/* One line each: the directory, the interpreters (empty: none), the network namespace, whether $1 can be gone
 * to. */
static char *probe_script(void)
{
    struct buf script;
    buf_init(&script, ANSWER_MAX);
    buf_add_string(&script, "pwd -P\nfind_it() { for p; do command -v \"$p\" && return; done; echo; }\n");
    for (int i = 0; i < EXEC_LANGUAGES; i++)
        buf_addf(&script, "find_it %s\n", exec_languages[i].candidates);
    buf_add_string(&script, "readlink /proc/self/ns/net || echo\n"
                            "cd -- \"$1\" 2>/dev/null && echo there || echo away\n"
                            "exit 0\n");
    char *text = xstrdup(buf_string(&script));
    buf_release(&script);
    return text;
}

static size_t split_lines(struct exec_answer *a, char *lines[MAX_LINES])
{
    size_t count = 0;
    buf_add_byte(&a->out, '\0');
    char *at = a->out.overflow ? NULL : (char *)a->out.data;
    for (char *line; count < MAX_LINES && (line = strsep(&at, "\n")) && at;)
        lines[count++] = line;
    return count;
}

/* Is the network in front of the prefix the one behind it? */
static bool same_network(struct session *s, const char *behind, int64_t ms)
{
    const struct exec_state *x = s->driver_state;
    struct exec_answer a;
    if (!x->words[0])
        return true;
    if (exec_ask(s, false, (const char *const[]){"readlink", "/proc/self/ns/net", NULL}, ms, &a, NULL) < 0)
        return false;
    buf_add_byte(&a.out, '\0');
    bool same = exec_answer_good(&a) && *behind && strncmp((char *)a.out.data, behind, strlen(behind)) == 0;
    exec_answer_release(&a);
    return same;
}

static bool read_lines(struct session *s, struct exec_answer *a, struct exec_shared *shared)
{
    char *lines[MAX_LINES];
    if (split_lines(a, lines) < EXEC_LANGUAGES + 3 || lines[0][0] != '/')
        return false;
    for (int i = 0; i < EXEC_LANGUAGES; i++)
        shared->programs[i] = *lines[1 + i] ? xstrdup(lines[1 + i]) : NULL;
    shared->begins_in_root = strcmp(lines[0], s->root) == 0;
    shared->sees_root = shared->begins_in_root || strcmp(lines[EXEC_LANGUAGES + 2], "there") == 0;
    shared->directory = shared->sees_root ? NULL : xstrdup(lines[0]);
    shared->shares_network = same_network(s, lines[EXEC_LANGUAGES + 1],
                                          settings_int(s->target->options.settings, "exec.probe-timeout"));
    return true;
}

/* Why the first answer was none. */
static int explain_failure(struct session *s, const struct exec_answer *a, struct error **err)
{
    const struct exec_state *x = s->driver_state;
    const char *first = x->words[0] ? x->words[0] : "sh";
    struct buf line;
    buf_init(&line, 300);
    for (size_t i = 0; i < a->err.len && !strchr("\r\n", a->err.data[i]) && line.len < 256; i++)
        buf_add_byte(&line, a->err.data[i] < 0x20 || a->err.data[i] == 0x7f ? '?' : a->err.data[i]);
    int status;
    if (a->exec_errno)
        status = error_set(err, ERR_TARGET, "cannot start '%s': %s", first, strerror(a->exec_errno));
    else if (!a->ended)
        status = error_set(err, ERR_TARGET, "'%s' did not run a first command in time", first);
    else if (line.len)
        status = error_set(err, ERR_TARGET, "'%s' does not run commands: %s", first, buf_string(&line));
    else
        status = error_set(err, ERR_TARGET,
                           "'%s' does not run commands: it ended with status %d and said nothing", first,
                           WIFEXITED(a->status) ? WEXITSTATUS(a->status) : 128 + WTERMSIG(a->status));
    buf_release(&line);
    return status;
}

int exec_probe(struct session *s, struct exec_shared **shared, struct error **err)
{
    struct exec_answer a, plain;
    int64_t ms = settings_int(s->target->options.settings, "exec.start-timeout");
    char *script = probe_script();
    int status = exec_ask(s, true, (const char *const[]){"sh", "-c", script, "sh", s->root, NULL}, ms, &a, err);
    free(script);
    if (status < 0) {
        exec_answer_release(&a);
        return status;
    }
    struct exec_shared *found = xcalloc(1, sizeof *found);
    if (!read_lines(s, &a, found)) {
        status = exec_ask(s, true, (const char *const[]){"true", NULL}, ms, &plain, err);
        if (status == 0 && !exec_answer_good(&plain))
            status = explain_failure(s, &a, err);
        exec_answer_release(&plain);
    }
    exec_answer_release(&a);
    if (status < 0)
        exec_shared_free(found);
    else
        *shared = found;
    return status;
}

void exec_shared_free(void *shared)
{
    struct exec_shared *x = shared;
    for (int i = 0; i < EXEC_LANGUAGES; i++)
        free(x->programs[i]);
    free(x->directory);
    free(x);
}
