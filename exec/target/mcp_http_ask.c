/* One HTTP request: its address, headers and options, ours or as raw bytes want them; and what the watch over duties is told of
 * it.
 *
 * Only one liberty taken with a request lets an answer be judged: with two of them nobody could say which was refused. */
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "exec/target/mcp_handshake.h"
#include "exec/target/mcp_http.h"
#include "exec/target/mcp_json.h"
#include "exec/target/strings.h"
#include "exec/target/url.h"

enum { CONNECT_MS = 10000, REDIRECTS_MAX = 5, SESSION_USUAL = 128 };

static const struct mcp_http_ask as_ours = {.verb = "POST"};

static const struct mcp_http_ask *ask_of(const struct post *p)
{
    return p->kind == POST_RAW && p->exchange->ask ? p->exchange->ask : &as_ours;
}

static const char *verb_of(const struct post *p)
{
    const char *verb = ask_of(p)->verb;
    if (p->kind == POST_DELETE)
        return "DELETE";
    if (p->kind == POST_LISTEN || p->kind == POST_RESUME)
        return "GET";
    return verb ? verb : "POST";
}

static const struct mcp_http_field *field_of(const struct mcp_http_ask *ask, const char *name)
{
    for (size_t i = 0; i < ask->field_count; i++)
        if (strcasecmp(ask->fields[i].name, name) == 0)
            return &ask->fields[i];
    return NULL;
}

/* The id that a request of the session bears; after its end, the one it had. */
static const char *session_id(const struct mcp_http *h)
{
    return h->session ? h->session : h->ended;
}

/* --- headers --- */

static void append(struct curl_slist **list, const char *name, const char *value)
{
    /* To libcurl "Name:" means none, and "Name;" an empty one. */
    char *line = !value ? strings_printf("%s:", name) : *value ? strings_printf("%s: %s", name, value) : strings_printf("%s;", name);
    *list = curl_slist_append(*list, line);
    free(line);
}

static void append_field(struct curl_slist **list, const struct mcp_http *h, const struct mcp_http_field *field)
{
    static const char mark[] = "{session}";
    const char *at = field->value ? strstr(field->value, mark) : NULL;
    if (!at) {
        append(list, field->name, field->value);
        return;
    }
    char *value = strings_printf("%.*s%s%s", (int)(at - field->value), field->value, session_id(h) ? session_id(h) : "",
                                 at + sizeof mark - 1);
    append(list, field->name, value);
    free(value);
}

static bool is_overridden(const struct mcp_http_ask *ask, const char *line)
{
    for (size_t i = 0; i < ask->field_count; i++) {
        size_t length = strlen(ask->fields[i].name);
        if (strncasecmp(line, ask->fields[i].name, length) == 0 && line[length] == ':')
            return true;
    }
    return false;
}

/* What every message of its kind says, unless the request states it itself. */
static void append_own(struct curl_slist **list, const struct post *p, const struct mcp_http_ask *ask)
{
    const struct mcp_http *h = p->client->http;
    bool posts = p->kind == POST_MESSAGE || (p->kind == POST_RAW && strcmp(verb_of(p), "GET") != 0);
    bool goes_on = (p->kind == POST_RESUME || p->kind == POST_LISTEN) && *p->sse.last_id;
    struct mcp_mirror mirror;
    struct arena a;
    arena_init(&a);
    mcp_http_mirror(p, &a, &mirror);
    const struct {
        const char *name, *value;
    } rows[] = {{"Content-Type", posts ? "application/json" : NULL},
                {"Accept", posts ? "application/json, text/event-stream" : "text/event-stream"},
                {"Mcp-Session-Id", p->kind == POST_RAW ? session_id(h) : h->session},
                {"MCP-Protocol-Version", mcp_client_is_modern(p->client) ? mirror.version : h->version},
                {"Mcp-Method", mirror.method},
                {"Mcp-Name", mirror.name},
                {"Last-Event-ID", goes_on ? p->sse.last_id : NULL}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (rows[i].value && !field_of(ask, rows[i].name))
            append(list, rows[i].name, rows[i].value);
    arena_release(&a);
}

static void set_headers(struct post *p)
{
    const struct mcp_http *h = p->client->http;
    const struct mcp_http_ask *ask = ask_of(p);
    struct curl_slist *list = curl_slist_append(NULL, "Expect:"); /* no question before the body */
    append_own(&list, p, ask);
    const char *const *more = p->kind == POST_MESSAGE && p->exchange ? p->exchange->headers : NULL;
    for (const char *const *header = more; header && *header; header++)
        list = curl_slist_append(list, *header);
    for (const char *const *header = h->headers; header && *header; header++)
        if (!is_overridden(ask, *header))
            list = curl_slist_append(list, *header);
    for (size_t i = 0; i < ask->field_count; i++)
        append_field(&list, h, &ask->fields[i]);
    p->headers = list;
    curl_easy_setopt(p->easy, CURLOPT_HTTPHEADER, list);
}

/* --- options --- */

/* Every connection begins here, whatever led to it (a redirect, a name that has another address now), so this is where one to
 * another machine ends. */
static curl_socket_t open_socket(void *context, curlsocktype purpose, struct curl_sockaddr *address)
{
    struct post *p = context;
    const struct mcp_http *h = p->client->http;
    if (h->local_only && !url_address_is_here(&address->addr)) {
        p->refused = "it leads to another machine; --allow-remote if that is meant";
        return CURL_SOCKET_BAD;
    }
    return h->socket ? h->socket(h->context, address->family)
                     : socket(address->family, address->socktype | SOCK_CLOEXEC, address->protocol);
}

/* Headers that were given for one server are not for the one that it sends us to. */
static int before_request(void *context, char *to_ip, char *from_ip, int to_port, int from_port)
{
    struct post *p = context;
    const struct mcp_http *h = p->client->http;
    const char *url = NULL;
    if (!h->headers || !*h->headers || curl_easy_getinfo(p->easy, CURLINFO_EFFECTIVE_URL, &url) != CURLE_OK || !url ||
        url_same_place(h->url, url))
        return CURL_PREREQFUNC_OK;
    p->refused = "it leads to another server, which is not told our headers";
    return CURL_PREREQFUNC_ABORT;
}

static void set_verb(struct post *p)
{
    const char *verb = verb_of(p);
    if (strcmp(verb, "HEAD") == 0) {
        curl_easy_setopt(p->easy, CURLOPT_NOBODY, 1L);
        return;
    }
    if (p->cursor.plan) {
        mcp_http_plan_options(p);
        return;
    }
    if (p->length || strcmp(verb, "POST") == 0) {
        curl_easy_setopt(p->easy, CURLOPT_POSTFIELDS, p->body);
        curl_easy_setopt(p->easy, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)p->length);
    }
    if (strcmp(verb, "POST") != 0)
        curl_easy_setopt(p->easy, CURLOPT_CUSTOMREQUEST, verb);
}

static void set_url(struct post *p)
{
    const struct mcp_http *h = p->client->http;
    const char *url = h->endpoint && strcmp(verb_of(p), "POST") == 0 ? h->endpoint : h->url, *suffix = ask_of(p)->suffix;
    if (!suffix) {
        curl_easy_setopt(p->easy, CURLOPT_URL, url);
        return;
    }
    char *whole = strings_printf("%s%s", url, suffix);
    curl_easy_setopt(p->easy, CURLOPT_URL, whole); /* copies */
    free(whole);
}

static void set_trust(CURL *e, const struct mcp_http *h)
{
    if (h->ca_file)
        curl_easy_setopt(e, CURLOPT_CAINFO, h->ca_file);
    if (h->insecure) {
        curl_easy_setopt(e, CURLOPT_SSL_VERIFYPEER, 0L);
        curl_easy_setopt(e, CURLOPT_SSL_VERIFYHOST, 0L);
    }
}

static void set_options(struct post *p)
{
    struct mcp_http *h = p->client->http;
    CURL *e = p->easy;
    curl_easy_setopt(e, CURLOPT_PROTOCOLS_STR, "http,https");
    curl_easy_setopt(e, CURLOPT_NOPROXY, "localhost,127.0.0.1,::1");
    curl_easy_setopt(e, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(e, CURLOPT_CONNECTTIMEOUT_MS, (long)CONNECT_MS);
    curl_easy_setopt(e, CURLOPT_FOLLOWLOCATION, 1L);
    curl_easy_setopt(e, CURLOPT_MAXREDIRS, (long)REDIRECTS_MAX);
    curl_easy_setopt(e, CURLOPT_POSTREDIR, (long)CURL_REDIR_POST_ALL);
    curl_easy_setopt(e, CURLOPT_TCP_NODELAY, 1L);
    curl_easy_setopt(e, CURLOPT_WRITEFUNCTION, mcp_http_take);
    curl_easy_setopt(e, CURLOPT_WRITEDATA, p);
    curl_easy_setopt(e, CURLOPT_HEADERFUNCTION, mcp_http_header);
    curl_easy_setopt(e, CURLOPT_HEADERDATA, p);
    curl_easy_setopt(e, CURLOPT_ERRORBUFFER, p->error);
    curl_easy_setopt(e, CURLOPT_PRIVATE, p);
    set_trust(e, h);
    curl_easy_setopt(e, CURLOPT_OPENSOCKETFUNCTION, open_socket);
    curl_easy_setopt(e, CURLOPT_OPENSOCKETDATA, p);
    curl_easy_setopt(e, CURLOPT_PREREQFUNCTION, before_request);
    curl_easy_setopt(e, CURLOPT_PREREQDATA, p);
    if (p->kind == POST_RAW) { /* what a server leaves unread of an odd request is not to meet our next one */
        curl_easy_setopt(e, CURLOPT_FRESH_CONNECT, 1L);
        curl_easy_setopt(e, CURLOPT_FORBID_REUSE, 1L);
    }
    if (h->local_only)
        curl_easy_setopt(e, CURLOPT_PROXY, ""); /* what the environment names may be elsewhere */
}

/* --- what the watch is told --- */

static enum duty_message kind_of_raw(struct mcp_client *c, struct bytes text)
{
    struct json *m = NULL;
    arena_clear(&c->scratch);
    if (mcp_json_read(&c->scratch, text, &m) != MCP_JSON_OK || !json_is(m, JSON_OBJECT) ||
        !bytes_equal_string(json_as_text(json_get(m, "jsonrpc")), "2.0"))
        return DUTY_NO_MESSAGE;
    const struct json *method = json_get(m, "method"), *id = json_get(m, "id");
    bool named = json_is(id, JSON_STRING) || json_is(id, JSON_NUMBER);
    if (!method)
        return named && !json_get(m, "result") != !json_get(m, "error") ? DUTY_RESPONSE : DUTY_NO_MESSAGE;
    if (!json_is(method, JSON_STRING) || (id && !named))
        return DUTY_NO_MESSAGE;
    bool first = bytes_equal_string(method->text, "initialize");
    return !id ? DUTY_NOTIFICATION : first ? DUTY_INITIALIZE : DUTY_REQUEST;
}

static enum duty_message kind_of(struct post *p)
{
    struct bytes text = bytes_of(p->body, p->length);
    if (p->kind == POST_RAW)
        return kind_of_raw(p->client, text);
    if (p->exchange && !p->exchange->notification)
        return strcmp(p->exchange->method, "initialize") == 0 ? DUTY_INITIALIZE : DUTY_REQUEST;
    return bytes_starts(text, BYTES_LITERAL("{\"jsonrpc\":\"2.0\",\"method\"")) ? DUTY_NOTIFICATION : DUTY_RESPONSE;
}

static enum duty_session session_of(const struct mcp_http *h, const struct mcp_http_field *field)
{
    const char *id = session_id(h), *value = field ? field->value : id;
    if (!value)
        return DUTY_SESSION_NONE;
    if (id && (strcmp(value, id) == 0 || strcmp(value, "{session}") == 0))
        return h->session ? DUTY_SESSION_OWN : DUTY_SESSION_ENDED;
    size_t length = strlen(value);
    for (const char *at = value; *at; at++)
        if (*at < 0x21 || *at > 0x7e)
            return DUTY_SESSION_ODD;
    return length && length <= SESSION_USUAL ? DUTY_SESSION_UNKNOWN : DUTY_SESSION_ODD;
}

static bool accepts_all(const char *value, bool get)
{
    return value && strstr(value, "text/event-stream") && (get || strstr(value, "application/json"));
}

/* Which liberty a header takes that a request of ours would not have. */
static enum duty_liberty liberty_of(const struct post *p, const struct mcp_http_field *f)
{
    const struct mcp_http *h = p->client->http;
    if (strcasecmp(f->name, "Origin") == 0)
        return f->value && strncasecmp(f->value, h->url, strlen(f->value)) != 0 ? DUTY_LIBERTY_ORIGIN : DUTY_LIBERTY_NONE;
    if (strcasecmp(f->name, "MCP-Protocol-Version") == 0)
        return !f->value ? DUTY_LIBERTY_OTHER : mcp_version_is_known(bytes_of_string(f->value)) ? DUTY_LIBERTY_NONE : DUTY_LIBERTY_VERSION;
    if (strcasecmp(f->name, "Authorization") == 0)
        return f->value ? DUTY_LIBERTY_TOKEN : DUTY_LIBERTY_NO_TOKEN;
    if (strcasecmp(f->name, "Accept") == 0)
        return accepts_all(f->value, strcmp(verb_of(p), "GET") == 0) ? DUTY_LIBERTY_NONE : DUTY_LIBERTY_OTHER;
    if (strcasecmp(f->name, "Mcp-Session-Id") == 0 || strncasecmp(f->name, "X-", 2) == 0)
        return DUTY_LIBERTY_NONE; /* the session is told apart */
    return DUTY_LIBERTY_OTHER;
}

static enum duty_verb duty_verb(const char *verb)
{
    return strcmp(verb, "POST") == 0 ? DUTY_POST : strcmp(verb, "GET") == 0 ? DUTY_GET : strcmp(verb, "DELETE") == 0 ? DUTY_DELETE : DUTY_VERB_OTHER;
}

static void tell_raw(struct post *p, struct duty_http_exchange *d)
{
    const struct mcp_http_ask *ask = ask_of(p);
    unsigned taken = 0;
    for (size_t i = 0; i < ask->field_count; i++) {
        enum duty_liberty one = liberty_of(p, &ask->fields[i]);
        taken += one != DUTY_LIBERTY_NONE;
        d->liberty = one != DUTY_LIBERTY_NONE ? one : d->liberty;
    }
    d->session = session_of(p->client->http, field_of(ask, "Mcp-Session-Id"));
    bool session = d->session != DUTY_SESSION_OWN && d->sessions && d->message != DUTY_INITIALIZE;
    bool no_message = d->verb == DUTY_POST && d->message == DUTY_NO_MESSAGE;
    if (ask->suffix || d->verb == DUTY_VERB_OTHER || no_message || taken + session > 1)
        d->liberty = DUTY_LIBERTY_OTHER;
    else if (session)
        d->liberty = DUTY_LIBERTY_SESSION;
}

static void tell(struct post *p)
{
    struct mcp_http *h = p->client->http;
    struct duty_http_exchange *d = &p->duty;
    *d = (struct duty_http_exchange){
        .verb = duty_verb(verb_of(p)),
        .sessions = session_id(h) != NULL,
        .session = h->session ? DUTY_SESSION_OWN : DUTY_SESSION_NONE,
        .listening = h->listening,
        .old = h->old,
        .stream = p->number,
        .kind = p->kind == POST_LISTEN ? DUTY_STREAM_LISTEN : p->kind == POST_RESUME ? DUTY_STREAM_RESUMED : DUTY_STREAM_ANSWER,
        .id = p->exchange ? p->exchange->id : 0,
    };
    if (d->verb == DUTY_POST)
        d->message = kind_of(p);
    h->ending |= d->verb == DUTY_DELETE;
    if (p->kind == POST_RAW)
        tell_raw(p, d);
    if (p->cursor.plan) { /* a frame of a mutator's: no message, for all we know */
        d->liberty = DUTY_LIBERTY_OTHER;
        d->id = 0;
    }
}

void mcp_http_ask(struct post *p)
{
    set_headers(p);
    set_options(p);
    set_url(p);
    set_verb(p);
    tell(p);
}
