/* Reading what a target is given: --env, --env-file, --header, --bearer, and ${…} in all of them and in configurations. */
#include "exec/target/given_internal.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/bytes.h"
#include "base/fs.h"

enum { FILE_MAX = 1 << 20, VALUE_MAX = 1 << 20, NAME_MAX_BYTES = 255 };

void given_init(struct given *g)
{
    *g = (struct given){.secrets = redactor_new()};
}

void given_release(struct given *g)
{
    strings_release(&g->env);
    strings_release(&g->headers);
    strings_release(&g->warnings);
    redactor_free(g->secrets);
    *g = (struct given){0};
}

/* --- ${…} --- */

static bool is_name(const char *text, size_t length)
{
    if (!length || length > NAME_MAX_BYTES || isdigit((unsigned char)*text))
        return false;
    for (size_t i = 0; i < length; i++)
        if (!isalnum((unsigned char)text[i]) && text[i] != '_')
            return false;
    return true;
}

/* What stands between "${" and "}". */
static int expand_one(struct given *g, const char *where, struct bytes inside, struct buf *out, struct error **err)
{
    char text[1024];
    if (inside.len >= sizeof text)
        return error_set(err, ERR_INPUT, "%s: ${…} with %zu bytes, expected a variable's name", where, inside.len);
    memcpy(text, inside.data, inside.len);
    text[inside.len] = '\0';
    char *name = strncmp(text, "env:", 4) == 0 ? text + 4 : text, *otherwise = strstr(name, ":-");
    if (otherwise) {
        *otherwise = '\0';
        otherwise += 2;
    }
    if (!is_name(name, strlen(name)))
        return error_set(err, ERR_INPUT, "%s: found ${%.40s}, expected ${NAME}, ${env:NAME} or ${NAME:-otherwise}", where, name);
    const char *value = getenv(name);
    if (otherwise && (!value || !*value)) {
        buf_add_string(out, otherwise);
        return 0;
    }
    if (!value)
        return error_set(err, ERR_INPUT, "%s: the variable %s is not set, expected it in the environment", where, name);
    given_secret(g, name, value);
    buf_add_string(out, value);
    return 0;
}

int given_expand(struct given *g, const char *where, const char *text, struct buf *out, struct error **err)
{
    for (const char *at = text; *at;) {
        const char *begin = strstr(at, "${"), *end = begin ? strchr(begin, '}') : NULL;
        if (!begin) {
            buf_add_string(out, at);
            return 0;
        }
        if (!end)
            return error_set(err, ERR_INPUT, "%s: found ${ without its }, expected ${NAME}", where);
        buf_add(out, bytes_of(at, (size_t)(begin - at)));
        TRY(expand_one(g, where, bytes_of(begin + 2, (size_t)(end - begin) - 2), out, err));
        at = end + 1;
    }
    return 0;
}

/* Expanded, owned by the caller; NULL on an error. */
static char *expanded(struct given *g, const char *where, const char *text, struct error **err)
{
    struct buf out;
    buf_init(&out, VALUE_MAX);
    char *value = NULL;
    if (given_expand(g, where, text, &out, err) == 0 && !out.overflow)
        value = xstrdup(buf_string(&out));
    else if (out.overflow)
        error_set(err, ERR_INPUT, "%s: a value of more than %d bytes", where, VALUE_MAX);
    buf_release(&out);
    return value;
}

/* --- files --- */

void given_look_at_file(struct given *g, const char *file)
{
    struct stat st;
    if (stat(file, &st) == 0 && S_ISREG(st.st_mode) && st.st_mode & S_IROTH)
        strings_addf(&g->warnings, "%s can be read by everybody on this machine (mode %04o); chmod 600 keeps it to you", file,
                     (unsigned)st.st_mode & 07777);
}

/* A file's text, owned by the caller; NULL on an error. */
static char *read_text(struct given *g, const char *flag, const char *file, struct error **err)
{
    struct buf text;
    char *copy = NULL;
    buf_init(&text, FILE_MAX);
    if (fs_read(file, FILE_MAX, &text, err) < 0) {
        if (err && *err)
            (*err)->code = ERR_INPUT;
        error_wrap(err, "%s", flag);
    } else if (text.len && memchr(text.data, 0, text.len)) {
        error_set(err, ERR_INPUT, "%s: %s: a NUL byte, expected text", flag, file);
    } else {
        given_look_at_file(g, file);
        copy = xstrdup(buf_string(&text));
    }
    buf_release(&text);
    return copy;
}

/* Hands each line that says something to `take`. */
static int each_line(struct given *g, const char *flag, const char *file,
                     int (*take)(struct given *, const char *where, char *line, struct error **), struct error **err)
{
    char *text = read_text(g, flag, file, err), *at = text;
    if (!text)
        return ERR_INPUT;
    int status = 0;
    for (unsigned number = 1; status == 0 && at; number++) {
        char *line = strsep(&at, "\n");
        size_t length = strlen(line);
        if (length && line[length - 1] == '\r')
            line[length - 1] = '\0';
        if (!line[strspn(line, " \t")] || *line == '#')
            continue;
        char *where = strings_printf("%s: %s:%u", flag, file, number);
        status = take(g, where, line, err);
        free(where);
    }
    free(text);
    return status;
}

/* --- variables --- */

int given_add_env(struct given *g, const char *where, const char *name, const char *value, struct error **err)
{
    if (!is_name(name, strlen(name)))
        return error_set(err, ERR_INPUT, "%s: bad name before '=', expected letters, digits and _", where);
    char *variable = strings_printf("%s=%s", name, value);
    strings_set(&g->env, variable);
    free(variable);
    return 0;
}

/* NAME, whose value is ours. What is no name is not shown: it may be a value without its name, as in a file of another kind. */
static int inherit(struct given *g, const char *where, const char *name, struct error **err)
{
    const char *value = getenv(name);
    if (!is_name(name, strlen(name)))
        return error_set(err, ERR_INPUT, "%s: expected NAME=VALUE or the NAME of a variable", where);
    if (!value)
        return error_set(err, ERR_INPUT, "%s: the variable%s%s is not set, expected it in the environment", where,
                         strchr(where, ' ') ? " named there" : " ", strchr(where, ' ') ? "" : name);
    given_secret(g, name, value);
    return given_add_env(g, where, name, value, err);
}

/* Splits at the first '='; NULL, when there is none. */
static char *split(char *text)
{
    char *equals = strchr(text, '=');
    if (equals)
        *equals++ = '\0';
    return equals;
}

int given_env(struct given *g, const char *text, struct error **err)
{
    char *name = xstrdup(text), *written = split(name), *value = NULL;
    int status = 0;
    if (!written) {
        status = inherit(g, "--env", name, err);
    } else if (!(value = expanded(g, "--env", written, err))) {
        status = ERR_INPUT;
    } else {
        if (!strstr(written, "${"))
            given_literal(g, name, value);
        status = given_add_env(g, "--env", name, value, err);
    }
    free(value);
    free(name);
    return status;
}

static int take_variable(struct given *g, const char *where, char *line, struct error **err)
{
    char *value = split(line);
    if (!value)
        return inherit(g, where, line, err);
    given_literal(g, line, value);
    return given_add_env(g, where, line, value, err);
}

int given_env_file(struct given *g, const char *file, struct error **err)
{
    return each_line(g, "--env-file", file, take_variable, err);
}

/* --- headers --- */

int given_add_header(struct given *g, const char *where, const char *line, struct error **err)
{
    size_t name = strcspn(line, ":");
    if (!line[name] || !name || strcspn(line, " \t\r\n") < name)
        return error_set(err, ERR_INPUT, "%s: found no NAME: before a value, expected NAME: VALUE", where);
    if (strpbrk(line, "\r\n"))
        return error_set(err, ERR_INPUT, "%s: the value of %.*s has more than one line", where, (int)name, line);
    strings_add(&g->headers, line);
    given_header_secret(g, line);
    return 0;
}

static int take_header(struct given *g, const char *where, char *line, struct error **err)
{
    return given_add_header(g, where, line, err);
}

int given_header(struct given *g, const char *text, struct error **err)
{
    if (*text == '@')
        return each_line(g, "--header", text + 1, take_header, err);
    char *line = expanded(g, "--header", text, err);
    int status = line ? given_add_header(g, "--header", line, err) : ERR_INPUT;
    free(line);
    return status;
}

/* A token is one word of visible ASCII, as RFC 6750 has it, and as far as a header can carry it. */
static int add_token(struct given *g, const char *where, const char *token, struct error **err)
{
    for (const char *c = token; *c; c++)
        if (*c < 0x21 || *c > 0x7e)
            return error_set(err, ERR_INPUT, "%s: a byte that no token has (white space, a control character, or beyond ASCII), expected "
                             "one word", where);
    if (!*token)
        return error_set(err, ERR_INPUT, "%s: found nothing, expected a token", where);
    char *line = strings_printf("Authorization: Bearer %s", token);
    strings_add(&g->headers, line);
    free(line);
    given_secret(g, "bearer", token);
    return 0;
}

int given_bearer(struct given *g, const char *text, struct error **err)
{
    char *token = expanded(g, "--bearer", text, err);
    int status = token ? add_token(g, "--bearer", token, err) : ERR_INPUT;
    free(token);
    return status;
}

int given_bearer_file(struct given *g, const char *file, struct error **err)
{
    char *text = read_text(g, "--bearer-file", file, err);
    if (!text)
        return ERR_INPUT;
    char *token = text + strspn(text, " \t\r\n");
    size_t length = strlen(token);
    while (length && strchr(" \t\r\n", token[length - 1]))
        token[--length] = '\0';
    char *where = strings_printf("--bearer-file: %s", file);
    int status = add_token(g, where, token, err);
    free(where);
    free(text);
    return status;
}
