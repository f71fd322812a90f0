/* The form of any message: JSON-RPC 2.0 in UTF-8, ids, answers, notifications, lines. */
#include <string.h>

#include "exec/oracle/duty_internal.h"

static bool any_bad_utf8(const struct json *root)
{
    for (const struct json *at = root; at;) {
        if (at->bad_utf8)
            return true;
        at = json_next(root, at, true);
    }
    return false;
}

static bool is_integer(const struct json *value)
{
    int64_t whole;
    double real;
    if (!json_is(value, JSON_NUMBER))
        return false;
    return json_as_integer(value, &whole) ||
           (json_as_real(value, &real) && real >= -1e18 && real <= 1e18 && (double)(int64_t)real == real);
}

static void look_at_call(struct duty_watch *w, const struct json *message, struct bytes line)
{
    static const char *const requests[] = {"ping", "roots/list", "sampling/createMessage",
                                           "elicitation/create"};
    const struct json *method = json_get(message, "method"), *id = json_get(message, "id"),
                      *params = json_get(message, "params");
    if (!json_is(method, JSON_STRING)) {
        duty_say(w, 1, "a method that is no string", line);
        return;
    }
    if (json_get(message, "result") || json_get(message, "error"))
        duty_say(w, 1, "a message that is both a request and an answer", line);
    if (params && !json_is(params, JSON_OBJECT) && !json_is(params, JSON_ARRAY))
        duty_say(w, 1, "params that are neither an object nor an array", line);
    bool notification = bytes_starts(method->text, BYTES_LITERAL("notifications/"));
    if (id && notification)
        duty_say(w, 7, "a notification with an id", line);
    else if (id && !json_is(id, JSON_STRING) && !is_integer(id))
        duty_say(w, 2, "a request whose id is neither a text nor an integer", line);
    for (size_t i = 0; !id && i < sizeof requests / sizeof *requests; i++)
        if (bytes_equal_string(method->text, requests[i]))
            duty_say(w, 2, "a request without an id", line);
}

static void look_at_answer(struct duty_watch *w, const struct json *message, struct bytes line)
{
    const struct json *error = json_get(message, "error"), *result = json_get(message, "result");
    if (result && error)
        duty_say(w, 5, "an answer with both result and error", line);
    if (!result && !error)
        duty_say(w, json_get(message, "id") ? 5 : 1,
                 json_get(message, "id") ? "an answer with neither result nor error"
                                         : "a message that is no request, notification or answer",
                 line);
    if (!error)
        return;
    if (!is_integer(json_get(error, "code")))
        duty_say(w, 5, "an error whose code is no integer", line);
    if (!json_is(json_get(error, "message"), JSON_STRING))
        duty_say(w, 5, "an error without a message", line);
}

void duty_message_form(struct duty_watch *w, const struct json *message, struct bytes line)
{
    const struct json *version = json_get(message, "jsonrpc");
    if (any_bad_utf8(message))
        duty_say(w, 1, "bytes that are not UTF-8", line);
    if (!json_is(message, JSON_OBJECT)) {
        duty_say(w, 1, "a message that is no object", line);
        return;
    }
    if (!json_is(version, JSON_STRING) || !bytes_equal_string(version->text, "2.0"))
        duty_say(w, 1, "a message without \"jsonrpc\":\"2.0\"", line);
    if (json_get(message, "method"))
        look_at_call(w, message, line);
    else
        look_at_answer(w, message, line);
}

/* An answer to none of our open requests. That an id is foreign is decided elsewhere (mcp-04); here, that
 * there is none. Over HTTP an error in the body of a refusal needs no id, and what was too big to be read has
 * an id that nobody knows. */
void duty_message_error(struct duty_watch *w, const struct json *message, struct bytes line)
{
    const struct json *id = json_get(message, "id"), *error = json_get(message, "error");
    int64_t code = 0;
    if (id && !json_is(id, JSON_NULL))
        return;
    json_as_integer(json_get(error, "code"), &code);
    if (json_get(message, "result"))
        duty_say(w, w->notified ? 7 : 6, "a result without an id", line);
    else if (error && w->transport == DUTY_STDIO && !w->big)
        duty_say(w, w->notified && code == -32601 ? 7 : 6, "an error without an id", line);
}

void duty_batch(struct duty_watch *w, struct bytes line)
{
    arena_clear(&w->scratch);
    if (duty_since(w, "2025-06-18"))
        duty_say(w, 8, "several messages in one line", line);
}

/* An object whose end is not in the line: the rest stands in the next ones. */
static bool is_begun(struct bytes line)
{
    size_t depth = 0;
    bool in_text = false;
    for (size_t i = 0; i < line.len; i++) {
        uint8_t c = line.data[i];
        if (in_text && c == '\\')
            i++;
        else if (c == '"')
            in_text = !in_text;
        else if (!in_text && (c == '{' || c == '['))
            depth++;
        else if (!in_text && (c == '}' || c == ']') && depth-- <= 1)
            return false;
    }
    return depth > 0;
}

void duty_unread(struct duty_watch *w, struct bytes line)
{
    arena_clear(&w->scratch);
    if (!bytes_starts(line, BYTES_LITERAL("{")))
        return; /* a log's "[warn] …": a stray line, which has a check of its own */
    if (w->transport == DUTY_STDIO && is_begun(line))
        duty_say(w, 26, "a message that its line does not end", line);
    else
        duty_say(w, 1, "a message that is no JSON", line);
}

/* One that still owes an answer is busy, or hangs, which other checks say. */
void duty_closed(struct duty_watch *w, bool ended, struct bytes text)
{
    arena_clear(&w->scratch);
    if (w->transport == DUTY_STDIO && w->version && !ended && !w->open && !w->forgot)
        duty_say_should(w, 32, "lives on when its input has ended", text);
}
