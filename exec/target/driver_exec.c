/* The exec driver: a command that runs a command, one process a call.
 *
 * A target "exec:bwrap …" runs "bwrap … COMMAND". Of all ops it has only run, start, poll, signal and wait of
 * its own; the rest is lowered to commands. Files are named relative to the root, which is where commands
 * begin. What the prefix can do is found out by the first session of a target and kept in driver_shared. */
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "exec/target/exec_internal.h"
#include "exec/target/lower.h"

/* What the first session found out; later ones only look it up. */
static int share(struct session *s, struct error **err)
{
    struct exec_state *x = s->commands;
    struct exec_shared *found = NULL;
    target_lock(s->target);
    x->shared = s->target->driver_shared;
    target_unlock(s->target);
    if (x->shared) {
        x->joins = x->shared->joins;
        return 0;
    }
    TRY(exec_probe(s, &found, err));
    target_lock(s->target);
    if (!s->target->driver_shared) {
        s->target->driver_shared = found;
        s->target->free_shared = exec_shared_free;
        found = NULL;
    }
    x->shared = s->target->driver_shared;
    target_unlock(s->target);
    x->joins = x->shared->joins;
    if (found) /* another session was faster */
        exec_shared_free(found);
    return 0;
}

static void name_target(struct session *s)
{
    const struct exec_state *x = s->commands;
    struct buf languages;
    buf_init(&languages, 256);
    for (int i = 0; i < EXEC_LANGUAGES; i++)
        if (x->shared->programs[i])
            buf_addf(&languages, "%s%s", languages.len ? ", " : "", exec_languages[i].name);
    const char *first = x->words[0] ? x->words[0] : s->boxed ? "in our box" : "on this machine";
    const char *slash = x->words[0] ? strrchr(first, '/') : NULL;
    target_set_identity(s->target, "exec %.100s (%s)", slash ? slash + 1 : first,
                        languages.len ? buf_string(&languages) : "programs only");
    buf_release(&languages);
}

/* Good order: programs that still run are asked to end, as whoever started them would, and have exec.grace
 * for it. What escapes that is the sandbox's to answer for. */
static void end_jobs(struct session *s)
{
    struct exec_state *x = s->commands;
    int64_t deadline = clock_monotonic_ns() +
                       settings_int(s->target->options.settings, "exec.grace") * 1000000;
    for (struct job *j = x->jobs; j; j = j->next) {
        j->discard = true;
        if (!j->ended)
            agent_signal(s->agent, j->process.id, SIGTERM, true);
    }
    for (bool running = true; running && clock_monotonic_ns() < deadline;) {
        running = false;
        for (struct job *j = x->jobs; j; j = j->next)
            running = running || !j->ended;
        if (running)
            jobs_pump(s, deadline);
    }
}

void exec_end(struct session *s)
{
    struct exec_state *x = s->commands;
    if (x->jobs)
        end_jobs(s);
    exec_root_remove(s);
    while (x->jobs)
        jobs_forget(x, x->jobs);
    strings_free(x->words);
    strings_free(x->environment);
    free(x->directory);
    free(x->chunk);
    free(x);
    s->commands = NULL;
}

int exec_begin(struct session *s, char **words, struct error **err)
{
    struct exec_state *x = xcalloc(1, sizeof *x);
    s->commands = x;
    x->words = words;
    x->environment = session_environment(s);
    x->directory = session_directory(s);
    s->wire.root = s->root;
    x->joins = s->target->joins;
    x->chunk = xmalloc(EXEC_CHUNK);
    int status = share(s, err);
    if (status == 0)
        status = exec_root_make(s, err);
    if (status < 0)
        exec_end(s);
    return status;
}

static int exec_open(struct session *s, struct error **err)
{
    TRY(exec_begin(s, session_words(s), err));
    name_target(s);
    return 0;
}

enum support exec_supports(struct session *s, const char *need)
{
    static const char *const ops[] = {"run", "start", "poll", "signal", "wait", "run:bytes"};
    const struct exec_state *x = s->commands;
    for (size_t i = 0; i < sizeof ops / sizeof *ops; i++)
        if (strcmp(need, ops[i]) == 0)
            return SUPPORT_NATIVE;
    int language = strncmp(need, "run:", 4) == 0 ? exec_language_find(bytes_of_string(need + 4)) : -1;
    return language >= 0 && x->shared->programs[language] ? SUPPORT_NATIVE : SUPPORT_NONE;
}

static bool exec_alive(struct session *s)
{
    return agent_alive(s->agent);
}

unsigned exec_channel(struct session *s)
{
    const struct exec_state *x = s->commands;
    return RUN_BINARY | RUN_SPLIT | RUN_EXIT | RUN_STDIN | (x->shared->shares_network ? RUN_NETWORK : 0);
}

/* Which walls of the kernel's are the prefix's own. A prefix that believes itself in a sandbox already may build none, and
 * say so on standard error only, so that is shown too. */
static void explain_walls(const struct exec_shared *shared, struct buf *out)
{
    if (shared->knows_namespaces) {
        const char *before = "namespaces of its own: ";
        for (int i = 0; i < EXEC_NAMESPACES; i++) {
            if (!(shared->namespaces & 1u << i))
                continue;
            buf_addf(out, "%s%s", before, exec_namespaces[i].name);
            before = ", ";
        }
        buf_add_string(out, shared->namespaces ? "\n" : "namespaces of its own: none\n");
    }
    if (shared->joins)
        buf_add_string(out, "words: split once more by a shell behind the prefix, so they are quoted for it\n");
    if (shared->drops_environment)
        buf_add_string(out, "variables of a call: by env, since the prefix does not pass them on\n");
    if (shared->said)
        buf_addf(out, "on standard error, unasked: %s\n", shared->said);
}

void exec_explain_commands(struct session *s, struct buf *out)
{
    const struct exec_state *x = s->commands;
    buf_addf(out, "working directory: %s\n",
             x->shared->begins_in_root ? "{root}"
             : x->shared->sees_root    ? "{root}, by a shell's cd"
             : x->made                 ? "a fresh directory for each session, by a shell's cd"
                                       : x->shared->directory);
    if (!x->words[0] && s->boxed) {
        box_report(s->target->options.settings, out);
    } else if (!x->words[0]) {
        buf_add_string(out, "box: none, commands see this machine as it is\n");
        box_report_limits(s->target->options.settings, false, out);
    }
    if (x->words[0])
        explain_walls(x->shared, out);
    buf_addf(out, "network between calls: %s\n", x->shared->shares_network ? "shared" : "not shared");
    for (int i = 0; i < EXEC_LANGUAGES; i++)
        buf_addf(out, "run:%s: %s\n", exec_languages[i].name,
                 x->shared->programs[i] ? x->shared->programs[i] : "no");
    session_explain_ops(s, out);
}

static void exec_explain(struct session *s, struct buf *out)
{
    const struct exec_state *x = s->commands;
    buf_add_string(out, "prefix:");
    for (char **word = x->words; *word; word++)
        buf_addf(out, " %s", *word);
    buf_addf(out, "%s\n", x->words[0] ? "" : s->boxed ? " none, commands run in our box" : " none, commands run on this machine");
    exec_explain_commands(s, out);
}

const struct driver driver_exec = {
    .name = "exec",
    .prefix = "exec:",
    .doc = "a command that runs a command, one process a call",
    .open = exec_open,
    .close = exec_end,
    .calls = exec_calls,
    .supports = exec_supports,
    .alive = exec_alive,
    .explain = exec_explain,
    .run_channel = exec_channel,
    .spelling = "relative",
    .nests = true,
};
