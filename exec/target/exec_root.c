/* A directory of the session's own behind a prefix that does not see the root: another machine, another root file system.
 * Without one, sessions would find each other's files. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "exec/target/exec_internal.h"

enum { MAKE_SCRIPT = 512 };

/* Where it may be, best first. Where commands begin is not the first choice: it may be somebody's home. */
static const char *const places[] = {"${TMPDIR:-/tmp}", "."};

static bool is_directory_name(const char *line)
{
    return line[0] == '/' && strstr(line, "/taskgen.") && !strchr(line, '\n');
}

/* Is it still there for the next command? */
static bool stays(struct session *s, const char *name, int64_t ms)
{
    struct exec_answer a;
    bool there = exec_ask(s, true, (const char *const[]){"test", "-d", name, NULL}, ms, &a, NULL) == 0 &&
                 exec_answer_good(&a);
    exec_answer_release(&a);
    return there;
}

/* Makes one in a place, and prints its real name; to be freed, or NULL with what was said instead. */
static char *make_in(struct session *s, const char *place, int64_t ms, char **said)
{
    struct exec_answer a;
    char script[MAKE_SCRIPT], *name = NULL;
    snprintf(script, sizeof script,
             "umask 077; d=$(mktemp -d \"%s/taskgen.XXXXXX\") && cd -- \"$d\" && pwd -P", place);
    bool good = exec_ask(s, true, (const char *const[]){"sh", "-c", script, NULL}, ms, &a, NULL) == 0;
    if (good && exec_answer_good(&a)) {
        struct bytes line = buf_bytes(&a.out);
        if (line.len && line.data[line.len - 1] == '\n')
            line.len--;
        name = strings_printf("%.*s", BYTES_ARG(line));
    }
    if (name && !is_directory_name(name)) {
        free(name);
        name = NULL;
    }
    if (!name && !*said)
        *said = exec_answer_said(&a);
    exec_answer_release(&a);
    return name;
}

/* In the first place where it stays. Where all can be made and none stays, each command has a file system of its own, and
 * there is nothing to keep apart. */
static int make_somewhere(struct session *s, struct error **err)
{
    struct exec_state *x = s->commands;
    int64_t ms = settings_int(s->target->options.settings, "exec.start-timeout");
    bool any = false;
    char *said = NULL;
    for (size_t i = 0; i < sizeof places / sizeof *places && !x->made; i++) {
        char *name = make_in(s, places[i], ms, &said);
        any = any || name;
        if (name && stays(s, name, ms))
            x->made = name;
        else
            free(name);
    }
    int status = any ? 0
                     : error_set(err, ERR_TARGET, "'%s' does not see {root}, and has no place for a directory instead: %s%s",
                                 x->words[0], said && *said ? said : "it said nothing",
                                 s->boxed ? " (in the box; --no-box leaves it out)" : "");
    free(said);
    return status;
}

int exec_root_make(struct session *s, struct error **err)
{
    struct exec_state *x = s->commands;
    const struct exec_state *other = s->first ? s->first->commands : NULL;
    s->root_inside = x->shared->directory;
    if (x->shared->sees_root || !x->shared->programs[EXEC_SH])
        return 0; /* without a shell nothing can go to a directory */
    if (s->first) { /* one more client of the same files */
        x->made = other && other->made ? xstrdup(other->made) : NULL;
        s->root_inside = x->made ? x->made : s->root_inside;
        return 0;
    }
    int status = make_somewhere(s, err);
    if (x->made)
        s->root_inside = x->made;
    return status;
}

void exec_root_remove(struct session *s)
{
    struct exec_state *x = s->commands;
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
