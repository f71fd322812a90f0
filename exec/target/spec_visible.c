/* Which files a SPEC's words speak of, and what of this machine must stay visible in a box because of them.
 *
 * A box hides home directories, /tmp and /run. A program that lies there is shown again, read-only, with what
 * it was installed with: the directory that holds its node_modules, its virtual environment, the prefix its
 * bin stands in, else the directory it is in. Never a whole home directory or a place shared by strangers:
 * then only the file itself. */
#include "exec/target/spec.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MAX_LINKS = 16, MAX_INTERPRETERS = 4, FIRST_LINE = 256 };

static bool is_regular(const char *path)
{
    struct stat st;
    return stat(path, &st) == 0 && S_ISREG(st.st_mode);
}

static bool is_directory(const char *path)
{
    struct stat st;
    return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

static bool is_below(const char *path, const char *dir)
{
    size_t length = strlen(dir);
    while (length > 1 && dir[length - 1] == '/')
        length--;
    return strncmp(path, dir, length) == 0 && path[length] == '/' && path[length + 1];
}

/* The i-th place that a box hides; NULL past the end. */
static const char *hidden_place(size_t i)
{
    static const char *const places[] = {"/tmp", "/var/tmp", "/run", "/root", "/home"};
    if (i < sizeof places / sizeof *places)
        return places[i];
    const char *home = getenv("HOME");
    return i == sizeof places / sizeof *places && home && home[0] == '/' && home[1] ? home : NULL;
}

static bool is_hidden(const char *path)
{
    for (size_t i = 0; hidden_place(i); i++)
        if (is_below(path, hidden_place(i)))
            return true;
    return false;
}

/* Directories that hold too much to be shown whole: the hidden places, what is above them, a user's home,
 * ~/.local. */
static bool is_too_wide(const char *dir)
{
    for (size_t i = 0; hidden_place(i); i++)
        if (strcmp(dir, hidden_place(i)) == 0 || is_below(hidden_place(i), dir) || strcmp(dir, "/") == 0)
            return true;
    const char *name = strrchr(dir, '/');
    return (is_below(dir, "/home") && strchr(dir + strlen("/home/"), '/') == NULL) ||
           strcmp(name, "/.local") == 0;
}

static char *parent_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash == path ? xstrdup("/") : strings_printf("%.*s", (int)(slash - path), path);
}

/* The prefix that a program's bin directory stands in, when that is a package's own: a virtual environment, a
 * Node.js or Python of its own. NULL otherwise. */
static char *prefix_of(const char *dir)
{
    static const char *const signs[] = {"pyvenv.cfg", "lib/node_modules", "lib/python3", "include/node",
                                        "include/python3"};
    const char *name = strrchr(dir, '/');
    if (!name || strcmp(name, "/bin") != 0)
        return NULL;
    char *prefix = parent_of(dir);
    for (size_t i = 0; i < sizeof signs / sizeof *signs; i++) {
        char *sign = strings_printf("%s/%s", prefix, signs[i]);
        bool there = access(sign, F_OK) == 0;
        free(sign);
        if (there)
            return prefix;
    }
    if (strstr(prefix, "/versions/")) /* pyenv, nvm, asdf and their like */
        return prefix;
    free(prefix);
    return NULL;
}

/* A directory of root's that others may not enter is closed in the box, where nobody is root; shown whole it would hide what is
 * in it instead. */
static bool is_closed(const char *dir)
{
    struct stat st;
    return geteuid() == 0 && stat(dir, &st) == 0 && !(st.st_mode & S_IXOTH);
}

/* What to show so that `path` works; to be freed. */
static char *package_of(const char *path)
{
    const char *modules = strstr(path, "/node_modules/");
    if (!modules && is_directory(path))
        return xstrdup(path);
    char *dir = modules ? strings_printf("%.*s", (int)(modules - path), path) : parent_of(path);
    char *prefix = modules ? NULL : prefix_of(dir);
    if (prefix && !is_too_wide(prefix)) {
        free(dir);
        return prefix;
    }
    free(prefix);
    if (!is_too_wide(dir) && !is_closed(dir))
        return dir;
    free(dir);
    return modules ? strings_printf("%.*s", (int)(modules - path + strlen("/node_modules")), path)
                   : xstrdup(path);
}

static void add_place(struct strings *list, const char *path)
{
    if (!is_hidden(path))
        return;
    char *package = package_of(path);
    bool covered = false;
    for (size_t i = 0; i < list->count && !covered; i++)
        covered = strcmp(list->items[i], package) == 0 || is_below(package, list->items[i]);
    if (!covered)
        strings_add(list, package);
    free(package);
}

/* The program's file as the shell would find it, to be freed, or NULL. */
static char *look_up(const char *name)
{
    const char *path = getenv("PATH");
    for (const char *at = path ? path : "/usr/local/bin:/usr/bin:/bin"; *at;) {
        size_t length = strcspn(at, ":");
        char *file = strings_printf("%.*s/%s", (int)length, at, name);
        if (length && is_regular(file) && access(file, X_OK) == 0)
            return file;
        free(file);
        at += length + (at[length] == ':');
    }
    return NULL;
}

/* The first line of a file, without its newline; false when it cannot be read. */
static bool read_first_line(const char *path, char line[FIRST_LINE + 1])
{
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (fd < 0)
        return false;
    ssize_t n = is_regular(path) ? read(fd, line, FIRST_LINE) : -1;
    close(fd);
    line[n > 0 ? n : 0] = '\0';
    line[strcspn(line, "\n")] = '\0';
    return n > 0;
}

/* The next word of a line, or NULL. */
static char *next_word(char **at)
{
    char *word;
    do
        word = strsep(at, " \t");
    while (word && !*word);
    return word;
}

/* The interpreter that a script names in its first line, looked up where env is to do that; to be freed, or
 * NULL. */
static char *interpreter_of(const char *path)
{
    char line[FIRST_LINE + 1];
    if (!read_first_line(path, line) || strncmp(line, "#!", 2) != 0)
        return NULL;
    char *at = line + 2, *word = next_word(&at);
    if (!word || word[0] != '/')
        return NULL;
    if (strcmp(strrchr(word, '/'), "/env") != 0)
        return xstrdup(word);
    do
        word = next_word(&at);
    while (word && (*word == '-' || strchr(word, '='))); /* env's options and variables */
    return word && *word != '/' ? look_up(word) : NULL;
}

/* A path and whatever it leads to by links. */
static void add_path(struct strings *list, const char *path)
{
    char *at = xstrdup(path);
    for (int i = 0; at && i < MAX_LINKS; i++) {
        char target[PATH_MAX];
        add_place(list, at);
        ssize_t n = readlink(at, target, sizeof target - 1);
        char *next = NULL;
        if (n > 0) {
            target[n] = '\0';
            char *dir = parent_of(at);
            next = target[0] == '/' ? xstrdup(target) : strings_printf("%s/%s", dir, target);
            free(dir);
        }
        free(at);
        at = next;
    }
    free(at);
    char *real = realpath(path, NULL);
    if (real)
        add_place(list, real);
    free(real);
}

static void add_program(struct strings *list, const char *path)
{
    char *at = xstrdup(path);
    for (int i = 0; at && i < MAX_INTERPRETERS; i++) {
        add_path(list, at);
        char *next = interpreter_of(at);
        free(at);
        at = next;
    }
    free(at);
}

static void add_word(struct strings *list, const char *word)
{
    if (word[0] == '/' && access(word, F_OK) == 0)
        add_program(list, word);
}

/* A word with blanks in it is most likely a script for a shell, and whatever in it looks like the path of a file that is there
 * means that file. The program that a script starts is told by its path or not at all. */
static void add_script(struct strings *list, const char *word)
{
    static const char ends[] = " \t\n'\"`;&|<>()=$,:";
    if (!strpbrk(word, " \t\n"))
        return;
    for (const char *at = word; *at;) {
        at += strspn(at, ends);
        size_t length = strcspn(at, ends);
        char *part = strings_printf("%.*s", (int)length, at);
        add_word(list, part);
        free(part);
        at += length;
    }
}

char **spec_visible(char *const *words, const char *cwd)
{
    struct strings list = {0};
    for (char *const *word = words; *word; word++) {
        const char *equals = strchr(*word, '=');
        char *program = strchr(*word, '/') ? NULL : look_up(*word);
        add_word(&list, *word);
        add_script(&list, *word);
        if (equals) /* --config=/home/me/server.json */
            add_word(&list, equals + 1);
        if (program) /* any word: a prefix is followed by the commands it starts */
            add_program(&list, program);
        free(program);
    }
    if (cwd)
        add_word(&list, cwd);
    return strings_take(&list);
}

void spec_make_absolute(char **words, bool others)
{
    char *here = getcwd(NULL, 0);
    for (size_t i = 0; here && words[i] && (i == 0 || others); i++) {
        bool relative = words[i][0] && words[i][0] != '/' && words[i][0] != '{' && words[i][0] != '~';
        if (!relative || !is_regular(words[i]) || (i == 0 && !strchr(words[i], '/')))
            continue;
        char *absolute = strings_printf("%s/%s", here, words[i]);
        free(words[i]);
        words[i] = absolute;
    }
    free(here);
}
