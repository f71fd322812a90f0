/* A directory of the session's own behind a prefix that does not see the root: another machine, another root file system.
 * Without one, sessions would find each other's files. */
#include <stdlib.h>
#include <string.h>

#include "exec/target/exec_internal.h"

/* Prints the new directory by its real name. */
static const char make_it[] = "umask 077; d=$(mktemp -d \"${TMPDIR:-/tmp}/taskgen.XXXXXX\" 2>/dev/null) || d=$(mktemp -d ./taskgen.XXXXXX) && "
                              "cd -- \"$d\" && pwd -P";

static bool is_directory_name(const char *line)
{
    return line[0] == '/' && strstr(line, "/taskgen.") && !strchr(line, '\n');
}

/* Is it still there for the next command? Where each has a file system of its own nothing stays, and there is nothing to
 * keep apart. */
static bool stays(struct session *s, const char *name, int64_t ms)
{
    struct exec_answer a;
    bool there = exec_ask(s, true, (const char *const[]){"test", "-d", name, NULL}, ms, &a, NULL) == 0 &&
                 exec_answer_good(&a);
    exec_answer_release(&a);
    return there;
}

int exec_root_make(struct session *s, struct error **err)
{
    struct exec_state *x = s->driver_state;
    const struct exec_state *other = s->first ? s->first->driver_state : NULL;
    s->root_inside = x->shared->directory;
    if (x->shared->sees_root || !x->shared->programs[EXEC_SH])
        return 0; /* without a shell nothing can go to a directory */
    if (s->first) { /* one more client of the same files */
        x->made = other && other->made ? xstrdup(other->made) : NULL;
        s->root_inside = x->made ? x->made : s->root_inside;
        return 0;
    }
    struct exec_answer a;
    int64_t ms = settings_int(s->target->options.settings, "exec.start-timeout");
    int status = exec_ask(s, true, (const char *const[]){"sh", "-c", make_it, NULL}, ms, &a, err);
    if (status == 0) {
        struct bytes line = buf_bytes(&a.out);
        if (line.len && line.data[line.len - 1] == '\n')
            line.len--;
        char *name = strings_printf("%.*s", BYTES_ARG(line));
        if (exec_answer_good(&a) && is_directory_name(name))
            x->made = stays(s, name, ms) ? xstrdup(name) : NULL;
        else
            status = error_set(err, ERR_TARGET, "'%s' gives no fresh directory for a session", x->words[0]);
        free(name);
    }
    exec_answer_release(&a);
    if (x->made)
        s->root_inside = x->made;
    return status;
}

void exec_root_remove(struct session *s)
{
    struct exec_state *x = s->driver_state;
    struct exec_answer a;
    if (!x->made)
        return;
    int64_t ms = settings_int(s->target->options.settings, "exec.grace");
    char *made = x->made;
    x->made = NULL; /* the command must not begin in what it removes */
    if (!s->first && agent_alive(s->agent)) {
        exec_ask(s, true, (const char *const[]){"rm", "-rf", "--", made, NULL}, ms, &a, NULL);
        exec_answer_release(&a);
    }
    free(made);
    s->root_inside = NULL;
}
