/* Reading configuration files of MCP clients; see mcp_config.h.
 *
 * The text is read as JSON after comments and stray commas were made blanks, so that offsets, and with them lines, stay. */
#include "exec/target/mcp_config.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/encode.h"
#include "base/fs.h"
#include "base/json.h"

enum { FILE_MAX = 4 << 20, WORD_MAX = 1 << 20, NAMES_SHOWN = 400 };

struct reading {
    const char *file, *server;
    struct bytes text;
    struct arena arena;
    struct given *given;
    struct error **err;
};

static unsigned line_of(const struct reading *r, size_t offset)
{
    unsigned line = 1;
    for (size_t i = 0; i < offset && i < r->text.len; i++)
        line += r->text.data[i] == '\n';
    return line;
}

/* "FILE:LINE: server 'NAME'": where messages about a value begin. */
static const char *place(struct reading *r, const struct json *value)
{
    return arena_printf(&r->arena, "%s:%u: server '%s'", r->file, line_of(r, value->offset), r->server);
}

/* --- JSON as editors write it --- */

static size_t end_of_string(const uint8_t *text, size_t at, size_t length)
{
    for (at++; at < length && text[at] != '"'; at++)
        at += text[at] == '\\';
    return at;
}

static void blank(uint8_t *text, size_t from, size_t to)
{
    for (; from < to; from++)
        if (text[from] != '\n')
            text[from] = ' ';
}

/* The end of a comment at `at`; `at` when there is none. */
static size_t end_of_comment(const uint8_t *text, size_t at, size_t length)
{
    if (at + 1 >= length || text[at] != '/' || (text[at + 1] != '/' && text[at + 1] != '*'))
        return at;
    struct bytes all = bytes_of(text, length);
    bool line = text[at + 1] == '/';
    ptrdiff_t end = line ? bytes_find(all, BYTES_LITERAL("\n"), at) : bytes_find(all, BYTES_LITERAL("*/"), at + 2);
    return end < 0 ? length : (size_t)end + (line ? 0 : 2);
}

static void make_plain(uint8_t *text, size_t length)
{
    size_t comma = SIZE_MAX; /* the last thing that was no blank */
    for (size_t at = 0; at < length; at++) {
        size_t end = end_of_comment(text, at, length);
        if (end > at) {
            blank(text, at, end);
            at = end - 1;
        } else if (text[at] == '"') {
            at = end_of_string(text, at, length);
            comma = SIZE_MAX;
        } else if (text[at] == ',') {
            comma = at;
        } else if ((text[at] == '}' || text[at] == ']') && comma != SIZE_MAX) {
            text[comma] = ' ';
            comma = SIZE_MAX;
        } else if (!strchr(" \t\r\n", text[at])) {
            comma = SIZE_MAX;
        }
    }
}

/* The reader's "byte N: …" as a line of the file. */
static int bad_json(struct reading *r, const struct error *reason)
{
    const char *said = strstr(reason->text, "byte ");
    char *end = NULL;
    size_t offset = said ? (size_t)strtoull(said + 5, &end, 10) : 0;
    const char *words = end && strncmp(end, ": ", 2) == 0 ? end + 2 : reason->text;
    return error_set(r->err, ERR_INPUT, "%s:%u: no JSON: %s", r->file, line_of(r, offset), words);
}

static int read_document(struct reading *r, struct buf *text, struct json **document)
{
    struct error *reason = NULL;
    if (fs_read(r->file, FILE_MAX, text, &reason) < 0) {
        int status = error_set(r->err, ERR_INPUT, "--mcp-config: %s", reason->text);
        error_free(reason);
        return status;
    }
    make_plain(text->data, text->len);
    r->text = buf_bytes(text);
    struct bytes json = bytes_starts(r->text, BYTES_LITERAL("\xef\xbb\xbf")) ? bytes_slice(r->text, 3, r->text.len) : r->text;
    if (json_read(&r->arena, json, NULL, "", document, NULL, &reason) < 0) {
        int status = bad_json(r, reason);
        error_free(reason);
        return status;
    }
    return 0;
}

/* --- which server --- */

static const struct json *find_servers(const struct json *document)
{
    const struct json *places[] = {document, json_get(document, "mcp")};
    for (size_t i = 0; i < 2; i++) {
        static const char *const keys[] = {"mcpServers", "servers"};
        for (size_t k = 0; k < 2; k++)
            if (json_is(json_get(places[i], keys[k]), JSON_OBJECT))
                return json_get(places[i], keys[k]);
    }
    return NULL;
}

static bool is_disabled(const struct json *entry)
{
    return json_as_bool(json_get(entry, "disabled"), false) || !json_as_bool(json_get(entry, "enabled"), true);
}

/* The names that can be chosen, with commas. */
static const char *names_of(struct reading *r, const struct json *servers, size_t *count)
{
    struct buf names;
    buf_init(&names, NAMES_SHOWN);
    *count = 0;
    for (const struct json *one = servers->first; one; one = one->next) {
        if (is_disabled(one))
            continue;
        buf_add_string(&names, *count ? ", " : "");
        buf_add(&names, one->key);
        ++*count;
    }
    if (names.overflow)
        buf_cut(&names, NAMES_SHOWN - 4);
    const char *text = arena_printf(&r->arena, "%s%s", buf_string(&names), names.overflow ? " …" : "");
    buf_release(&names);
    return text;
}

static int choose(struct reading *r, const struct json *servers, const struct json **entry)
{
    size_t count;
    const char *names = names_of(r, servers, &count);
    if (r->server) {
        *entry = json_get(servers, r->server);
        if (!*entry)
            return error_set(r->err, ERR_INPUT, "%s has no server '%s', expected one of: %s", r->file, r->server, count ? names : "(none)");
        if (is_disabled(*entry))
            return error_set(r->err, ERR_INPUT, "%s:%u: server '%s' is disabled", r->file, line_of(r, (*entry)->offset), r->server);
        return 0;
    }
    if (count != 1)
        return error_set(r->err, ERR_INPUT, "%s has %zu servers%s%s%s", r->file, count, count ? ": " : ", expected one", names,
                         count ? "; --server NAME chooses one" : "");
    for (const struct json *one = servers->first; one; one = one->next)
        if (!is_disabled(one))
            *entry = one;
    r->server = arena_string(&r->arena, (*entry)->key);
    return 0;
}

/* --- its members --- */

/* A string, or a number or truth value as one; NULL with an error. */
static const char *text_of(struct reading *r, const struct json *value, const char *what)
{
    if (json_is(value, JSON_TRUE) || json_is(value, JSON_FALSE))
        return json_is(value, JSON_TRUE) ? "true" : "false";
    bool good = json_is(value, JSON_STRING) || json_is(value, JSON_NUMBER);
    if (good && !memchr(value->text.data ? value->text.data : (const uint8_t *)"", 0, value->text.len))
        return arena_string(&r->arena, value->text);
    error_set(r->err, ERR_INPUT, "%s: \"%s\" is %s, expected text", place(r, value), what,
              good ? "text with a NUL" : json_kind_name(value->kind));
    return NULL;
}

/* The member's text with ${…} expanded; owned; NULL: absent, or an error. *raw is what stands there. */
static char *expand_member(struct reading *r, const struct json *value, const char *what, const char **raw)
{
    char *text = NULL;
    *raw = value ? text_of(r, value, what) : NULL;
    if (!*raw)
        return NULL;
    struct buf out;
    buf_init(&out, WORD_MAX);
    const char *where = arena_printf(&r->arena, "%s: \"%s\"", place(r, value), what);
    if (given_expand(r->given, where, *raw, &out, r->err) == 0)
        text = xstrdup(buf_string(&out));
    buf_release(&out);
    return text;
}

static int take_variable(struct reading *r, const struct json *value)
{
    const char *name = arena_string(&r->arena, value->key), *raw;
    char *text = expand_member(r, value, name, &raw);
    if (!text)
        return ERR_INPUT;
    if (!strstr(raw, "${"))
        given_literal(r->given, name, text);
    int status = given_add_env(r->given, place(r, value), name, text, r->err);
    free(text);
    return status;
}

static int take_header(struct reading *r, const struct json *value)
{
    const char *name = arena_string(&r->arena, value->key), *raw;
    char *text = expand_member(r, value, name, &raw);
    if (!text)
        return ERR_INPUT;
    char *line = strings_printf("%s: %s", name, text);
    int status = given_add_header(r->given, place(r, value), line, r->err);
    free(line);
    free(text);
    return status;
}

static int each_member(struct reading *r, const struct json *entry, const char *key,
                       int (*take)(struct reading *, const struct json *))
{
    const struct json *object = json_get(entry, key);
    if (!object || json_is(object, JSON_NULL))
        return 0;
    if (!json_is(object, JSON_OBJECT))
        return error_set(r->err, ERR_INPUT, "%s: \"%s\" is %s, expected an object", place(r, object), key, json_kind_name(object->kind));
    for (const struct json *one = object->first; one; one = one->next)
        TRY(take(r, one));
    return 0;
}

static int take_word(struct reading *r, const struct json *value, const char *what, struct strings *words, struct buf *spec)
{
    const char *raw;
    char *word = expand_member(r, value, what, &raw);
    if (!word)
        return ERR_INPUT;
    strings_add(words, word);
    free(word);
    if (words->count > 1)
        buf_add_byte(spec, ' ');
    shell_word(spec, bytes_of_string(raw));
    return 0;
}

static int take_command(struct reading *r, const struct json *entry, struct strings *words, struct buf *spec)
{
    const struct json *args = json_get(entry, "args");
    buf_add_string(spec, "mcp:");
    TRY(take_word(r, json_get(entry, "command"), "command", words, spec));
    if (!*words->items[0])
        return error_set(r->err, ERR_INPUT, "%s: \"command\" is empty, expected a program", place(r, json_get(entry, "command")));
    if (args && !json_is(args, JSON_ARRAY) && !json_is(args, JSON_NULL))
        return error_set(r->err, ERR_INPUT, "%s: \"args\" is %s, expected an array", place(r, args), json_kind_name(args->kind));
    for (const struct json *one = args ? args->first : NULL; one; one = one->next)
        TRY(take_word(r, one, "args", words, spec));
    return 0;
}

static int take_url(struct reading *r, const struct json *entry, struct strings *words, struct buf *spec)
{
    const struct json *url = json_get(entry, "url");
    const char *raw;
    char *text = expand_member(r, url, "url", &raw);
    if (!text)
        return ERR_INPUT;
    bool good = strncasecmp(text, "http://", 7) == 0 || strncasecmp(text, "https://", 8) == 0;
    given_url(r->given, text);
    strings_add(words, text);
    free(text);
    buf_add_string(spec, raw);
    return good ? 0 : error_set(r->err, ERR_INPUT, "%s: \"url\" begins with neither http:// nor https://", place(r, url));
}

/* Which of the two kinds of server it is. */
static int take_target(struct reading *r, const struct json *entry, struct strings *words, struct buf *spec)
{
    static const char *const http[] = {"sse", "http", "streamable-http", "streamableHttp", "streamable_http"};
    const struct json *type = json_get(entry, "type");
    bool known = !type || bytes_equal_string(json_as_text(type), "stdio");
    for (size_t i = 0; i < sizeof http / sizeof *http; i++)
        known = known || bytes_equal_string(json_as_text(type), http[i]);
    if (!known)
        return error_set(r->err, ERR_INPUT, "%s: \"type\" is not known here, expected stdio or http", place(r, type));
    if (json_get(entry, "command"))
        return take_command(r, entry, words, spec);
    if (json_get(entry, "url"))
        return take_url(r, entry, words, spec);
    return error_set(r->err, ERR_INPUT, "%s: has neither \"command\" nor \"url\"", place(r, entry));
}

static int take_places(struct reading *r, const struct json *entry, struct mcp_config *config)
{
    const struct json *cwd = json_get(entry, "cwd"), *env_file = json_get(entry, "envFile");
    const char *raw;
    if (cwd && !json_is(cwd, JSON_NULL) && !(config->cwd = expand_member(r, cwd, "cwd", &raw)))
        return ERR_INPUT;
    if (!env_file || json_is(env_file, JSON_NULL))
        return 0;
    char *file = expand_member(r, env_file, "envFile", &raw);
    int status = file ? given_env_file(r->given, file, r->err) : ERR_INPUT;
    free(file);
    return status;
}

static int read_entry(struct reading *r, const struct json *document, struct mcp_config *config)
{
    const struct json *entry = NULL, *servers = find_servers(document);
    struct strings words = {0};
    struct buf spec;
    if (!servers)
        return error_set(r->err, ERR_INPUT, "%s:%u: no servers, expected an object with \"mcpServers\" or \"servers\"", r->file,
                         line_of(r, document->offset));
    TRY(choose(r, servers, &entry));
    if (!json_is(entry, JSON_OBJECT))
        return error_set(r->err, ERR_INPUT, "%s: is %s, expected an object", place(r, entry), json_kind_name(entry->kind));
    buf_init(&spec, WORD_MAX);
    int status = take_target(r, entry, &words, &spec);
    if (status == 0)
        status = take_places(r, entry, config);
    if (status == 0)
        status = each_member(r, entry, "env", take_variable);
    if (status == 0)
        status = each_member(r, entry, "headers", take_header);
    config->spec = xstrdup(buf_string(&spec));
    config->words = strings_take(&words);
    buf_release(&spec);
    return status;
}

int mcp_config_read(const char *file, const char *server, struct given *g, struct mcp_config *config, struct error **err)
{
    struct reading r = {.file = file, .server = server, .given = g, .err = err};
    struct json *document = NULL;
    struct buf text;
    *config = (struct mcp_config){0};
    buf_init(&text, FILE_MAX);
    arena_init(&r.arena);
    int status = read_document(&r, &text, &document);
    if (status == 0)
        status = read_entry(&r, document, config);
    if (status == 0 && redact_finds(g->secrets, r.text, NULL)) /* one is written out in it */
        given_look_at_file(g, file);
    arena_release(&r.arena);
    buf_release(&text);
    if (status < 0)
        mcp_config_release(config);
    return status;
}

void mcp_config_release(struct mcp_config *config)
{
    free(config->spec);
    strings_free(config->words);
    free(config->cwd);
    *config = (struct mcp_config){0};
}
