/* Faults put into a solution's script, one at a time: a line left away, a number that is one more, a letter of a word changed. They
 * are spread over the script evenly, the same for the same script. */
#include "exec/gate/gate.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "exec/gate/tree.h"

enum { SCRIPT_MAX = 1 << 20, KINDS = 3, NAME = 48 };

struct mutants {
    const struct gate_task *task;
    struct buf script;
    size_t *lines;      /* where the lines that may be changed begin */
    size_t count, most, done;
    char *dir, what[NAME];
};

/* Structure, comments and what only sets the shell up are left alone. */
static bool may_change(struct bytes line)
{
    static const char *const idle[] = {"#", "set ", "fi", "done", "else", "then", "esac", "do", "{", "}", ")", "EOF", "cd ", "exit", ";;", "export LC_ALL"};
    size_t at = 0;
    while (at < line.len && isspace(line.data[at]))
        at++;
    line = bytes_slice(line, at, line.len);
    for (size_t i = 0; i < sizeof idle / sizeof *idle; i++)
        if (bytes_starts(line, bytes_of_string(idle[i])))
            return false;
    return line.len > 2 && bytes_find(line, BYTES_LITERAL("() {"), 0) < 0 && bytes_find(line, BYTES_LITERAL("mkdir"), 0) != 0;
}

static struct bytes line_at(const struct mutants *m, size_t start)
{
    struct bytes text = buf_bytes(&m->script);
    const uint8_t *newline = memchr(text.data + start, '\n', text.len - start);
    return bytes_slice(text, start, newline ? (size_t)(newline - text.data) + 1 : text.len);
}

struct mutants *mutants_new(const struct gate_task *t, unsigned most, struct error **err)
{
    struct mutants *m = xcalloc(1, sizeof *m);
    m->task = t;
    m->most = most;
    m->dir = strings_printf("%s/mutant", t->work);
    buf_init(&m->script, SCRIPT_MAX);
    const struct tree_rules rules = {.foreign = true, .file_max = SCRIPT_MAX << 6, .total_max = SCRIPT_MAX << 8};
    if (tree_read_at(t->copy, "solution/solve.sh", SCRIPT_MAX, &m->script, err) < 0 || tree_copy(t->copy, "solution", t->work, "mutant", &rules, err) < 0) {
        mutants_free(m);
        return NULL;
    }
    m->lines = xcalloc(m->script.len + 1, sizeof *m->lines);
    bool function = false; /* helpers that a script brings along are not its answer */
    for (size_t at = 0; at < m->script.len;) {
        struct bytes line = line_at(m, at);
        function |= bytes_find(line, BYTES_LITERAL("() {"), 0) >= 0 && line.data[line.len - 1] == '\n' && bytes_find(line, BYTES_LITERAL("}"), 0) < 0;
        if (!function && may_change(line))
            m->lines[m->count++] = at;
        function &= line.data[0] != '}';
        at += line.len;
    }
    return m;
}

void mutants_free(struct mutants *m)
{
    if (!m)
        return;
    buf_release(&m->script);
    free(m->lines);
    free(m->dir);
    free(m);
}

/* The line with a fault of one kind; false: it has no place for it. */
static bool change(struct bytes line, size_t kind, struct buf *out)
{
    size_t at = line.len;
    if (kind == 0)
        return true; /* left away */
    while (at--) { /* the last such place: what stands at the end is data more often than in front */
        int c = line.data[at];
        bool fits = kind == 1 ? isdigit(c) && (at == 0 || !isalnum(line.data[at - 1])) : islower(c) && at && line.data[at - 1] != '-' && line.data[at - 1] != '\\' && line.data[at - 1] != '$';
        if (!fits)
            continue;
        int other = kind == 1 ? (c == '9' ? '1' : c + 1) : c == 'z' ? 'y' : c + 1;
        buf_add(out, bytes_slice(line, 0, at));
        buf_add_byte(out, (uint8_t)other);
        buf_add(out, bytes_slice(line, at + 1, line.len));
        return true;
    }
    return false;
}

static bool make(struct mutants *m, size_t number, struct error **err)
{
    static const char *const kinds[KINDS] = {"without", "other-number", "other-letter"};
    size_t kind = number % KINDS, start = m->lines[number / KINDS];
    struct bytes all = buf_bytes(&m->script), line = line_at(m, start);
    struct buf out;
    buf_init(&out, SIZE_MAX);
    buf_add(&out, bytes_slice(all, 0, start));
    bool made = change(line, kind, &out);
    buf_add(&out, bytes_slice(all, start + line.len, all.len));
    unsigned at = 1;
    for (size_t i = 0; i < start; i++)
        at += all.data[i] == '\n';
    snprintf(m->what, sizeof m->what, "mutant %s line %u", kinds[kind], at);
    char *path = strings_printf("%s/solve.sh", m->dir);
    made = made && tree_write(path, buf_bytes(&out), err) == 0;
    chmod(path, 0755);
    free(path);
    buf_release(&out);
    return made;
}

bool mutants_next(struct mutants *m, const char **dir, const char **what, struct error **err)
{
    size_t all = m->count * KINDS, most = m->most < all ? m->most : all;
    while (m->done < most) {
        size_t number = m->done++ * all / most;
        if (!make(m, number, err))
            continue;
        *dir = m->dir;
        *what = m->what;
        return true;
    }
    return false;
}
