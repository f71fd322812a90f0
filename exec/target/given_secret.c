/* Which of the values that a target is given are secret. */
#include "exec/target/given_internal.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

#include "base/bytes.h"

enum { WORD_MAX = 12, PART_MAX = 40 };

/* Variables that every program has, and that say nothing about anybody. */
static bool is_everyones(const char *name)
{
    static const char *const names[] = {"HOME", "PATH",  "PWD",      "USER",    "LOGNAME", "SHELL",  "LANG",
                                        "TERM", "TMPDIR", "TZ",      "HOSTNAME", "DISPLAY", "LC_ALL", "NODE_ENV"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(name, names[i]) == 0)
            return true;
    return strncmp(name, "XDG_", 4) == 0 || strncmp(name, "LC_", 3) == 0;
}

bool given_speaks_of_secret(const char *name)
{
    static const char *const words[] = {"token", "key",  "secret", "pass",  "pwd",     "auth",      "cred",
                                        "cookie", "priv", "sign",  "bearer", "session", "cert",     "dsn", "conn"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strcasestr(name, words[i]))
            return true;
    return false;
}

static bool all_of(const char *text, int (*class)(int), const char *more)
{
    for (; *text; text++)
        if (!class((unsigned char)*text) && !strchr(more, *text))
            return false;
    return true;
}

static bool is_path(const char *text)
{
    if (!strchr("/.~{", *text) || !all_of(text, isalnum, "/._-~{}@ "))
        return false;
    for (const char *part = text; part; part = strchr(part, '/') ? strchr(part, '/') + 1 : NULL)
        if (strcspn(part, "/") > PART_MAX)
            return false;
    return true;
}

/* Nobody would keep it from anybody. */
static bool is_plain(const char *value)
{
    if (strlen(value) <= WORD_MAX && all_of(value, isalpha, ""))
        return true;
    if (all_of(value, isdigit, ".:,"))
        return true;
    if (strncmp(value, "http://", 7) == 0 || strncmp(value, "https://", 8) == 0)
        return !strpbrk(value, "@?");
    return is_path(value);
}

void given_secret(struct given *g, const char *name, const char *value)
{
    if (is_everyones(name) || redactor_add(g->secrets, name, bytes_of_string(value)))
        return;
    if (*value && given_speaks_of_secret(name))
        strings_addf(&g->warnings, "the value of %s has fewer than %d bytes, so it cannot be told from other text and is not left out",
                     name, REDACT_MIN);
}

void given_literal(struct given *g, const char *name, const char *value)
{
    if (given_speaks_of_secret(name) || !is_plain(value))
        given_secret(g, name, value);
}

/* From `at` to the first of `ends`, under the name. */
static void secret_part(struct given *g, const char *name, const char *at, size_t length)
{
    struct buf part;
    buf_init(&part, 1 << 16);
    buf_add(&part, bytes_of(at, length));
    if (part.len)
        redactor_add(g->secrets, name, buf_bytes(&part));
    buf_release(&part);
}

void given_url(struct given *g, const char *url)
{
    const char *host = strstr(url, "://");
    if (!host)
        return;
    host += 3;
    size_t authority = strcspn(host, "/?#");
    const char *at = memrchr(host, '@', authority), *colon = at ? memchr(host, ':', (size_t)(at - host)) : NULL;
    if (colon)
        secret_part(g, "password", colon + 1, (size_t)(at - colon - 1));
    for (const char *pair = strpbrk(host, "?"); pair; pair = strchr(pair + 1, '&')) {
        const char *name = pair + 1, *equals = name + strcspn(name, "=&#");
        char key[64] = "";
        if (*equals != '=' || (size_t)(equals - name) >= sizeof key)
            continue;
        memcpy(key, name, (size_t)(equals - name));
        if (given_speaks_of_secret(key))
            secret_part(g, key, equals + 1, strcspn(equals + 1, "&#"));
    }
}

/* Headers that only say how to talk. */
static bool is_manners(const char *name, size_t length)
{
    static const char *const names[] = {"accept", "accept-language", "accept-encoding", "content-type", "user-agent",
                                        "mcp-protocol-version", "cache-control", "connection", "origin"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strlen(names[i]) == length && strncasecmp(name, names[i], length) == 0)
            return true;
    return false;
}

/* "Bearer", "Basic": the word in front that says how to read the rest. */
static bool is_scheme(const char *value, const char *part, size_t length)
{
    static const char *const names[] = {"bearer", "basic", "digest", "token", "apikey", "negotiate"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (part == value && strlen(names[i]) == length && strncasecmp(part, names[i], length) == 0)
            return true;
    return false;
}

/* Of "Bearer abc" also abc, of "a=b; c=d" also b and d: a server may show them alone. */
void given_header_secret(struct given *g, const char *line)
{
    size_t length = strcspn(line, ":");
    char name[64];
    if (!line[length] || is_manners(line, length))
        return;
    size_t kept = length < sizeof name ? length : sizeof name - 1;
    memcpy(name, line, kept);
    name[kept] = '\0';
    const char *value = line + length + 1 + strspn(line + length + 1, " \t");
    bool speaks = given_speaks_of_secret(name);
    if (speaks || !is_plain(value))
        secret_part(g, name, value, strlen(value));
    for (const char *part = value; *part; part += strspn(part, " ;,")) {
        size_t size = strcspn(part, " ;,");
        const char *equals = memchr(part, '=', size);
        const char *from = equals && equals + 1 < part + size && equals[1] != '=' ? equals + 1 : part;
        struct buf piece;
        buf_init(&piece, 1 << 16);
        buf_add(&piece, bytes_of(from, size - (size_t)(from - part)));
        if (!is_scheme(value, part, size) && (speaks || !is_plain(buf_string(&piece))))
            redactor_add(g->secrets, name, buf_bytes(&piece));
        buf_release(&piece);
        part += size;
    }
}
