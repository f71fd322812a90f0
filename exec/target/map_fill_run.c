/* What a run is told as: a command line, an argument list or a script; see map_fill.h.
 *
 * A script in the shell's own language is passed on as it stands. Whatever the tool has no parameter for
 * (working directory, environment, standard input) is put around the command in shell, so that the command
 * itself stays what it was. */
#include <string.h>

#include "base/utf8.h"
#include "exec/target/map_fill_internal.h"
#include "exec/target/map_table.h"

enum { LINE_MAX_BYTES = 1 << 28 };

/* A run's parts as the call has them. */
struct run_parts {
    const struct json *argv;
    struct bytes script;
    const struct language_row *language; /* NULL with argv */
    struct bytes cwd, stdin;             /* those with no parameter of their own */
    const struct json *env;
    bool wrapped;                        /* any of the three */
};

static void add_quoted(struct buf *line, struct bytes word)
{
    buf_add_byte(line, '\'');
    for (size_t i = 0; i < word.len; i++) {
        if (word.data[i] == '\'')
            buf_add_string(line, "'\\''");
        else
            buf_add_byte(line, word.data[i]);
    }
    buf_add_byte(line, '\'');
}

/* A word that no shell changes is left bare, so that lines stay readable. */
static void add_word(struct buf *line, struct bytes word)
{
    bool plain = word.len > 0;
    for (size_t i = 0; i < word.len && plain; i++) {
        uint8_t byte = word.data[i];
        plain = (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') ||
                (byte >= '0' && byte <= '9') || (byte && byte < 128 && strchr("_-./+,:@%", byte));
    }
    if (plain)
        buf_add(line, word);
    else
        add_quoted(line, word);
}

static bool cannot(const struct op_map *m, struct map_fill *f, const char *what)
{
    map_cannot(m, f, what);
    return false;
}

/* The language of a script, sh when none is named; false with f->missing set when the tool does not run
 * it. */
static bool read_language(const struct op_map *m, struct map_fill *f, struct run_parts *parts)
{
    size_t count;
    const struct language_row *rows = language_rows(&count);
    struct bytes name = json_as_text(json_get(f->args, "language"));
    for (size_t i = 0; i < count; i++) {
        bool named = name.len ? bytes_equal_string(name, rows[i].name) : i == 0;
        if (named && m->languages & 1u << i)
            parts->language = &rows[i];
    }
    return parts->language || cannot(m, f, arena_string(f->arena, name));
}

/* What the tool has no parameter of its own for. */
static bool read_surroundings(const struct op_map *m, struct map_fill *f, struct run_parts *parts)
{
    if (!map_places(m, "cwd"))
        parts->cwd = json_as_text(json_get(f->args, "cwd"));
    if (!map_places(m, "stdin"))
        parts->stdin = json_as_text(json_get(f->args, "stdin"));
    const struct json *env = map_places(m, "env") ? NULL : json_get(f->args, "env");
    parts->env = json_is(env, JSON_OBJECT) && env->count ? env : NULL;
    parts->wrapped = parts->cwd.len || parts->stdin.len || parts->env;
    return bytes_find(parts->stdin, bytes_of("", 1), 0) < 0 || cannot(m, f, "stdin with a NUL");
}

static bool read_parts(const struct op_map *m, struct map_fill *f, struct run_parts *parts)
{
    *parts = (struct run_parts){0};
    const struct json *argv = json_get(f->args, "argv"), *script = json_get(f->args, "script");
    if (json_is(argv, JSON_ARRAY) && argv->count) {
        parts->argv = argv;
    } else if (!script) {
        return cannot(m, f, "neither argv nor script");
    } else {
        parts->script = json_as_text(script);
        if (!read_language(m, f, parts))
            return false;
    }
    return read_surroundings(m, f, parts);
}

static void add_environment(struct buf *line, const struct json *env)
{
    for (const struct json *one = env ? env->first : NULL; one; one = one->next) {
        struct buf pair;
        buf_init(&pair, LINE_MAX_BYTES);
        buf_add(&pair, one->key);
        buf_add_byte(&pair, '=');
        buf_add(&pair, json_as_text(one));
        buf_add_byte(line, ' ');
        add_word(line, buf_bytes(&pair));
        buf_release(&pair);
    }
}

/* The command as one simple command of a shell. */
static void add_command(struct buf *line, const struct run_parts *parts)
{
    if (parts->argv) {
        for (const struct json *one = parts->argv->first; one; one = one->next) {
            if (one != parts->argv->first)
                buf_add_byte(line, ' ');
            add_word(line, json_as_text(one));
        }
        return;
    }
    buf_addf(line, "%s %s ", parts->language->program, parts->language->flag);
    add_quoted(line, parts->script);
}

static struct json *make_line(const struct op_map *m, struct map_fill *f, const struct run_parts *parts)
{
    bool own = parts->language && (strcmp(parts->language->name, "sh") == 0 ||
                                   (m->shell_is_bash && strcmp(parts->language->name, "bash") == 0));
    struct buf line;
    buf_init(&line, LINE_MAX_BYTES);
    if (own && !parts->wrapped) {
        buf_add(&line, parts->script);
    } else {
        if (parts->cwd.len) {
            buf_add_string(&line, "cd ");
            add_word(&line, map_spell(f, parts->cwd, NULL));
            buf_add_string(&line, " && ");
        }
        if (parts->stdin.len) {
            buf_add_string(&line, "printf %s ");
            add_quoted(&line, parts->stdin);
            buf_add_string(&line, " | ");
        }
        if (parts->env) {
            buf_add_string(&line, "env");
            add_environment(&line, parts->env);
            buf_add_byte(&line, ' ');
        }
        add_command(&line, parts);
    }
    struct json *text = NULL;
    if (line.overflow || !utf8_valid(buf_bytes(&line)))
        map_cannot(m, f, line.overflow ? "a command that long" : "text that is not UTF-8");
    else
        text = json_string(f->arena, buf_bytes(&line));
    buf_release(&line);
    return text;
}

static struct json *make_argv(const struct op_map *m, struct map_fill *f, const struct run_parts *parts)
{
    struct json *argv = json_new(f->arena, JSON_ARRAY);
    if (parts->wrapped) {
        json_add(argv, json_text(f->arena, "sh"));
        json_add(argv, json_text(f->arena, "-c"));
        json_add(argv, make_line(m, f, parts));
    } else if (parts->argv) {
        for (const struct json *one = parts->argv->first; one; one = one->next)
            json_add(argv, json_string(f->arena, json_as_text(one)));
    } else {
        json_add(argv, json_text(f->arena, parts->language->program));
        json_add(argv, json_text(f->arena, parts->language->flag));
        json_add(argv, json_string(f->arena, parts->script));
    }
    for (const struct json *one = argv->first; one; one = one->next)
        if (!utf8_valid(one->text))
            return map_cannot(m, f, "text that is not UTF-8");
    return argv;
}

/* Which language a script tool is given: the script's, or a shell where there is anything to put around
 * it. */
static const struct language_row *told_language(const struct op_map *m, const struct run_parts *parts,
                                                bool *as_line)
{
    size_t count;
    const struct language_row *rows = language_rows(&count);
    *as_line = parts->argv || parts->wrapped;
    if (!*as_line)
        return parts->language;
    for (size_t i = 0; i < 2; i++) /* sh, bash */
        if (m->languages & 1u << i)
            return &rows[i];
    return NULL;
}

/* Of an argument list: the first word, or the others. */
static struct json *part_of_argv(struct map_fill *f, struct json *argv, bool program)
{
    struct json *first = argv ? argv->first : NULL;
    if (!first || program)
        return first ? json_copy(f->arena, first) : NULL;
    json_remove(argv, first);
    return argv;
}

static struct json *make_script(const struct op_map *m, struct map_fill *f, const struct run_parts *parts,
                                bool language)
{
    bool as_line;
    const struct language_row *told = told_language(m, parts, &as_line);
    if (!told || (as_line && !parts->argv && !parts->language->program))
        return map_cannot(m, f, parts->argv ? "argv" : "stdin, env or cwd");
    if (language)
        return json_text(f->arena, told->name);
    if (as_line)
        return make_line(m, f, parts);
    return utf8_valid(parts->script) ? json_string(f->arena, parts->script)
                                     : map_cannot(m, f, "text that is not UTF-8");
}

struct json *map_fill_run(const struct op_map *m, struct map_fill *f, const char *name)
{
    struct run_parts parts;
    if (!read_parts(m, f, &parts))
        return NULL;
    if (strcmp(name, "@line") == 0)
        return make_line(m, f, &parts);
    if (strcmp(name, "@argv") == 0)
        return make_argv(m, f, &parts);
    if (strcmp(name, "@program") == 0 || strcmp(name, "@arguments") == 0)
        return part_of_argv(f, make_argv(m, f, &parts), strcmp(name, "@program") == 0);
    return make_script(m, f, &parts, strcmp(name, "@language") == 0);
}
