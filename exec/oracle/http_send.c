/* Reading steps that sent requests of their own over HTTP; see http_send.h. */
#include "exec/oracle/http_send.h"

#include <string.h>
#include <strings.h>

enum { MESSAGE_MAX = 64 << 10 /* nothing longer is read: it is no ordinary message */ };

const struct json *http_message(const struct observation *o, struct arena *a)
{
    struct bytes text = observation_argument(o, "content");
    struct json *message = NULL;
    bool read = text.len <= MESSAGE_MAX && json_read(a, text, NULL, "content", &message, NULL, NULL) == 0;
    return read && json_is(message, JSON_OBJECT) ? message : NULL;
}

static bool is_id(const struct json *id)
{
    return json_is(id, JSON_STRING) || json_is(id, JSON_NUMBER);
}

/* A request or a notification; a response is lawful only where something was asked, which raw bytes cannot know. */
static bool lawful_message(const struct json *m)
{
    const struct json *id = json_get(m, "id"), *params = json_get(m, "params");
    return m && bytes_equal_string(json_as_text(json_get(m, "jsonrpc")), "2.0") && json_is(json_get(m, "method"), JSON_STRING) &&
           (!id || is_id(id)) && (!params || json_is(params, JSON_OBJECT));
}

static bool visible(struct bytes text)
{
    for (size_t i = 0; i < text.len; i++)
        if (text.data[i] < 0x21 || text.data[i] > 0x7e)
            return false;
    return text.len > 0;
}

/* Headers that a lawful client may choose. Its session id it may have from elsewhere, but a server gave it; the first request has
 * none. */
static bool lawful_header(const struct json *field, bool first)
{
    enum { ID_USUAL = 128 };
    char name[32];
    if (field->key.len >= sizeof name)
        return true;
    memcpy(name, field->key.data, field->key.len);
    name[field->key.len] = '\0';
    if (strcasecmp(name, "Mcp-Session-Id") == 0)
        return first ? !json_is(field, JSON_STRING) : json_is(field, JSON_STRING) && visible(field->text) && field->text.len <= ID_USUAL;
    return strcasecmp(name, "Origin") == 0 || strcasecmp(name, "Authorization") == 0 || strncasecmp(name, "X-", 2) == 0;
}

static bool lawful_verb(struct bytes verb, bool empty)
{
    if (!verb.len || bytes_equal_string(verb, "POST"))
        return !empty;
    return empty && (bytes_equal_string(verb, "GET") || bytes_equal_string(verb, "DELETE"));
}

/* The id was used before, or is used at the same time. */
static bool id_is_taken(const struct execution *e, size_t index, const struct json *id, struct arena *a)
{
    for (size_t i = 0; i < e->count; i++) {
        const struct json *other = i == index ? NULL : http_id(&e->observations[i], a);
        if (other && other->kind == id->kind && bytes_equal(other->text, id->text) &&
            strcmp(e->observations[i].step->session, e->observations[index].step->session) == 0)
            return true;
    }
    return false;
}

/* It went over HTTP, for all we know: what is given up has no answer that would show it. */
static bool over_http(const struct observation *o)
{
    return http_status(o) || (json_get(o->args, "verb") && o->step->cancel_after_ms >= 0);
}

static bool lawful_content(const struct execution *e, size_t index, bool *first)
{
    struct arena a;
    arena_init(&a);
    const struct json *message = http_message(&e->observations[index], &a), *id = json_get(message, "id");
    *first = bytes_equal_string(json_as_text(json_get(message, "method")), "initialize");
    bool lawful = lawful_message(message) && (!*first || json_get(message, "params")) &&
                  (!id || *first || !id_is_taken(e, index, id, &a));
    arena_release(&a);
    return lawful;
}

bool http_lawful(const struct execution *e, size_t index)
{
    const struct observation *o = &e->observations[index];
    struct bytes content = observation_argument(o, "content");
    const struct json *headers = json_get(o->args, "headers");
    bool first = false;
    if (!over_http(o) || json_get(o->args, "suffix") || !lawful_verb(observation_argument(o, "verb"), !content.len) ||
        (content.len && !lawful_content(e, index, &first)))
        return false;
    for (const struct json *one = headers ? headers->first : NULL; one; one = one->next)
        if (!lawful_header(one, first))
            return false;
    return true;
}

bool http_only_session(const struct observation *o)
{
    const struct json *headers = json_get(o->args, "headers");
    bool other = false;
    for (const struct json *one = headers ? headers->first : NULL; one; one = one->next)
        other |= one->key.len != strlen("Mcp-Session-Id") || strncasecmp((const char *)one->key.data, "Mcp-Session-Id", one->key.len) != 0;
    struct bytes verb = observation_argument(o, "verb");
    return !other && !json_get(o->args, "suffix") && (!verb.len || bytes_equal_string(verb, "POST"));
}

int http_status(const struct observation *o)
{
    int64_t status = 0;
    return observation_is(o, "send") && json_as_integer(json_get(o->outcome.result, "status"), &status) ? (int)status : 0;
}

struct bytes http_session(const struct observation *o)
{
    bool present;
    return observation_result(o, "session", &present);
}

const struct json *http_id(const struct observation *o, struct arena *a)
{
    if (!observation_is(o, "send"))
        return NULL;
    const struct json *id = json_get(http_message(o, a), "id");
    return is_id(id) ? id : NULL;
}
