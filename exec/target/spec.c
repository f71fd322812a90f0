/* SPEC strings: the table of kinds, and splitting into words.
 *
 * The splitter is one pass over the text with three states (plain, single quotes, double quotes), as POSIX
 * shell command language 2.2 and 2.3 have it, less expansions and comments. */
#include "exec/target/spec.h"

#include <stdlib.h>
#include <string.h>

#include "base/fs.h"
#include "exec/target/cdp/endpoint.h"
#include "exec/target/ssh_host.h"
#include "exec/target/url.h"

/* --- words --- */

static const char operators[] = "|&;<>()";

static void add(struct buf *word, char c)
{
    buf_add_byte(word, (uint8_t)c);
}

/* Takes one character after a backslash between double quotes, where it quotes only some. */
static void add_escaped_in_quotes(struct buf *word, char c)
{
    if (c == '\n')
        return;
    if (!strchr("$`\"\\", c))
        add(word, '\\');
    add(word, c);
}

/* From an opening quote to the closing one; *at is left on that. False when there is none. */
static bool add_quoted(struct buf *word, const char **at)
{
    char quote = *(*at)++;
    for (; **at && **at != quote; ++*at) {
        if (quote == '"' && **at == '\\' && (*at)[1])
            add_escaped_in_quotes(word, *++*at);
        else
            add(word, **at);
    }
    return **at == quote;
}

static bool is_space(char c)
{
    return c == ' ' || c == '\t' || c == '\n';
}

/* One word from *at on, which is not on white space. */
static int take_word(const char *text, const char **at, struct buf *word, struct error **err)
{
    for (; **at && !is_space(**at); ++*at) {
        size_t position = (size_t)(*at - text) + 1;
        if (**at == '\'' || **at == '"') {
            char quote = **at;
            if (!add_quoted(word, at))
                return error_set(err, ERR_INPUT, "the quote %c at character %zu is not closed", quote,
                                 position);
        } else if (**at == '\\') {
            if (!(*at)[1])
                return error_set(err, ERR_INPUT, "a backslash at the end quotes nothing");
            if (*++*at != '\n') /* a line that goes on */
                add(word, **at);
        } else if (strchr(operators, **at)) {
            return error_set(
                err, ERR_INPUT,
                "'%c' at character %zu is an operator to a shell, but none reads this; quote it, or use "
                "sh -c '…'",
                **at, position);
        } else {
            add(word, **at);
        }
    }
    return 0;
}

int spec_split(const char *text, char ***words, struct error **err)
{
    struct strings list = {0};
    struct buf word;
    int status = 0;
    buf_init(&word, strlen(text));
    for (const char *at = text; status == 0;) {
        while (is_space(*at))
            at++;
        if (!*at)
            break;
        const char *from = at;
        buf_clear(&word);
        status = take_word(text, &at, &word, err);
        /* Nothing but a continued line is no word. */
        bool empty = word.len == 0 && !memchr(from, '\'', (size_t)(at - from)) &&
                     !memchr(from, '"', (size_t)(at - from));
        if (status == 0 && !empty)
            strings_add(&list, buf_string(&word));
    }
    buf_release(&word);
    *words = status == 0 ? strings_take(&list) : NULL;
    strings_release(&list);
    return status;
}

/* --- kinds --- */

static int demo_words(const char *rest, char ***words, struct error **err)
{
    char *program = fs_helper("leakybox", err);
    if (!program)
        return ERR_TARGET;
    struct strings list = {0};
    strings_add_all(&list, (const char *const[]){program, "{root}", "--faults", *rest ? rest : "demo", NULL});
    *words = strings_take(&list);
    free(program);
    return 0;
}

/* ssh with what makes it fit for a program: no terminal, no questions. The words are its own, the host last. */
static int ssh_words(const char *rest, char ***words, struct error **err)
{
    char **given = NULL;
    TRY(spec_split(rest, &given, err));
    struct strings list = {0};
    if (*given)
        strings_add_all(&list, (const char *const[]){"ssh", "-T", "-o", "BatchMode=yes", "-o", "ConnectTimeout=10", NULL});
    strings_add_all(&list, (const char *const *)given);
    strings_free(given);
    *words = strings_take(&list);
    return 0;
}

static bool ssh_remote(char *const *words)
{
    return !ssh_is_here(words);
}

/* A command may lead anywhere; of those whose trade that is, ssh is the one whose way can be asked for. */
static bool command_remote(char *const *words)
{
    return words[0] && ssh_is_client(words[0]) && !ssh_is_here(words);
}

static int no_words(const char *rest, char ***words, struct error **err)
{
    if (*rest)
        return error_set(err, ERR_INPUT, "found '%s' behind it, expected nothing", rest);
    struct strings none = {0};
    *words = strings_take(&none);
    return 0;
}

/* The one word of such a target is its address. */
static int url_words(const char *scheme, const char *rest, char ***words, struct error **err)
{
    char host[256];
    int port;
    char *url = strings_printf("%s%s", scheme, rest), *http = endpoint_as_http(url);
    bool good = url_address(http, host, &port) && !strpbrk(url, " \t\r\n");
    free(http);
    if (!good) {
        free(url);
        return error_set(err, ERR_INPUT, "not an address, expected %sHOST[:PORT]/PATH", scheme);
    }
    struct strings list = {0};
    strings_add(&list, url);
    free(url);
    *words = strings_take(&list);
    return 0;
}

static int http_words(const char *rest, char ***words, struct error **err)
{
    return url_words("http:", rest, words, err);
}

static int https_words(const char *rest, char ***words, struct error **err)
{
    return url_words("https:", rest, words, err);
}

static int ws_words(const char *rest, char ***words, struct error **err)
{
    return url_words("ws:", rest, words, err);
}

static int wss_words(const char *rest, char ***words, struct error **err)
{
    return url_words("wss:", rest, words, err);
}

static bool url_remote(char *const *words)
{
    char host[256];
    int port;
    return !url_address(words[0], host, &port) || !url_is_here(host);
}

static bool browser_remote(char *const *words)
{
    char *http = endpoint_as_http(words[0]);
    bool remote = url_remote((char *const[]){http, NULL});
    free(http);
    return remote;
}

static const struct spec_kind kinds[] = {
    {.prefix = "http:",
     .driver = &driver_http,
     .form = "http://HOST[:PORT]/PATH",
     .doc = "an MCP server over streamable HTTP",
     .beyond = true,
     .remote = url_remote,
     .words = http_words},
    {.prefix = "https:",
     .driver = &driver_http,
     .form = "https://HOST[:PORT]/PATH",
     .doc = "the same over TLS",
     .beyond = true,
     .remote = url_remote,
     .words = https_words},
    {.prefix = "mcp:",
     .driver = &driver_mcp,
     .form = "mcp:COMMAND LINE",
     .doc = "an MCP server, spoken to over its standard input and output",
     .needs_words = true,
     .remote = command_remote,
     .words = spec_split},
    {.prefix = "exec:",
     .driver = &driver_exec,
     .form = "exec:PREFIX",
     .doc = "a command that runs a command, one process a call; nothing: our box alone",
     .remote = command_remote,
     .words = spec_split},
    {.prefix = "ssh:",
     .driver = &driver_exec,
     .form = "ssh:[OPTIONS] [USER@]HOST",
     .doc = "commands on a host that ssh reaches without a password",
     .needs_words = true,
     .joins = true,
     .beyond = true,
     .remote = ssh_remote,
     .words = ssh_words},
    {.prefix = "local",
     .driver = &driver_exec,
     .form = "local",
     .doc = "our box alone, with what this machine allows: namespaces, limits, control groups",
     .words = no_words},
    {.prefix = "cdp:ws:",
     .driver = &driver_cdp_url,
     .form = "cdp:ws://HOST[:PORT]/PATH",
     .doc = "a browser elsewhere, over the DevTools protocol",
     .beyond = true,
     .remote = browser_remote,
     .words = ws_words},
    {.prefix = "cdp:wss:",
     .driver = &driver_cdp_url,
     .form = "cdp:wss://HOST[:PORT]/PATH",
     .doc = "the same over TLS",
     .beyond = true,
     .remote = browser_remote,
     .words = wss_words},
    {.prefix = "cdp:http:",
     .driver = &driver_cdp_url,
     .form = "cdp:http://HOST[:PORT]",
     .doc = "the same, where /json/version says at which address",
     .beyond = true,
     .remote = url_remote,
     .words = http_words},
    {.prefix = "cdp:https:",
     .driver = &driver_cdp_url,
     .form = "cdp:https://HOST[:PORT]",
     .doc = "the same over TLS",
     .beyond = true,
     .remote = url_remote,
     .words = https_words},
    {.prefix = "cdp:",
     .driver = &driver_cdp,
     .form = "cdp:CHROMIUM [FLAG]…",
     .doc = "a Chromium of this machine, as cdp:chromium, over the DevTools protocol; commands run beside it in our box",
     .needs_words = true,
     .words = spec_split},
    {.prefix = "plugin:",
     .driver = &driver_plugin,
     .form = "plugin:COMMAND LINE",
     .doc = "a driver of your own, a program that speaks the plug-in protocol on its standard input and output",
     .needs_words = true,
     .remote = command_remote,
     .words = spec_split},
    {.prefix = "demo",
     .driver = &driver_mcp,
     .form = "demo[:FAULTS]",
     .doc = "leakybox, an MCP server of ours with planted faults; demo:none has none",
     .needs_words = true,
     .words = demo_words},
};

const struct spec_kind *spec_kind_at(size_t index)
{
    return index < sizeof kinds / sizeof *kinds ? &kinds[index] : NULL;
}

/* What follows the prefix, or NULL when the SPEC is of another kind. */
static const char *rest_of(const struct spec_kind *kind, const char *spec)
{
    size_t length = strlen(kind->prefix);
    if (strncmp(spec, kind->prefix, length) != 0)
        return NULL;
    if (kind->prefix[length - 1] == ':')
        return spec + length;
    return spec[length] == ':' ? spec + length + 1 : spec[length] == '\0' ? spec + length : NULL;
}

int spec_parse(const char *spec, const struct spec_kind **kind, char ***words, struct error **err)
{
    for (const struct spec_kind *k = kinds; k < kinds + sizeof kinds / sizeof *kinds; k++) {
        const char *rest = rest_of(k, spec);
        if (!rest)
            continue;
        *kind = k;
        int status = k->words(rest, words, err);
        if (status < 0) {
            error_wrap(err, "target '%s'", spec);
            return status;
        }
        if (k->needs_words && !**words) {
            strings_free(*words);
            return error_set(err, ERR_INPUT, "target '%s': a command must follow, as in %s", spec, k->form);
        }
        return 0;
    }
    return error_set(err, ERR_INPUT,
                     "unknown target '%s', expected mcp:COMMAND LINE, http://…, exec:PREFIX, ssh:HOST, local, cdp:chromium, "
                     "plugin:COMMAND LINE or demo[:FAULTS]", spec);
}
