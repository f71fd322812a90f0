/* Steps as the start of /app, attached files and a solution. The solution is one way to the end state; a step that only looks is left out. */
#include "corpus/export/export_internal.h"

#include <string.h>

#include "base/encode.h"
#include "base/utf8.h"

static void add_word(struct buf *out, struct bytes word)
{
    buf_add_byte(out, ' ');
    shell_word(out, word);
}

/* Do the words spell it out, line by line? Lines of two characters or less say nothing, and a text of nothing but such is short enough. */
static bool is_spelt(const struct export_record *r, struct bytes text)
{
    struct bytes words = bytes_of_string(r->task->instruction);
    if (!utf8_valid(text) || (text.len && memchr(text.data, 0, text.len)))
        return false;
    for (size_t from = 0, i = 0; i <= text.len; i++)
        if (i == text.len || text.data[i] == '\n') {
            if (bytes_find(words, bytes_slice(text, from, i), 0) < 0)
                return false;
            from = i + 1;
        }
    return true;
}

/* "printf %s TEXT | " or "cat /inputs/1 | ". */
static bool add_source(struct export_record *r, const struct json *value, struct bytes path)
{
    struct bytes data;
    if (!export_bytes(r, value, &data))
        return false;
    if (json_is(value, JSON_STRING) && is_spelt(r, data)) {
        buf_add_string(&r->solution, "printf %s");
        buf_add_byte(&r->solution, ' ');
        shell_quote(&r->solution, data);
    } else {
        size_t i = 0;
        while (i < r->input_count && !(bytes_equal(r->inputs[i].path, path) && bytes_equal(r->inputs[i].data, data)))
            i++;
        if (i == r->input_count)
            r->inputs[r->input_count++] = (struct export_file){path, data};
        buf_addf(&r->solution, "cat /inputs/%zu", i + 1);
    }
    buf_add_string(&r->solution, " | ");
    return true;
}



static bool lower_put(struct export_record *r, const struct task_step *s)
{
    struct bytes path;
    if (!export_path(r, json_get(s->args, "path"), &path) || !add_source(r, json_get(s->args, "content"), path))
        return false;
    buf_add_string(&r->solution, strcmp(s->op->name, "append") ? "put" : "add");
    add_word(&r->solution, path);
    return true;
}

static bool lower_edit(struct export_record *r, const struct task_step *s)
{
    static const char *const names[] = {"old", "new"};
    struct bytes path, text;
    if (!export_path(r, json_get(s->args, "path"), &path))
        return false;
    buf_add_string(&r->solution, "edit");
    add_word(&r->solution, path);
    for (size_t i = 0; i < 2; i++) {
        if (!export_bytes(r, json_get(s->args, names[i]), &text))
            return false;
        if (text.len && memchr(text.data, 0, text.len))
            return export_drop(r, "a NUL in an argument of a program");
        add_word(&r->solution, text);
    }
    return true;
}

/* Programs of the shell with the step's paths behind them. */
static bool lower_paths(struct export_record *r, const struct task_step *s)
{
    static const struct { const char *op, *command; } table[] = {
        {"mkdir", "mkdir -p --"}, {"move", "mv -f --"}, {"copy", "cp --"}, {"remove", "rm -d --"}};
    struct bytes path;
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        if (!strcmp(table[i].op, s->op->name))
            buf_add_string(&r->solution, json_as_bool(json_get(s->args, "recursive"), false) ? "rm -r --" : table[i].command);
    if (!export_path(r, json_get(s->args, "path"), &path))
        return false;
    add_word(&r->solution, path);
    if (!strcmp(s->op->name, "remove"))
        buf_add_string(&r->solution, " || :"); /* of a directory that is not empty it is refused, as may be meant */
    if (!json_get(s->args, "to"))
        return true;
    if (!export_path(r, json_get(s->args, "to"), &path))
        return false;
    add_word(&r->solution, path);
    return true;
}

static bool lower_link(struct export_record *r, const struct task_step *s)
{
    bool hard = bytes_equal_string(json_as_text(json_get(s->args, "kind")), "hard");
    struct bytes path;
    if (!export_path(r, json_get(s->args, "path"), &path) || !json_is(json_get(s->args, "to"), JSON_STRING))
        return export_drop(r, "a path is known only at run time or leaves the directory");
    buf_add_string(&r->solution, hard ? "ln --" : "ln -s --");
    add_word(&r->solution, json_as_text(json_get(s->args, "to")));
    add_word(&r->solution, path);
    return true;
}

static bool lower_chmod(struct export_record *r, const struct task_step *s)
{
    int64_t mode;
    struct bytes path;
    if (!export_path(r, json_get(s->args, "path"), &path) || !json_as_integer(json_get(s->args, "mode"), &mode))
        return export_drop(r, "a mode is known only at run time");
    buf_addf(&r->solution, "chmod %04o --", (unsigned)mode & 07777);
    add_word(&r->solution, path);
    return true;
}

/* Its words; a text that only a session can fill in is none for us. */
static bool add_run_word(struct export_record *r, const struct json *value)
{
    static const char *const known_late[] = {"{root}", "{home}", "{site}", "{port}", "{db}"};
    struct bytes word = json_as_text(value);
    if (!json_is(value, JSON_STRING) || (word.len && memchr(word.data, 0, word.len)))
        return export_drop(r, "an argument of a program is known only at run time");
    for (size_t i = 0; i < sizeof known_late / sizeof *known_late; i++)
        if (bytes_find(word, bytes_of_string(known_late[i]), 0) >= 0)
            return export_drop(r, "an argument of a program is known only at run time");
    add_word(&r->solution, word);
    return true;
}

static bool add_program(struct export_record *r, const struct task_step *s)
{
    struct bytes language = json_as_text(json_get(s->args, "language"));
    const struct json *argv = json_get(s->args, "argv");
    if (argv) {
        for (const struct json *word = argv->first; word; word = word->next)
            if (!add_run_word(r, word))
                return false;
        return true;
    }
    if (bytes_equal_string(language, "python"))
        buf_add_string(&r->solution, " python3 -c");
    else if (bytes_equal_string(language, "sh") || bytes_equal_string(language, "bash"))
        buf_addf(&r->solution, " %.*s -c", BYTES_ARG(language));
    else
        return export_drop(r, "a program in %.*s", BYTES_ARG(language));
    return add_run_word(r, json_get(s->args, "script"));
}

static bool lower_run(struct export_record *r, const struct task_step *s)
{
    const char *answer = export_answer_step(r);
    const struct json *input = json_get(s->args, "stdin"), *env = json_get(s->args, "env");
    struct bytes cwd = json_as_text(json_get(s->args, "cwd"));
    if (input && !add_source(r, input, BYTES_NONE))
        return false;
    buf_add_byte(&r->solution, '(');
    if (cwd.len) {
        if (!export_path(r, json_get(s->args, "cwd"), &cwd))
            return false;
        buf_add_string(&r->solution, "cd --");
        add_word(&r->solution, cwd);
        buf_add_string(&r->solution, " && ");
    }
    buf_add_string(&r->solution, "exec env");
    for (const struct json *v = env ? env->first : NULL; v; v = v->next) {
        struct bytes value;
        if (!export_bytes(r, v, &value))
            return false;
        add_word(&r->solution, bytes_of_string(arena_printf(&r->arena, "%.*s=%.*s", BYTES_ARG(v->key), BYTES_ARG(value))));
    }
    if (!add_program(r, s))
        return false;
    buf_addf(&r->solution, "%s)", input ? "" : " </dev/null");
    if (answer && !strcmp(answer, s->id))
        buf_add_string(&r->solution, " >/app/" EXPORT_ANSWER);
    buf_add_string(&r->solution, " || :"); /* its status is the way, not the end */
    return true;
}

/* Only a name that any archive and any build carries on as it is. */
static bool lower_start_file(struct export_record *r, const struct task_step *s)
{
    struct export_file *f = &r->start[r->start_count];
    if (!export_path(r, json_get(s->args, "path"), &f->path) || !export_bytes(r, json_get(s->args, "content"), &f->data))
        return false;
    for (size_t i = 0; i < f->path.len; i++)
        if (f->path.data[i] < 0x21 || f->path.data[i] > 0x7e || strchr("\\:*?\"<>|", f->path.data[i]))
            return export_drop(r, "the start holds a name that not every archive keeps");
    r->start_count++;
    return true;
}

static bool lower_look(struct export_record *r, const struct task_step *s)
{
    return true;
}

static const struct {
    const char *op;
    bool (*lower)(struct export_record *r, const struct task_step *s);
} table[] = {
    {"write", lower_put},     {"upload", lower_put}, {"append", lower_put},   {"edit", lower_edit},           {"mkdir", lower_paths},
    {"move", lower_paths},    {"copy", lower_paths}, {"remove", lower_paths}, {"link", lower_link},           {"chmod", lower_chmod},
    {"run", lower_run},       {"read", lower_look},  {"list", lower_look},    {"search", lower_look},         {"stat", lower_look},
    {"download", lower_look}, {"idle", lower_look},  {"reopen", lower_look},  {"stage-file", lower_start_file}};

static bool lower(struct export_record *r, const struct task_step *s)
{
    size_t before = r->solution.len;
    if (export_is_refused(r->task, s->id))
        return true;
    if (s->repeat != 1 || s->cancel_after_ms >= 0)
        return export_drop(r, "a step that is repeated or cancelled");
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        if (!strcmp(table[i].op, s->op->name)) {
            if (!table[i].lower(r, s))
                return false;
            if (r->solution.len > before)
                buf_add_byte(&r->solution, '\n');
            return true;
        }
    return export_drop(r, "the op %s", s->op->name);
}

static bool has_programs(struct export_record *r)
{
    static const char *const there[] = {"python3", "tar", "gzip", "awk", "find", "env", "sha256sum", "python:sqlite3"};
    for (size_t n = 0; n < r->task->need_count; n++) {
        const char *need = r->task->needs[n];
        bool known = strncmp(need, "program:", 8) && strncmp(need, "python:", 7);
        for (size_t i = 0; i < sizeof there / sizeof *there; i++)
            known |= !strcmp(need, there[i]) || (!strncmp(need, "program:", 8) && !strcmp(need + 8, there[i]));
        if (!known)
            return export_drop(r, "it needs %s", need);
    }
    return true;
}

bool export_add_steps(struct export_record *r)
{
    if (!has_programs(r))
        return false;
    r->inputs = arena_alloc(&r->arena, (r->task->step_count + 1) * sizeof *r->inputs);
    r->start = arena_alloc(&r->arena, (r->task->step_count + 1) * sizeof *r->start);
    buf_add_string(&r->solution,
                   "set -eu\n"
                   "cd /app\n"
                   "put() { mkdir -p -- \"$(dirname -- \"$1\")\"; cat >\"$1\"; }\n"
                   "add() { cat >>\"$1\"; }\n"
                   "edit() {\n"
                   "    python3 -I -c 'import os, sys\n"
                   "path, old, new = map(os.fsencode, sys.argv[1:])\n"
                   "data = open(path, \"rb\").read()\n"
                   "data.count(old) == 1 or sys.exit(\"not there once\")\n"
                   "open(path, \"wb\").write(data.replace(old, new))' \"$@\"\n"
                   "}\n\n");
    for (size_t i = 0; i < r->task->step_count; i++)
        if (!lower(r, &r->task->steps[i]))
            return false;
    return true;
}
