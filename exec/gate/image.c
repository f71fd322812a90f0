/* One instruction of a Dockerfile is one row of the table below. */
#include "exec/gate/image.h"

#include <ctype.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "exec/gate/tree.h"

enum { FILE_MAX = 64 << 20, TOTAL_MAX = 256 << 20 };

static void say_beyond(struct image *image, int line, const char *what, const char *text)
{
    if (!image->beyond)
        image->beyond = strings_printf("line %d of its Dockerfile %s: %.120s", line, what, tree_shown(text));
}

/* The next word of *text, quotes taken away; NULL at the end. To be freed. */
static char *next_word(const char **text)
{
    const char *at = *text + strspn(*text, " \t");
    if (!*at)
        return NULL;
    struct buf word;
    buf_init(&word, SIZE_MAX);
    for (char quote = 0; *at && (quote || !strchr(" \t", *at)); at++) {
        if (quote ? *at == quote : *at == '"' || *at == '\'')
            quote = quote ? 0 : *at;
        else if (*at == '\\' && at[1] && quote != '\'')
            buf_add_byte(&word, (uint8_t)*++at);
        else
            buf_add_byte(&word, (uint8_t)*at);
    }
    *text = at;
    char *copy = xstrdup(buf_string(&word));
    buf_release(&word);
    return copy;
}

static bool climbs(const char *path)
{
    for (const char *at = path; at; at = strchr(at, '/'), at = at ? at + 1 : NULL)
        if (!strncmp(at, "..", 2) && (at[2] == '/' || !at[2]))
            return true;
    return false;
}

static char *absolute(const struct image *image, const char *path)
{
    while (!strncmp(path, "./", 2))
        path += 2;
    if (*path == '/')
        return xstrdup(path);
    if (!strcmp(path, "."))
        path = "";
    return strings_printf("%s%s%s", image->workdir, image->workdir[1] ? "/" : "", path);
}

/* --- instructions --- */

static void take_from(struct image *image, int line, const char *text)
{
    static const char *const bases[] = {"debian", "ubuntu", "docker.io/library/debian", "docker.io/library/ubuntu", "docker.io/debian"};
    if (image->workdir) {
        say_beyond(image, line, "begins a second stage", text);
        return;
    }
    image->workdir = xstrdup("/");
    for (size_t i = 0; i < sizeof bases / sizeof *bases; i++)
        if (!strncmp(text, bases[i], strlen(bases[i])))
            return;
    say_beyond(image, line, "has a base that this machine's programs cannot stand for", text);
}

static void take_workdir(struct image *image, int line, const char *text)
{
    const char *at = text;
    char *word = next_word(&at);
    if (!word || climbs(word) || strchr(word, '$'))
        say_beyond(image, line, "has a directory that is not plain", text);
    else {
        char *path = absolute(image, word);
        free(image->workdir);
        image->workdir = path;
    }
    free(word);
}

static void take_env(struct image *image, int line, const char *text)
{
    const char *at = text;
    char *word = next_word(&at);
    if (word && !strchr(word, '=')) { /* the old form: NAME the rest */
        at += strspn(at, " \t");
        char *pair = strings_printf("%s=%s", word, at);
        strings_set(&image->env, pair);
        free(pair);
        free(word);
        return;
    }
    for (; word; word = next_word(&at)) {
        if (!strchr(word, '=') || strchr(word, '$'))
            say_beyond(image, line, "has a variable that is not plain", text);
        else
            strings_set(&image->env, word);
        free(word);
    }
}

static void take_copy(struct image *image, int line, const char *text)
{
    struct strings words = {0};
    const char *at = text;
    for (char *word; (word = next_word(&at)); free(word)) {
        if (!strncmp(word, "--", 2) && strncmp(word, "--chmod=", 8) && strncmp(word, "--chown=root", 12))
            say_beyond(image, line, "copies with an option", text);
        else if (strncmp(word, "--", 2))
            strings_add(&words, word);
        if (climbs(word) || strpbrk(word, "*?[$<") || strstr(word, "://"))
            say_beyond(image, line, "copies what is not a plain name in its context", text);
    }
    for (size_t i = 0; i + 1 < words.count; i++) {
        char *to = absolute(image, words.items[words.count - 1]);
        strings_add(&image->copies, words.items[i]);
        strings_add(&image->copies, to);
        free(to);
    }
    if (words.count < 2)
        say_beyond(image, line, "copies nothing", text);
    strings_release(&words);
}

/* Is a package of Debian's installed on this machine? */
static bool is_installed(const char *package)
{
    char *pattern[] = {strings_printf("/var/lib/dpkg/info/%s.list", package), strings_printf("/var/lib/dpkg/info/%s:amd64.list", package),
                       strings_printf("/var/lib/dpkg/info/%s:arm64.list", package)};
    bool found = false;
    for (size_t i = 0; i < sizeof pattern / sizeof *pattern; i++) {
        found |= access(pattern[i], F_OK) == 0;
        free(pattern[i]);
    }
    return found;
}

/* apt-get and directories only; whose packages this machine has. */
static void take_command(struct image *image, int line, char *command)
{
    const char *at = command;
    bool install = false, first = true;
    for (char *word; (word = next_word(&at)); free(word), first = false) {
        if (first && strcmp(word, "apt-get") && strcmp(word, "apt") && strcmp(word, "rm") && strcmp(word, "mkdir") && strcmp(word, "true"))
            say_beyond(image, line, "runs a command", command);
        else if (first && !strcmp(word, "rm") && !strstr(command, "/var/lib/apt/lists"))
            say_beyond(image, line, "removes files", command);
        else if (first && !strcmp(word, "mkdir"))
            say_beyond(image, line, "makes directories", command);
        else if (!strcmp(word, "install"))
            install = true;
        else if (install && word[0] != '-') {
            word[strcspn(word, "=")] = '\0';
            if (strspn(word, "abcdefghijklmnopqrstuvwxyz0123456789+-.") != strlen(word) || !is_installed(word))
                say_beyond(image, line, "wants a package that this machine lacks", word);
        }
    }
}

static void take_run(struct image *image, int line, const char *text)
{
    char *copy = xstrdup(text), *rest = copy;
    for (char *command; (command = rest);) {
        char *and = strstr(command, "&&"), *semicolon = strchr(command, ';');
        char *end = and && (!semicolon || and < semicolon) ? and : semicolon;
        rest = end ? end + (end == and ? 2 : 1) : NULL;
        if (end)
            *end = '\0';
        take_command(image, line, command);
    }
    free(copy);
}

static void take_nothing(struct image *image, int line, const char *text)
{
}

static void take_user(struct image *image, int line, const char *text)
{
    if (strcmp(text, "root") && strcmp(text, "0"))
        say_beyond(image, line, "has another user than root", text);
}

static const struct instruction {
    const char *name;
    void (*take)(struct image *image, int line, const char *text);
} instructions[] = {
    {"FROM", take_from}, {"WORKDIR", take_workdir}, {"ENV", take_env}, {"COPY", take_copy}, {"RUN", take_run}, {"USER", take_user}, {"CMD", take_nothing},
    {"ENTRYPOINT", take_nothing}, {"LABEL", take_nothing}, {"EXPOSE", take_nothing}, {"MAINTAINER", take_nothing},
};

static void take_line(struct image *image, int line, char *text)
{
    char *end = text + strlen(text);
    while (end > text && isspace((unsigned char)end[-1]))
        *--end = '\0';
    text += strspn(text, " \t");
    if (!*text || *text == '#')
        return;
    size_t length = strcspn(text, " \t");
    const char *rest = text + length + strspn(text + length, " \t");
    for (size_t i = 0; i < sizeof instructions / sizeof *instructions; i++) {
        if (strlen(instructions[i].name) != length || strncasecmp(text, instructions[i].name, length) != 0)
            continue;
        if (!image->workdir && instructions[i].take != take_from)
            say_beyond(image, line, "stands before FROM", text);
        else
            instructions[i].take(image, line, rest);
        return;
    }
    say_beyond(image, line, "is not one that can be followed here", text);
}

void image_read(struct image *image, struct bytes text)
{
    memset(image, 0, sizeof *image);
    struct buf whole;
    buf_init(&whole, SIZE_MAX);
    int line = 0, first = 1;
    for (size_t at = 0; at < text.len;) {
        const uint8_t *newline = memchr(text.data + at, '\n', text.len - at);
        size_t end = newline ? (size_t)(newline - text.data) : text.len;
        struct bytes part = bytes_slice(text, at, end);
        at = end + 1;
        line++;
        if (!whole.len)
            first = line;
        bool comment = whole.len && part.len && part.data[0] == '#';
        if (!comment && part.len && part.data[part.len - 1] == '\\') {
            buf_add(&whole, bytes_slice(part, 0, part.len - 1));
            continue;
        }
        if (comment)
            continue;
        buf_add(&whole, part);
        if (memchr(whole.data ? whole.data : (const uint8_t *)"", 0, whole.len))
            say_beyond(image, line, "holds a NUL", "");
        buf_add_byte(&whole, '\0');
        take_line(image, first, (char *)whole.data);
        buf_clear(&whole);
    }
    buf_release(&whole);
    if (!image->workdir) {
        say_beyond(image, line, "is the last, without a FROM", "");
        image->workdir = xstrdup("/");
    }
}

void image_release(struct image *image)
{
    free(image->workdir);
    free(image->beyond);
    strings_release(&image->env);
    strings_release(&image->copies);
    memset(image, 0, sizeof *image);
}

/* One COPY: what is in a directory goes to the place named; a file goes there, or into it when it is, or is written as, a directory. */
static int lay_one(const char *context, const char *from, const char *root, const char *to, struct error **err)
{
    const struct tree_rules rules = {.foreign = true, .file_max = FILE_MAX, .total_max = TOTAL_MAX};
    char source[PATH_MAX], target[PATH_MAX], path[PATH_MAX];
    struct stat st;
    from += strspn(from, "/");
    while (!strncmp(from, "./", 2))
        from += 2;
    snprintf(source, sizeof source, "%s", strcmp(from, ".") ? from : "");
    snprintf(target, sizeof target, "%s", to);
    bool into = target[strlen(target) - 1] == '/';
    for (size_t n = strlen(source); n && source[n - 1] == '/'; n--)
        source[n - 1] = '\0';
    for (size_t n = strlen(target); n && target[n - 1] == '/'; n--)
        target[n - 1] = '\0';
    snprintf(path, sizeof path, "%.2000s/%.2000s", context, source);
    if (lstat(path, &st) < 0)
        return error_set(err, ERR_INPUT, "its Dockerfile copies '%s', which is not there", tree_shown(source));
    char *inside = strings_printf("%s%s", root, target);
    struct stat there;
    if (!S_ISDIR(st.st_mode) && (into || (lstat(inside, &there) == 0 && S_ISDIR(there.st_mode)))) {
        const char *slash = strrchr(source, '/');
        snprintf(path, sizeof path, "%.2000s/%.2000s", target, slash ? slash + 1 : source);
    } else
        snprintf(path, sizeof path, "%s", target);
    free(inside);
    return tree_copy(context, source, root, path, &rules, err);
}

int image_lay(const struct image *image, const char *context, const char *root, struct error **err)
{
    for (size_t i = 0; i + 1 < image->copies.count; i += 2)
        TRY(lay_one(context, image->copies.items[i], root, image->copies.items[i + 1], err));
    return tree_make_dir(root, image->workdir, err);
}
