/* Command lines of the exec driver: the prefix, then a program, or an interpreter and a script.
 *
 * Commands begin in the root. Where the prefix does not keep the working directory, a shell goes there first.
 * A script is an argument as long as it fits and holds no NUL; else it is a file in the root for as long as
 * it runs, or, where the root cannot be seen, standard input. What is compiled is compiled by a shell script
 * in a directory of its own. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/encode.h"
#include "exec/target/exec_internal.h"
#include "exec/target/root.h"

enum { SCRIPT_ARGUMENT = 100 * 1024, SCRIPT_MODE = 0644 };

/* $1: the program, $2: the source, or $3: a file that holds it. Compilers get the new directory for their own temporary files: /tmp
 * may not be writable, and not all of them look elsewhere. */
#define COMPILE(suffix, make, run)                                                                           \
    "p=$1\n"                                                                                                 \
    "d=$(mktemp -q -d \"${TMPDIR:-/tmp}/tg.XXXXXX\") || d=$(mktemp -d ./.tg.XXXXXX) || exit 125\n"           \
    "if [ \"$3\" ]; then cat -- \"$3\"; else printf %s \"$2\"; fi >\"$d/Main." suffix                        \
    "\" || exit 125\n" make " && " run "\n"                                                                  \
    "s=$?; rm -rf \"$d\"; exit $s"

const struct exec_language exec_languages[EXEC_LANGUAGES] = {
    {"sh", "sh", "-c", "-s", "sh", NULL},
    {"bash", "bash", "-c", "-s", "sh", NULL},
    {"python", "/usr/bin/python3 python3 python", "-c", "-", "py", NULL},
    {"node", "node nodejs", "-e", "-", "js", NULL},
    {"c", "cc gcc clang", NULL, NULL, "c",
     COMPILE("c", "TMPDIR=$d \"$p\" -o \"$d/main\" \"$d/Main.c\" -lm -pthread", "\"$d/main\"")},
    {"java", "java", NULL, NULL, "java", COMPILE("java", ":", "\"$p\" \"$d/Main.java\"")},
    {"rust", "rustc", NULL, NULL, "rs", COMPILE("rs", "TMPDIR=$d \"$p\" -o \"$d/main\" \"$d/Main.rs\"", "\"$d/main\"")},
};

int exec_language_find(struct bytes name)
{
    for (int i = 0; i < EXEC_LANGUAGES; i++)
        if (bytes_equal_string(name, exec_languages[i].name))
            return i;
    return -1;
}

static bool has_nul(struct bytes b)
{
    return b.len && memchr(b.data, '\0', b.len);
}

/* --- where it runs --- */

/* The prefix and, where it is needed, the shell that goes to the directory. cwd NULL: the root. A prefix that
 * begins in the root may do so wherever it is started itself, so it is never relied on to keep another
 * directory. */
static void begin(struct session *s, const char *cwd, struct exec_command *c)
{
    const struct exec_state *x = s->commands;
    const struct exec_shared *shared = x->shared; /* NULL while that is being found out */
    bool shell = shared && shared->programs[EXEC_SH];
    bool elsewhere = shared && !shared->begins_in_root && (shared->sees_root || x->made);
    bool goes_there = shell && (cwd ? x->words[0] != NULL : elsewhere);
    const char *root = x->made ? x->made : s->root;
    strings_add_all(&c->argv, (const char *const *)x->words);
    if (goes_there)
        strings_add_all(&c->argv, (const char *const[]){"sh", "-c", "cd -- \"$1\" && shift && exec \"$@\"",
                                                        "sh", cwd ? cwd : root, NULL});
    c->cwd = xstrdup(cwd && !goes_there ? cwd : x->directory);
}

/* Where the other end splits words once more, all that follows the prefix becomes one, quoted for a shell. */
static void join(const struct session *s, struct exec_command *c)
{
    const struct exec_state *x = s->commands;
    if (!x->joins)
        return;
    struct strings joined = {0};
    struct buf line;
    size_t i = 0;
    buf_init(&line, SIZE_MAX);
    for (; x->words[i]; i++)
        strings_add(&joined, c->argv.items[i]);
    for (size_t first = i; i < c->argv.count; i++) {
        buf_add_string(&line, i > first ? " " : "");
        shell_quote(&line, bytes_of_string(c->argv.items[i]));
    }
    strings_add(&joined, buf_string(&line));
    buf_release(&line);
    strings_release(&c->argv);
    c->argv = joined;
}

void exec_command_plain(struct session *s, const char *const *words, struct exec_command *c)
{
    const struct exec_state *x = s->commands;
    *c = (struct exec_command){0};
    begin(s, NULL, c);
    strings_add_all(&c->argv, words);
    strings_add_all(&c->environment, (const char *const *)x->environment);
    join(s, c);
}

/* The argument cwd as the command will see it; false when it cannot be said. NULL: the root. */
static bool read_cwd(struct session *s, struct call *call, const char **cwd)
{
    struct bytes given;
    *cwd = NULL;
    if (!call_bytes(call, "cwd", &given) || given.len == 0)
        return true;
    if (has_nul(given)) {
        call_skip(call, "cwd: a directory's name cannot hold a NUL");
        return false;
    }
    *cwd = arena_string(call->arena, session_spell(s, given, "absolute", call->arena));
    return true;
}

/* Variables of the call: in the command's environment, or, where that does not reach it, by env(1). */
static bool add_environment(struct session *s, struct call *call, struct exec_command *c)
{
    const struct exec_state *x = s->commands;
    const struct json *env = json_get(call->args, "env");
    bool by_command = x->shared->drops_environment && env && env->first;
    strings_add_all(&c->environment, (const char *const *)x->environment);
    if (by_command)
        strings_add(&c->argv, "env");
    for (const struct json *v = env ? env->first : NULL; v; v = v->next) {
        bool good = v->kind == JSON_STRING && v->key.len && !has_nul(v->key) && !has_nul(v->text) &&
                    !memchr(v->key.data, '=', v->key.len);
        if (!good) {
            call_skip(call, "env: no variable that a program can be given");
            return false;
        }
        char *variable = strings_printf("%.*s=%.*s", BYTES_ARG(v->key), BYTES_ARG(v->text));
        if (by_command)
            strings_add(&c->argv, variable);
        else
            strings_set(&c->environment, variable);
        free(variable);
    }
    return true;
}

/* --- what runs --- */

static bool add_argv(struct call *call, const struct json *argv, struct strings *words)
{
    bool good = json_is(argv, JSON_ARRAY) && argv->first;
    for (const struct json *word = good ? argv->first : NULL; word && good; word = word->next) {
        good = word->kind == JSON_STRING && !has_nul(word->text);
        if (good)
            strings_addf(words, "%.*s", BYTES_ARG(word->text));
    }
    if (!good)
        call_skip(call, "argv: a program is given words without NUL, and at least one");
    return good;
}

/* A file for a script that is no argument; NULL when it cannot be made. */
static char *make_script_file(struct session *s, const struct exec_language *language, struct bytes script)
{
    static unsigned serial; /* sessions beside each other share a root */
    if (!s->root_visible)
        return NULL;
    char *name = strings_printf(".taskgen-script-%u.%s", __atomic_fetch_add(&serial, 1, __ATOMIC_RELAXED),
                                language->suffix);
    if (root_write(s, bytes_of_string(name), script, SCRIPT_MODE) == 0)
        return name;
    free(name);
    return NULL;
}

static void add_compiled(struct session *s, const struct exec_language *language, const char *program,
                         const char *source, const char *file, struct strings *words)
{
    strings_add_all(words,
                    (const char *const[]){"sh", "-c", language->compile, "sh", program, source, file, NULL});
}

/* A script that fits into an argument. */
static void add_script(struct session *s, const struct exec_language *language, const char *program,
                       struct bytes script, struct strings *words)
{
    char *text = strings_printf("%.*s", BYTES_ARG(script));
    if (language->compile) {
        add_compiled(s, language, program, text, "", words);
    } else {
        strings_add_all(words, (const char *const[]){program, language->option, NULL});
        if (strcmp(language->suffix, "sh") == 0 && (text[0] == '-' || text[0] == '+'))
            strings_add(words, "--"); /* a shell would read options */
        strings_add(words, text);
    }
    free(text);
}

static bool add_long_script(struct session *s, struct call *call, const struct exec_language *language,
                            const char *program, struct bytes script, struct exec_command *c)
{
    c->script_file = make_script_file(s, language, script);
    if (c->script_file) {
        char *path = strings_printf("%s/%s", s->root, c->script_file);
        if (language->compile)
            add_compiled(s, language, program, "", path, &c->argv);
        else
            strings_add_all(&c->argv, (const char *const[]){program, path, NULL});
        free(path);
        return true;
    }
    if (!language->from_stdin || c->input.len) {
        call_skip(
            call,
            "script: too long for an argument, or with a NUL, and the root cannot be written from outside");
        return false;
    }
    strings_add_all(&c->argv, (const char *const[]){program, language->from_stdin, NULL});
    c->input = script;
    return true;
}

static bool add_program(struct session *s, struct call *call, struct exec_command *c)
{
    const struct exec_state *x = s->commands;
    const struct json *argv = json_get(call->args, "argv");
    struct bytes name, script;
    if (argv)
        return add_argv(call, argv, &c->argv);
    int index = call_bytes(call, "language", &name) ? exec_language_find(name) : -1;
    if (index < 0 || !x->shared->programs[index] || !call_bytes(call, "script", &script)) {
        call_skip(call, "neither argv nor a script in a language that can be run here");
        return false;
    }
    const struct exec_language *language = &exec_languages[index];
    if (script.len > SCRIPT_ARGUMENT || has_nul(script))
        return add_long_script(s, call, language, x->shared->programs[index], script, c);
    add_script(s, language, x->shared->programs[index], script, &c->argv);
    return true;
}

bool exec_command_make(struct session *s, struct call *call, struct exec_command *c)
{
    const char *cwd;
    *c = (struct exec_command){0};
    if (!read_cwd(s, call, &cwd))
        return false;
    call_bytes(call, "stdin", &c->input);
    begin(s, cwd, c);
    if (add_environment(s, call, c) && add_program(s, call, c)) {
        join(s, c);
        return true;
    }
    exec_command_release(s, c);
    return false;
}

void exec_command_release(struct session *s, struct exec_command *c)
{
    if (c->script_file)
        root_remove(s, bytes_of_string(c->script_file));
    free(c->script_file);
    free(c->cwd);
    strings_release(&c->argv);
    strings_release(&c->environment);
    *c = (struct exec_command){0};
}
