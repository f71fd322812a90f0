/* What an exec prefix can do: one command that tells where it is and which interpreters there are, run once
 * per target.
 *
 * This is also the target's first answer. A prefix without a shell may still run programs; it must then run
 * `true`. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "base/clock.h"
#include "exec/target/exec_internal.h"

enum {
    NS_PER_MS = 1000000,
    ANSWER_MAX = 65536,
    SAID_MAX = 256,
    /* What the probe says, a line each: the directory, the interpreters, then these. */
    LINE_PROGRAMS = 1,
    LINE_NAMESPACES = LINE_PROGRAMS + EXEC_LANGUAGES,
    LINE_ROOT = LINE_NAMESPACES + EXEC_NAMESPACES,
    LINE_ENVIRONMENT,
    LINE_WORD,
    LINES
};

/* A word that only arrives as it is when nobody splits or expands it on the way. */
static const char whole[] = "it's  \"$0\" *";

const struct exec_namespace exec_namespaces[EXEC_NAMESPACES] = {
    {"net", "network"}, {"mnt", "mounts"},   {"pid", "processes"},  {"ipc", "IPC"},
    {"uts", "host name"}, {"user", "users"}, {"cgroup", "control groups"},
};

int exec_ask(struct session *s, bool prefixed, const char *const *words, int64_t ms, struct exec_answer *a,
             struct error **err)
{
    struct exec_state *x = s->commands;
    struct exec_command c = {0};
    *a = (struct exec_answer){0};
    buf_init(&a->out, ANSWER_MAX);
    buf_init(&a->err, ANSWER_MAX);
    if (prefixed) {
        exec_command_plain(s, words, &c);
        strings_add(&c.environment, EXEC_ASKS "=1");
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

char *exec_answer_said(const struct exec_answer *a)
{
    struct buf line;
    buf_init(&line, SAID_MAX + 1);
    for (size_t i = 0; i < a->err.len && !strchr("\r\n", a->err.data[i]) && line.len < SAID_MAX; i++)
        buf_add_byte(&line, a->err.data[i] < 0x20 || a->err.data[i] == 0x7f ? '?' : a->err.data[i]);
    char *said = xstrdup(buf_string(&line));
    buf_release(&line);
    return said;
}

/* $1 is the root, $2 the word to be handed back. Nothing here needs /dev or /proc, which a root file system may lack. */
static char *probe_script(void)
{
    struct buf script;
    buf_init(&script, ANSWER_MAX);
    buf_add_string(&script, "pwd -P\nfind_it() { for p; do command -v \"$p\" && return; done; echo; }\n");
    for (int i = 0; i < EXEC_LANGUAGES; i++)
        buf_addf(&script, "find_it %s\n", exec_languages[i].candidates);
    for (int i = 0; i < EXEC_NAMESPACES; i++)
        buf_addf(&script, "readlink /proc/self/ns/%s || echo\n", exec_namespaces[i].file);
    buf_add_string(&script, "if [ -x \"$1\" ] && cd -- \"$1\"; then echo there; else echo away; fi\n"
                            "echo \"$" EXEC_ASKS "\"\n"
                            "printf '%s\\n' \"$2\"\n"
                            "exit 0\n");
    char *text = xstrdup(buf_string(&script));
    buf_release(&script);
    return text;
}

static size_t split_lines(struct exec_answer *a, char **lines, size_t max)
{
    size_t count = 0;
    buf_add_byte(&a->out, '\0');
    char *at = a->out.overflow ? NULL : (char *)a->out.data;
    for (char *line; count < max && (line = strsep(&at, "\n")) && at;)
        lines[count++] = line;
    return count;
}

/* Which namespaces behind the prefix are those in front of it? */
static void compare_namespaces(struct session *s, char *const *behind, struct exec_shared *shared)
{
    const struct exec_state *x = s->commands;
    char files[EXEC_NAMESPACES][32], *before[EXEC_NAMESPACES] = {0};
    const char *words[EXEC_NAMESPACES + 2] = {"readlink"};
    struct exec_answer a;
    shared->shares_network = !x->words[0];
    if (!x->words[0])
        return;
    for (int i = 0; i < EXEC_NAMESPACES; i++) {
        snprintf(files[i], sizeof files[i], "/proc/self/ns/%s", exec_namespaces[i].file);
        words[i + 1] = files[i];
    }
    int64_t ms = settings_int(s->target->options.settings, "exec.probe-timeout");
    if (exec_ask(s, false, words, ms, &a, NULL) == 0 && exec_answer_good(&a) &&
        split_lines(&a, before, EXEC_NAMESPACES) == EXEC_NAMESPACES) {
        /* On another machine the numbers mean nothing. */
        shared->knows_namespaces = *behind[EXEC_NET] && !s->target->beyond;
        shared->shares_network = strcmp(before[EXEC_NET], behind[EXEC_NET]) == 0;
        for (int i = 0; i < EXEC_NAMESPACES; i++)
            if (*behind[i] && strcmp(before[i], behind[i]) != 0)
                shared->namespaces |= 1u << i;
    }
    exec_answer_release(&a);
}

/* Makes sense of the probe's answer; false when it is none. */
static bool read_lines(struct session *s, struct exec_answer *a, bool *arrived, struct exec_shared *shared)
{
    const struct exec_state *x = s->commands;
    char *lines[LINES] = {0};
    size_t count = split_lines(a, lines, LINES);
    if (count < LINE_WORD || lines[0][0] != '/')
        return false;
    for (int i = 0; i < EXEC_LANGUAGES; i++)
        shared->programs[i] = *lines[LINE_PROGRAMS + i] ? xstrdup(lines[LINE_PROGRAMS + i]) : NULL;
    shared->begins_in_root = strcmp(lines[0], s->root) == 0;
    shared->sees_root = shared->begins_in_root || strcmp(lines[LINE_ROOT], "there") == 0;
    shared->directory = shared->sees_root ? NULL : xstrdup(lines[0]);
    shared->drops_environment = strcmp(lines[LINE_ENVIRONMENT], "1") != 0;
    shared->joins = x->joins;
    shared->said = exec_answer_said(a);
    if (!*shared->said) {
        free(shared->said);
        shared->said = NULL;
    }
    compare_namespaces(s, lines + LINE_NAMESPACES, shared);
    *arrived = count == LINES && strcmp(lines[LINE_WORD], whole) == 0;
    return true;
}

/* Why the first answer was none. */
static int explain_failure(struct session *s, const struct exec_answer *a, struct error **err)
{
    const struct exec_state *x = s->commands;
    const char *first = x->words[0] ? x->words[0] : "sh";
    const char *advice = s->boxed && x->words[0] ? " (in the box; --no-box leaves it out)" : "";
    char *said = exec_answer_said(a);
    int status;
    if (a->exec_errno)
        status = error_set(err, ERR_TARGET, "cannot start '%s': %s", first, strerror(a->exec_errno));
    else if (!a->ended)
        status = error_set(err, ERR_TARGET, "'%s' did not run a first command within %lld ms%s%s%s", first,
                           (long long)settings_int(s->target->options.settings, "exec.start-timeout"),
                           *said ? "; it said: " : "", said, advice);
    else if (*said)
        status = error_set(err, ERR_TARGET, "'%s' does not run commands: %s%s", first, said, advice);
    else
        status = error_set(err, ERR_TARGET, "'%s' does not run commands: it ended with status %d and said nothing%s",
                           first, WIFEXITED(a->status) ? WEXITSTATUS(a->status) : 128 + WTERMSIG(a->status), advice);
    free(said);
    return status;
}

enum { PLAIN, JOINED, WAYS };

/* Asks in one way; *found is what is known then, NULL when that is nothing. */
static int probe_way(struct session *s, bool joined, struct exec_answer *a, bool *arrived, struct exec_shared **found,
                     struct error **err)
{
    struct exec_state *x = s->commands;
    struct exec_shared *shared = xcalloc(1, sizeof *shared);
    char *script = probe_script();
    *arrived = false;
    x->joins = joined;
    int status = exec_ask(s, true, (const char *const[]){"sh", "-c", script, "sh", s->root, whole, NULL},
                          settings_int(s->target->options.settings, "exec.start-timeout"), a, err);
    free(script);
    if (status == 0 && read_lines(s, a, arrived, shared)) {
        *found = shared;
        return 0;
    }
    exec_shared_free(shared);
    return status;
}

/* Plain words first. Where they do not arrive as they are, they may be split again behind the prefix (by a shell at the other
 * end of a connection, by `sh -c`): then all of them travel as one, quoted. A prefix that changes them either way is tested
 * for just that. */
static int probe_ways(struct session *s, struct exec_answer answers[WAYS], struct exec_shared **best, struct error **err)
{
    struct exec_state *x = s->commands;
    struct exec_shared *found[WAYS] = {0};
    bool arrived[WAYS] = {0};
    int first = s->target->joins ? JOINED : PLAIN, chosen = -1;
    int status = probe_way(s, first == JOINED, &answers[first], &arrived[first], &found[first], err);
    bool other = status == 0 && first == PLAIN && !arrived[PLAIN] && x->words[0] && answers[PLAIN].ended &&
                 !answers[PLAIN].exec_errno;
    if (other)
        status = probe_way(s, true, &answers[JOINED], &arrived[JOINED], &found[JOINED], err);
    if (status == 0)
        chosen = arrived[JOINED] ? JOINED : found[first] ? first : -1;
    for (int i = 0; i < WAYS; i++)
        if (found[i] && i != chosen)
            exec_shared_free(found[i]);
    *best = chosen >= 0 ? found[chosen] : NULL;
    x->joins = *best ? (*best)->joins : s->target->joins;
    return status;
}

int exec_probe(struct session *s, struct exec_shared **shared, struct error **err)
{
    struct exec_answer answers[WAYS] = {0}, plain;
    struct exec_state *x = s->commands;
    int64_t ms = settings_int(s->target->options.settings, "exec.start-timeout");
    int status = probe_ways(s, answers, shared, err);
    const struct exec_answer *first = &answers[s->target->joins ? JOINED : PLAIN];
    if (status == 0 && !*shared && (first->exec_errno || !first->ended)) {
        status = explain_failure(s, first, err);
    } else if (status == 0 && !*shared) {
        status = exec_ask(s, true, (const char *const[]){"true", NULL}, ms, &plain, err);
        if (status == 0 && !exec_answer_good(&plain)) {
            status = explain_failure(s, first, err);
        } else if (status == 0) {
            *shared = xcalloc(1, sizeof **shared);
            (*shared)->joins = (*shared)->drops_environment = x->joins;
        }
        exec_answer_release(&plain);
    }
    for (int i = 0; i < WAYS; i++)
        exec_answer_release(&answers[i]);
    return status;
}

void exec_shared_free(void *shared)
{
    struct exec_shared *x = shared;
    for (int i = 0; i < EXEC_LANGUAGES; i++)
        free(x->programs[i]);
    free(x->directory);
    free(x->said);
    free(x);
}
