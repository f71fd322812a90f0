/* exec/oracle/duty_http: which answers break which duty, and which do not. */
#include "exec/oracle/duty.h"

#include <stdio.h>

#include "unit.h"

enum { SAID_MAX = 512 };

static struct duty_watch *watch;
static char said[SAID_MAX]; /* "45 an ended session gives HTTP 400;" for each breach */
static struct arena a;

static void hear(void *context, int number, const char *detail, struct bytes text)
{
    (void)context;
    (void)text;
    size_t length = strlen(said);
    snprintf(said + length, sizeof said - length, "%d %s;", number, detail);
}

static void set_up(void)
{
    arena_init(&a);
    said[0] = '\0';
    watch = duty_watch_new(DUTY_HTTP, hear, NULL);
}

static void tear_down(void)
{
    duty_watch_free(watch);
    arena_release(&a);
}

static void receive(const char *text)
{
    struct json *message = NULL;
    ck_assert_int_eq(json_read(&a, bytes_of_string(text), NULL, "message", &message, NULL, NULL), 0);
    duty_received(watch, message, bytes_of_string(text));
}

static void agree_on(const char *version)
{
    duty_sent(watch, "initialize", 1, BYTES_NONE);
    receive(arena_printf(&a, "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"protocolVersion\":\"%s\",\"capabilities\":{},"
                             "\"serverInfo\":{\"name\":\"n\",\"version\":\"1\"}}}", version));
    said[0] = '\0';
}

#define JSON_TYPE "application/json; charset=utf-8"
#define STREAM_TYPE "text/event-stream"

static const struct {
    const char *version;
    struct duty_http_exchange x;
    const char *breach;
} rows[] = {
    /* what is as it should be */
    {"2025-11-25", {.message = DUTY_REQUEST, .status = 200, .type = JSON_TYPE}, ""},
    {"2025-11-25", {.message = DUTY_REQUEST, .status = 200, .type = "Text/Event-Stream"}, ""},
    {"2025-11-25", {.message = DUTY_REQUEST, .status = 400, .type = "text/html"}, ""},
    {"2025-11-25", {.message = DUTY_NOTIFICATION, .status = 202}, ""},
    {"2025-11-25", {.message = DUTY_RESPONSE, .status = 400, .length = 9}, ""},
    {"2025-11-25", {.verb = DUTY_GET, .status = 405, .type = "text/plain"}, ""},
    {"2025-11-25", {.verb = DUTY_GET, .status = 200, .type = STREAM_TYPE}, ""},
    {"2025-11-25", {.verb = DUTY_GET, .status = 409, .listening = true}, ""},
    {"2025-11-25", {.verb = DUTY_DELETE, .status = 405, .sessions = true}, ""},
    {"2025-11-25", {.verb = DUTY_DELETE, .status = 404}, ""},
    /* what is not */
    {"2025-11-25", {.message = DUTY_REQUEST, .status = 202}, "38 a request gives HTTP 202;"},
    {"2025-11-25", {.message = DUTY_REQUEST, .status = 200, .type = "text/html"}, "38 a request gives neither JSON nor an event stream;"},
    {"2025-11-25", {.message = DUTY_REQUEST, .status = 200, .type = "application/jsonp"}, "38 a request gives neither JSON nor an event stream;"},
    {"2025-11-25", {.message = DUTY_REQUEST, .status = 200}, "38 a request gives neither JSON nor an event stream;"},
    {"2025-11-25", {.message = DUTY_NOTIFICATION, .status = 200, .type = JSON_TYPE}, "37 a notification gives HTTP 200;"},
    {"2025-11-25", {.message = DUTY_NOTIFICATION, .status = 202, .length = 8}, "37 a notification gives HTTP 202 with a body;"},
    {"2025-11-25", {.message = DUTY_RESPONSE, .status = 204}, "37 a response gives HTTP 204;"},
    {"2025-11-25", {.verb = DUTY_GET, .status = 404}, "34 GET gives HTTP 404;"},
    {"2025-11-25", {.verb = DUTY_GET, .status = 400}, "40 GET gives HTTP 400;"},
    {"2025-11-25", {.verb = DUTY_GET, .status = 409}, "40 GET gives HTTP 409;"},
    {"2025-11-25", {.verb = DUTY_GET, .status = 200, .type = JSON_TYPE}, "40 GET gives no event stream;"},
    {"2025-11-25", {.verb = DUTY_DELETE, .status = 404, .sessions = true}, "47 should: ending the session gives HTTP 404;"},
    {"2025-11-25", {.message = DUTY_REQUEST, .status = 401}, "94 HTTP 401 without WWW-Authenticate;"},
    {"2025-11-25", {.message = DUTY_REQUEST, .status = 401, .challenge = true}, ""},
    /* a foreign page: refused in any way, since 2025-11-25 with 403 */
    {"2025-11-25", {.liberty = DUTY_LIBERTY_ORIGIN, .message = DUTY_REQUEST, .status = 200, .type = JSON_TYPE}, "35 a foreign Origin is served;"},
    {"2025-03-26", {.liberty = DUTY_LIBERTY_ORIGIN, .message = DUTY_REQUEST, .status = 200, .type = JSON_TYPE}, "35 a foreign Origin is served;"},
    {"2025-11-25", {.liberty = DUTY_LIBERTY_ORIGIN, .message = DUTY_REQUEST, .status = 400}, "35 a foreign Origin gives HTTP 400;"},
    {"2025-06-18", {.liberty = DUTY_LIBERTY_ORIGIN, .message = DUTY_REQUEST, .status = 400}, ""},
    {"2025-11-25", {.liberty = DUTY_LIBERTY_ORIGIN, .verb = DUTY_GET, .status = 405}, ""},
    {"2025-11-25", {.liberty = DUTY_LIBERTY_ORIGIN, .message = DUTY_REQUEST, .status = 403}, ""},
    {"2025-11-25", {.liberty = DUTY_LIBERTY_ORIGIN, .message = DUTY_REQUEST, .status = 429}, ""},
    {"2025-11-25", {.liberty = DUTY_LIBERTY_ORIGIN, .verb = DUTY_GET, .status = 409, .listening = true}, ""},
    /* sessions */
    {"2025-11-25", {.liberty = DUTY_LIBERTY_SESSION, .session = DUTY_SESSION_ENDED, .message = DUTY_REQUEST, .status = 404}, ""},
    {"2025-11-25", {.liberty = DUTY_LIBERTY_SESSION, .session = DUTY_SESSION_ENDED, .message = DUTY_REQUEST, .status = 400}, "45 an ended session gives HTTP 400;"},
    {"2025-11-25", {.liberty = DUTY_LIBERTY_SESSION, .session = DUTY_SESSION_UNKNOWN, .message = DUTY_REQUEST, .status = 200}, "45 an unknown session is served;"},
    {"2025-11-25", {.liberty = DUTY_LIBERTY_SESSION, .session = DUTY_SESSION_UNKNOWN, .message = DUTY_REQUEST, .status = 500}, "45 an unknown session gives HTTP 500;"},
    {"2025-11-25", {.liberty = DUTY_LIBERTY_SESSION, .session = DUTY_SESSION_NONE, .message = DUTY_REQUEST, .status = 400}, ""},
    {"2025-11-25", {.liberty = DUTY_LIBERTY_SESSION, .session = DUTY_SESSION_NONE, .message = DUTY_REQUEST, .status = 200}, "47 should: a request without the session id is served;"},
    {"2025-11-25", {.liberty = DUTY_LIBERTY_SESSION, .session = DUTY_SESSION_ODD, .message = DUTY_REQUEST, .status = 431}, ""},
    /* versions, which the header has since 2025-06-18 */
    {"2025-11-25", {.liberty = DUTY_LIBERTY_VERSION, .message = DUTY_REQUEST, .status = 200, .type = JSON_TYPE}, "46 a bad protocol version is served;"},
    {"2025-06-18", {.liberty = DUTY_LIBERTY_VERSION, .message = DUTY_REQUEST, .status = 422}, "46 a bad protocol version gives HTTP 422;"},
    {"2025-06-18", {.liberty = DUTY_LIBERTY_VERSION, .message = DUTY_REQUEST, .status = 400}, ""},
    {"2025-03-26", {.liberty = DUTY_LIBERTY_VERSION, .message = DUTY_REQUEST, .status = 200, .type = JSON_TYPE}, ""},
    {"2025-06-18", {.liberty = DUTY_LIBERTY_VERSION, .message = DUTY_INITIALIZE, .status = 200, .type = JSON_TYPE}, ""},
    /* nothing is known of what another liberty brings, nor of the older transport */
    {"2025-11-25", {.liberty = DUTY_LIBERTY_OTHER, .message = DUTY_REQUEST, .status = 200, .type = "text/html"}, ""},
    {"2024-11-05", {.old = true, .message = DUTY_REQUEST, .status = 202, .length = 8}, ""},
};

START_TEST(answers)
{
    agree_on(rows[_i].version);
    duty_http(watch, &rows[_i].x);
    ck_assert_msg(strcmp(said, rows[_i].breach) == 0, "row %d: '%s', expected '%s'", _i, said, rows[_i].breach);
}
END_TEST

START_TEST(tokens)
{
    struct duty_http_exchange none = {.liberty = DUTY_LIBERTY_NO_TOKEN, .message = DUTY_REQUEST, .status = 200, .type = JSON_TYPE};
    struct duty_http_exchange wrong = {.liberty = DUTY_LIBERTY_TOKEN, .message = DUTY_REQUEST, .status = 200, .type = JSON_TYPE};
    agree_on("2025-11-25");
    duty_http(watch, &none);
    duty_http(watch, &wrong);
    ck_assert_str_eq(said, ""); /* it wants none */
    none.status = 401;
    none.challenge = true;
    duty_http(watch, &none);
    duty_http(watch, &wrong);
    ck_assert_str_eq(said, "95 a wrong token is served;");
}
END_TEST

START_TEST(session_ids)
{
    duty_http_session(watch, BYTES_LITERAL("!a~"));
    ck_assert_str_eq(said, "");
    duty_http_session(watch, BYTES_LITERAL("a b"));
    duty_http_session(watch, BYTES_NONE);
    ck_assert_str_eq(said, "44 a session id with other bytes than visible ASCII;44 an empty session id;");
}
END_TEST

static void receive_on(enum duty_stream kind, uint64_t stream, int64_t id, const char *text)
{
    struct duty_http_exchange x = {.verb = kind == DUTY_STREAM_ANSWER ? DUTY_POST : DUTY_GET, .kind = kind, .stream = stream, .id = id};
    duty_http_stream(watch, &x);
    receive(text);
}

#define RESPONSE(id) "{\"jsonrpc\":\"2.0\",\"id\":" #id ",\"result\":{}}"
#define QUESTION(id) "{\"jsonrpc\":\"2.0\",\"id\":" #id ",\"method\":\"ping\"}"

static const struct {
    struct {
        enum duty_stream kind;
        uint64_t stream;
        int64_t id;
        const char *text;
    } messages[2];
    const char *breach;
} streams[] = {
    {{{DUTY_STREAM_ANSWER, 1, 2, QUESTION(2)}, {DUTY_STREAM_ANSWER, 1, 2, RESPONSE(2)}}, ""},
    {{{DUTY_STREAM_ANSWER, 1, 2, QUESTION(2)}, {DUTY_STREAM_ANSWER, 1, 2, QUESTION(2)}}, ""},
    {{{DUTY_STREAM_ANSWER, 1, 2, QUESTION(5)}, {DUTY_STREAM_RESUMED, 1, 2, RESPONSE(2)}}, ""},
    {{{DUTY_STREAM_LISTEN, 1, 0, QUESTION(5)}, {DUTY_STREAM_ANSWER, 2, 2, RESPONSE(2)}}, ""},
    {{{DUTY_STREAM_LISTEN, 1, 0, QUESTION(5)}, {DUTY_STREAM_ANSWER, 2, 2, QUESTION(5)}}, "42 a request on two streams;"},
    {{{DUTY_STREAM_ANSWER, 1, 2, RESPONSE(2)}, {DUTY_STREAM_RESUMED, 3, 2, RESPONSE(2)}}, "42 a response on two streams;"},
    {{{DUTY_STREAM_LISTEN, 1, 0, RESPONSE(2)}, {DUTY_STREAM_ANSWER, 2, 3, RESPONSE(3)}}, "41 a response on the stream of a GET;"},
    {{{DUTY_STREAM_ANSWER, 1, 2, RESPONSE(2)}, {DUTY_STREAM_ANSWER, 2, 3, RESPONSE(4)}}, "38 a request gets the response to another one;"},
    {{{DUTY_STREAM_ANSWER, 1, 2, QUESTION(9)}, {DUTY_STREAM_RESUMED, 1, 2, RESPONSE(3)}},
     "43 another stream's response where a stream is taken up again;"},
};

START_TEST(streams_of_messages)
{
    for (size_t i = 0; i < 2; i++)
        receive_on(streams[_i].messages[i].kind, streams[_i].messages[i].stream, streams[_i].messages[i].id, streams[_i].messages[i].text);
    ck_assert_msg(strcmp(said, streams[_i].breach) == 0, "row %d: '%s', expected '%s'", _i, said, streams[_i].breach);
}
END_TEST

START_TEST(event_ids)
{
    struct duty_http_exchange x = {.kind = DUTY_STREAM_ANSWER, .stream = 1}, again = {.kind = DUTY_STREAM_RESUMED, .stream = 1};
    duty_http_event(watch, &x, BYTES_LITERAL("1"));
    duty_http_event(watch, &x, BYTES_LITERAL("2"));
    duty_http_event(watch, &again, BYTES_LITERAL("2")); /* said again where it was asked for */
    ck_assert_str_eq(said, "");
    x.stream = 2;
    duty_http_event(watch, &x, BYTES_LITERAL("1"));
    ck_assert_str_eq(said, "43 an event id is used twice;");
}
END_TEST

/* Each duty of HTTP is broken by some row above. */
START_TEST(all_are_broken)
{
    static const int elsewhere[] = {41, 42, 43, 44, 95}; /* of streams, ids and tokens */
    for (int number = 34; number <= 95; number++) {
        bool there = duty_find(number) && (number <= 47 || number >= 94);
        for (size_t i = 0; i < sizeof elsewhere / sizeof *elsewhere; i++)
            there = there && number != elsewhere[i];
        for (size_t i = 0; i < sizeof rows / sizeof *rows && there; i++)
            there = strtol(rows[i].breach, NULL, 10) != number;
        ck_assert_msg(!there, "no row breaks %d", number);
    }
}
END_TEST

static void fill(TCase *tests)
{
    tcase_add_checked_fixture(tests, set_up, tear_down);
    tcase_add_loop_test(tests, answers, 0, sizeof rows / sizeof *rows);
    tcase_add_test(tests, tokens);
    tcase_add_test(tests, session_ids);
    tcase_add_loop_test(tests, streams_of_messages, 0, sizeof streams / sizeof *streams);
    tcase_add_test(tests, event_ids);
    tcase_add_test(tests, all_are_broken);
}

int main(void)
{
    return unit_main("duty_http", fill);
}
