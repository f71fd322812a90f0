/* From the arguments of `send` to a request over HTTP, and from its answer to results; see mcp_ask_http.h.
 *
 * What libcurl could not put on the wire as it stands (control characters in a header, blanks in an address) is refused here, since
 * the fault would be ours. */
#include "exec/target/mcp_ask_http.h"

#include <ctype.h>
#include <string.h>

#include "exec/target/session_internal.h"

enum { VERB_MAX = 16, FIELDS_MAX = 32, VALUE_MAX = 64 << 10 };

static bool is_verb(struct bytes text)
{
    for (size_t i = 0; i < text.len; i++)
        if (!isupper(text.data[i]))
            return false;
    return text.len > 0 && text.len <= VERB_MAX;
}

/* A path or query behind the address, as RFC 3986 writes it. */
static bool is_suffix(struct bytes text)
{
    for (size_t i = 0; i < text.len; i++)
        if (text.data[i] <= ' ' || text.data[i] >= 0x7f)
            return false;
    return text.len > 0 && (text.data[0] == '/' || text.data[0] == '?');
}

static bool is_name(struct bytes text)
{
    for (size_t i = 0; i < text.len; i++)
        if (!isalnum(text.data[i]) && !strchr("!#$%&'*+-.^_`|~", text.data[i] ? text.data[i] : ' '))
            return false;
    return text.len > 0;
}

static bool is_value(const struct json *value)
{
    if (json_is(value, JSON_NULL))
        return true;
    struct bytes text = json_as_text(value);
    for (size_t i = 0; i < text.len; i++)
        if (text.data[i] == '\0' || text.data[i] == '\r' || text.data[i] == '\n')
            return false;
    return json_is(value, JSON_STRING) && text.len <= VALUE_MAX;
}

static const char *read_fields(const struct json *headers, struct arena *a, struct mcp_http_ask *ask)
{
    if (!json_is(headers, JSON_OBJECT) || headers->count > FIELDS_MAX)
        return "send: headers are no object of a few names";
    struct mcp_http_field *fields = arena_alloc(a, (headers->count + 1) * sizeof *fields);
    for (const struct json *one = headers->first; one; one = one->next) {
        if (!is_name(one->key) || !is_value(one))
            return "send: a header that HTTP has no way to write";
        fields[ask->field_count++] = (struct mcp_http_field){
            .name = arena_string(a, one->key), .value = json_is(one, JSON_NULL) ? NULL : arena_string(a, one->text)};
    }
    ask->fields = fields;
    return NULL;
}

const char *mcp_ask_read(const struct json *args, bool over_http, struct arena *a, const struct mcp_http_ask **result)
{
    const struct json *verb = json_get(args, "verb"), *suffix = json_get(args, "suffix"), *headers = json_get(args, "headers");
    *result = NULL;
    if (!verb && !suffix && !headers)
        return NULL;
    if (!over_http)
        return "send:http";
    struct mcp_http_ask *ask = arena_alloc(a, sizeof *ask);
    *ask = (struct mcp_http_ask){0};
    if ((verb && !is_verb(json_as_text(verb))) || (suffix && !is_suffix(json_as_text(suffix))))
        return "send: a verb or address that HTTP has no way to write";
    ask->verb = verb ? arena_string(a, verb->text) : NULL;
    ask->suffix = suffix ? arena_string(a, suffix->text) : NULL;
    *result = ask;
    return headers ? read_fields(headers, a, ask) : NULL;
}

void mcp_ask_result(struct call *call, const struct mcp_exchange *x)
{
    call->outcome.code = x->http_status;
    call_put_integer(call, "status", x->http_status);
    if (x->http_type)
        call_put_bytes(call, "type", bytes_of_string(x->http_type));
    if (x->http_session)
        call_put_bytes(call, "session", bytes_of_string(x->http_session));
    call_put_bytes(call, "content", x->lines);
}
