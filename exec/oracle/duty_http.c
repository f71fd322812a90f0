/* Duties of streamable HTTP: which status and type a request gets, and which stream a message comes on.
 *
 * An answer is judged only when the request took no liberty, or one: see enum duty_liberty. What may mean something else than the
 * liberty taken (who are you, too many, the server itself is in trouble) says nothing. Memory is bounded: of messages and events
 * the last ones are remembered, by hash. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/hash.h"
#include "exec/oracle/duty_internal.h"

enum { MESSAGES_KEPT = 64, EVENTS_KEPT = 1024, TEXT_MAX = 200 };

struct duty_http_state {
    struct duty_http_exchange now; /* what the next message comes with */
    bool guarded;                  /* without a token it says 401 */
    struct {
        uint64_t hash, stream;
    } messages[MESSAGES_KEPT];
    uint64_t events[EVENTS_KEPT];
    size_t message_count, event_count;
};

static struct duty_http_state *state_of(struct duty_watch *w)
{
    if (!w->http)
        w->http = xcalloc(1, sizeof *w->http);
    return w->http;
}

const struct duty_http_exchange *duty_http_now(const struct duty_watch *w)
{
    return w->http ? &w->http->now : NULL;
}

static bool good(int status)
{
    return status >= 200 && status < 300;
}

static bool type_is(const struct duty_http_exchange *x, const char *type)
{
    size_t length = strlen(type);
    return x->type && strncasecmp(x->type, type, length) == 0 && strchr("; \t", x->type[length]);
}

/* --- saying it --- */

static const char *words_of(const struct duty_http_exchange *x)
{
    static const char *const verbs[] = {
        [DUTY_POST] = "", [DUTY_GET] = "GET", [DUTY_DELETE] = "DELETE", [DUTY_VERB_OTHER] = "another verb"};
    static const char *const messages[] = {[DUTY_NO_MESSAGE] = "POST", [DUTY_REQUEST] = "a request", [DUTY_INITIALIZE] = "initialize",
                                           [DUTY_NOTIFICATION] = "a notification", [DUTY_RESPONSE] = "a response"};
    return x->verb == DUTY_POST ? messages[x->message] : verbs[x->verb];
}

static void say(struct duty_watch *w, int number, const struct duty_http_exchange *x, const char *detail)
{
    static const char *const liberties[] = {
        [DUTY_LIBERTY_NONE] = "",
        [DUTY_LIBERTY_ORIGIN] = " with a foreign Origin",
        [DUTY_LIBERTY_SESSION] = " with another session id",
        [DUTY_LIBERTY_VERSION] = " with a bad MCP-Protocol-Version",
        [DUTY_LIBERTY_NO_TOKEN] = " without Authorization",
        [DUTY_LIBERTY_TOKEN] = " with another Authorization",
        [DUTY_LIBERTY_OTHER] = " of another kind",
    };
    char text[TEXT_MAX];
    snprintf(text, sizeof text, "%s%s -> HTTP %d %s, %llu bytes", words_of(x), liberties[x->liberty], x->status,
             x->type ? x->type : "without a type", (unsigned long long)x->length);
    if (duty_find(number)->level == DUTY_SHOULD_ONLY)
        duty_say_should(w, number, detail, bytes_of_string(text));
    else
        duty_say(w, number, detail, bytes_of_string(text));
}

static void say_status(struct duty_watch *w, int number, const struct duty_http_exchange *x, const char *what)
{
    char detail[TEXT_MAX];
    if (good(x->status))
        snprintf(detail, sizeof detail, "%s is served", what);
    else
        snprintf(detail, sizeof detail, "%s gives HTTP %d", what, x->status);
    say(w, number, x, detail);
}

/* --- requests that took no liberty --- */

static void look_at_post(struct duty_watch *w, const struct duty_http_exchange *x)
{
    if (!good(x->status) || x->message == DUTY_NO_MESSAGE)
        return;
    if (x->message == DUTY_NOTIFICATION || x->message == DUTY_RESPONSE) {
        char detail[TEXT_MAX];
        snprintf(detail, sizeof detail, "%s gives HTTP %d%s", words_of(x), x->status, x->length ? " with a body" : "");
        if (x->status != 202 || x->length)
            say(w, 37, x, detail);
    } else if (x->status != 200) {
        char detail[TEXT_MAX];
        snprintf(detail, sizeof detail, "a request gives HTTP %d", x->status);
        say(w, 38, x, detail);
    } else if (!type_is(x, "application/json") && !type_is(x, "text/event-stream")) {
        say(w, 38, x, "a request gives neither JSON nor an event stream");
    }
}

static void look_at_get(struct duty_watch *w, const struct duty_http_exchange *x)
{
    char detail[TEXT_MAX];
    if (x->status == 405 || (x->status == 200 && type_is(x, "text/event-stream")))
        return;
    snprintf(detail, sizeof detail, x->status == 200 ? "GET gives no event stream" : "GET gives HTTP %d", x->status);
    say(w, x->status == 404 ? 34 : 40, x, detail);
}

static void look_at_plain(struct duty_watch *w, const struct duty_http_exchange *x)
{
    switch (x->verb) {
    case DUTY_POST:
        look_at_post(w, x);
        break;
    case DUTY_GET:
        look_at_get(w, x);
        break;
    case DUTY_DELETE:
        if (x->sessions && !good(x->status) && x->status != 405)
            say_status(w, 47, x, "ending the session");
        break;
    case DUTY_VERB_OTHER:
        break;
    }
}

/* --- requests that took one --- */

static void look_at_session(struct duty_watch *w, const struct duty_http_exchange *x)
{
    switch (x->session) {
    case DUTY_SESSION_ENDED:
        if (x->status != 404)
            say_status(w, 45, x, "an ended session");
        break;
    case DUTY_SESSION_UNKNOWN:
        if (x->status != 404)
            say_status(w, 45, x, "an unknown session");
        break;
    case DUTY_SESSION_NONE:
        if (x->status != 400)
            say_status(w, 47, x, "a request without the session id");
        break;
    case DUTY_SESSION_OWN:
    case DUTY_SESSION_ODD: /* any refusal is right */
        break;
    }
}

static void look_at_origin(struct duty_watch *w, const struct duty_http_exchange *x)
{
    bool verb = x->status == 405 || x->status == 501; /* is not there for anybody */
    if (good(x->status) || (x->status != 403 && !verb && duty_since(w, "2025-11-25")))
        say_status(w, 35, x, "a foreign Origin");
}

static void look_at_version(struct duty_watch *w, const struct duty_http_exchange *x)
{
    if (duty_since(w, "2025-06-18") && x->message != DUTY_INITIALIZE && x->status != 400)
        say_status(w, 46, x, "a bad protocol version");
}

static void look_at_token(struct duty_watch *w, const struct duty_http_exchange *x)
{
    if (x->liberty == DUTY_LIBERTY_NO_TOKEN)
        state_of(w)->guarded |= x->status == 401;
    else if (state_of(w)->guarded && good(x->status))
        say_status(w, 95, x, "a wrong token");
}

/* Statuses that say something else than what a request asked for. */
static bool says_nothing(int status)
{
    static const int statuses[] = {0, 401, 407, 408, 421, 425, 429, 502, 503, 504};
    for (size_t i = 0; i < sizeof statuses / sizeof *statuses; i++)
        if (statuses[i] == status)
            return true;
    return false;
}

/* The stateless era has nothing but POST. */
static void look_at_modern(struct duty_watch *w, const struct duty_http_exchange *x)
{
    bool older = x->verb == DUTY_GET || x->verb == DUTY_DELETE;
    if (older && x->status != 405 && !says_nothing(x->status))
        say(w, 48, x, x->verb == DUTY_GET ? "a GET gets another HTTP status than 405" : "a DELETE gets another HTTP status than 405");
}

void duty_http(struct duty_watch *w, const struct duty_http_exchange *x)
{
    if (x->old)
        return;
    if (x->status == 401 && !x->challenge)
        say(w, 94, x, "HTTP 401 without WWW-Authenticate");
    if (w->modern) {
        look_at_modern(w, x);
        return;
    }
    bool token = x->liberty == DUTY_LIBERTY_NO_TOKEN || x->liberty == DUTY_LIBERTY_TOKEN;
    bool second = x->verb == DUTY_GET && x->status == 409 && x->listening; /* one stream at a time is a limit that it told */
    if ((!token && says_nothing(x->status)) || second)
        return;
    static void (*const looks[])(struct duty_watch *, const struct duty_http_exchange *) = {
        [DUTY_LIBERTY_NONE] = look_at_plain,       [DUTY_LIBERTY_ORIGIN] = look_at_origin,
        [DUTY_LIBERTY_SESSION] = look_at_session,  [DUTY_LIBERTY_VERSION] = look_at_version,
        [DUTY_LIBERTY_NO_TOKEN] = look_at_token,   [DUTY_LIBERTY_TOKEN] = look_at_token,
        [DUTY_LIBERTY_OTHER] = NULL,
    };
    if (looks[x->liberty])
        looks[x->liberty](w, x);
}

void duty_http_session(struct duty_watch *w, struct bytes id)
{
    bool fine = id.len > 0;
    if (w->modern) {
        duty_say_should(w, 48, "gives a session id", id);
        return;
    }
    for (size_t i = 0; i < id.len; i++)
        fine = fine && id.data[i] >= 0x21 && id.data[i] <= 0x7e;
    if (!fine)
        duty_say(w, 44, id.len ? "a session id with other bytes than visible ASCII" : "an empty session id", id);
}

/* --- streams --- */

void duty_http_event(struct duty_watch *w, const struct duty_http_exchange *x, struct bytes id)
{
    struct duty_http_state *s = state_of(w);
    uint64_t hash = hash64(id);
    if (x->old || !id.len)
        return;
    for (size_t i = 0; i < s->event_count && x->kind != DUTY_STREAM_RESUMED; i++)
        if (s->events[i] == hash) {
            duty_say(w, 43, "an event id is used twice", id);
            return;
        }
    if (s->event_count < EVENTS_KEPT)
        s->events[s->event_count++] = hash;
}

void duty_http_stream(struct duty_watch *w, const struct duty_http_exchange *x)
{
    state_of(w)->now = *x;
}

static void look_at_response(struct duty_watch *w, const struct duty_http_exchange *x, const struct json *id, struct bytes line)
{
    int64_t number = 0;
    bool known = json_is(id, JSON_NUMBER) && json_as_integer(id, &number);
    if (x->kind == DUTY_STREAM_LISTEN)
        duty_say(w, 41, "a response on the stream of a GET", line);
    else if (known && x->id && number != x->id && x->kind == DUTY_STREAM_RESUMED)
        duty_say(w, 43, "another stream's response where a stream is taken up again", line);
    else if (known && x->id && number != x->id)
        duty_say(w, 38, "a request gets the response to another one", line);
}

/* Responses and requests of the server's, by their ids; notifications have none that could tell them apart. */
static void look_for_twin(struct duty_watch *w, const struct duty_http_exchange *x, bool request, const struct json *id,
                          struct bytes line)
{
    struct duty_http_state *s = w->http;
    int64_t number = 0;
    bool numbered = json_is(id, JSON_NUMBER) && json_as_integer(id, &number);
    if (!numbered && !json_is(id, JSON_STRING))
        return;
    uint64_t hash = hash64_mix(numbered ? (uint64_t)number : hash64(id->text), request ? 2 : 1);
    for (size_t i = 0; i < MESSAGES_KEPT && i < s->message_count; i++)
        if (s->messages[i].hash == hash && s->messages[i].stream != x->stream) {
            duty_say(w, 42, request ? "a request on two streams" : "a response on two streams", line);
            return;
        }
    size_t at = s->message_count++ % MESSAGES_KEPT;
    s->messages[at].hash = hash;
    s->messages[at].stream = x->stream;
}

void duty_http_message(struct duty_watch *w, const struct json *message, struct bytes line)
{
    const struct duty_http_exchange *x = &w->http->now;
    const struct json *id = json_get(message, "id");
    bool request = json_get(message, "method") != NULL;
    if (x->old || !id || json_is(id, JSON_NULL))
        return;
    if (!request)
        look_at_response(w, x, id, line);
    look_for_twin(w, x, request, id, line);
}
