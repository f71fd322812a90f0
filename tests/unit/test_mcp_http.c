/* exec/target/mcp_http, launch, driver_http: a server that is started in the box and spoken to over HTTP,
 * whatever it answers. */
#include "exec/target/url.h"
#include "session_fixture.h"
#include "unit.h"

static struct session_fixture f;
static struct target_options o;

static void set_up(void)
{
    session_set_up(&f);
}

static void tear_down(void)
{
    session_tear_down(&f);
}

static int try_to_begin(const char *mode, struct error **err)
{
    o.spec = "http://127.0.0.1:{port}/mcp";
    o.start = arena_printf(
        &f.arena, "/usr/bin/python3 " TASKGEN_SOURCE_DIR "/tests/data/mcp/http_fake.py %s {port}", mode);
    o.settings = &f.settings;
    o.ops = f.ops;
    ck_assert_int_eq(target_new(&o, &f.target, err), 0);
    return session_open(f.target, &f.session, err);
}

static void begin(const char *mode)
{
    struct error *err = NULL;
    int status = try_to_begin(mode, &err);
    ck_assert_msg(status == 0, "%s", err ? err->text : "");
}

/* The op call: the server's tool with this command. */
static enum outcome_class tool(const char *command)
{
    return do_call(
        &f, "call",
        arena_printf(&f.arena, "{\"name\":\"run_command\",\"arguments\":{\"command\":\"%s\"}}", command));
}

/* What the server has counted so far. */
static const char *counted(const char *name)
{
    ck_assert_msg(tool("count") == OUTCOME_OK, "%s", said_words(&f));
    struct json *all = fixture_json(&f, arena_string(&f.arena, result_bytes(&f, "content")));
    struct buf text;
    buf_init(&text, 1000);
    json_write(&text, json_get(all, name), JSON_COMPACT);
    const char *copy = arena_string(&f.arena, buf_bytes(&text));
    buf_release(&text);
    return copy;
}

static const struct {
    const char *mode, *words;
} refused[] = {
    {"unauthorized", "no answer to initialize: HTTP 401: who are you?"},
    {"missing", "no answer to initialize: HTTP 404: nothing here"},
    {"broken", "no answer to initialize: HTTP 500, without the answer"},
    {"circle", "no answer to initialize: Maximum (5) redirects followed"},
    {"chats", "no answer to initialize: HTTP 200: hello"},
    {"guarded", "no answer to initialize: HTTP 401"},
    {"astray", "no answer to initialize: HTTP 404: no POST here"}, /* its endpoint is another server's */
};

START_TEST(unusable)
{
    struct error *err = NULL;
    ck_assert_int_eq(try_to_begin(refused[_i].mode, &err), ERR_TARGET);
    ck_assert_msg(strstr(err->text, refused[_i].words), "%s: %s", refused[_i].mode, err->text);
    ck_assert_ptr_null(strchr(err->text, '\n'));
    error_free(err);
    f.session = NULL;
}
END_TEST

START_TEST(headers)
{
    begin("good");
    ck_assert_str_eq(target_identity(f.target), "mcp fake 1 (1 tool, protocol 2025-06-18, old era)");
    ck_assert_str_eq(counted("no-session"), "0");
    ck_assert_str_eq(counted("no-version"), "0");
    ck_assert_str_eq(counted("notifications"), "1");
    ck_assert_str_eq(counted("GET"), "1"); /* listened, and was refused */
}
END_TEST

/* Asked for the era it does not know, and used all the same; `kept`: the very same process. */
static const struct {
    const char *mode;
    bool kept;
} unknowing[] = {{"d400", true}, {"d404", true}, {"d405", true}, {"d406", true}, {"d202", true}, {"d200", true},
                 {"d601", true}, {"drops", true}, {"deaf", false}, {"dies", false}};

START_TEST(other_era)
{
    struct error *err = NULL;
    ck_assert_int_eq(settings_set(&f.settings, "exec.era-timeout", "600ms", &err), 0);
    ck_assert_int_eq(settings_set(&f.settings, "exec.grace", "100ms", &err), 0);
    begin(unknowing[_i].mode);
    ck_assert_str_eq(target_identity(f.target), "mcp fake 1 (1 tool, protocol 2025-06-18, old era)");
    ck_assert_str_eq(counted("no-version"), "0");
    ck_assert_str_eq(counted("discover"), unknowing[_i].kept ? "1" : "0");
    const struct wire_event *events;
    ck_assert_uint_eq(session_wire_events(f.session, &events), 0);
}
END_TEST

START_TEST(own_headers)
{
    o.headers = (const char *const[]){"Authorization: Bearer secret-7", NULL};
    begin("guarded");
    ck_assert_str_eq(counted("no-session"), "0");
    o.headers = NULL;
}
END_TEST

START_TEST(redirects_are_followed)
{
    begin("moved");
    ck_assert_str_eq(counted("no-version"), "0");
}
END_TEST

START_TEST(streams)
{
    begin("good");
    ck_assert_msg(tool("stream") == OUTCOME_OK, "%s", said_words(&f));
    ck_assert_uint_eq(f.call.outcome.replies, 1);
    ck_assert_msg(tool("breaks") == OUTCOME_OK, "%s", said_words(&f));
    ck_assert_str_eq(counted("resumed"), "\"7\"");
    const struct wire_event *events;
    ck_assert_uint_eq(session_wire_events(f.session, &events), 0);
}
END_TEST

static const struct {
    const char *command;
    enum outcome_class class;
    const char *words;
} odd[] = {
    {"ends", OUTCOME_TRANSPORT_ERROR, "the event stream ended without the answer"},
    {"accepted", OUTCOME_TRANSPORT_ERROR, "HTTP 202, which promises no answer"},
    {"gone", OUTCOME_TRANSPORT_ERROR, "HTTP 404: {\"jsonrpc\":\"2.0\",\"id\":null"},
    {"garbage", OUTCOME_TRANSPORT_ERROR, "HTTP 200: <html>welcome"},
};

START_TEST(odd_answers)
{
    begin("good");
    ck_assert_int_eq(tool(odd[_i].command), odd[_i].class);
    ck_assert_msg(bytes_find(f.call.outcome.message, bytes_of_string(odd[_i].words), 0) == 0, "%s",
                  said_words(&f));
    ck_assert_int_eq(tool("count"), OUTCOME_OK); /* and life goes on */
}
END_TEST

START_TEST(slow_and_twice)
{
    const struct wire_event *events;
    begin("good");
    f.call = fixture_call(
        &f, "call", fixture_json(&f, "{\"name\":\"run_command\",\"arguments\":{\"command\":\"slow\"}}"));
    f.call.timeout_ms = 400;
    session_calls(f.session, (struct call *[]){&f.call}, 1);
    ck_assert_int_eq(f.call.outcome.class, OUTCOME_TIMEOUT);
    int tries = 0;
    while (strcmp(counted("notifications"), "2") != 0) /* initialized; cancelled, which is under way */
        ck_assert_int_lt(tries++, 200);
    ck_assert_int_eq(tool("twice"), OUTCOME_OK);
    ck_assert_int_eq(tool("count"), OUTCOME_OK);
    size_t count = session_wire_events(f.session, &events);
    ck_assert_uint_eq(count, 1);
    ck_assert_int_eq(events[0].kind, WIRE_DOUBLE_REPLY);
}
END_TEST

START_TEST(too_long)
{
    settings_set(&f.settings, "exec.max-line", "100K", NULL);
    begin("good");
    ck_assert_int_eq(tool("big"), OUTCOME_OK);
    ck_assert(f.call.outcome.truncated);
    ck_assert_int_eq(tool("count"), OUTCOME_OK);
}
END_TEST

START_TEST(raw_bytes)
{
    begin("good");
    ck_assert_int_eq(do_call(&f, "send", "{\"content\":\"{broken\\n\"}"), OUTCOME_OK);
    ck_assert_msg(bytes_find(f.call.outcome.raw, BYTES_LITERAL("Parse error"), 0) >= 0, "%.*s",
                  BYTES_ARG(f.call.outcome.raw));
    ck_assert_int_eq(tool("count"), OUTCOME_OK);
}
END_TEST

static int64_t sent_status(const char *args)
{
    int64_t status = 0;
    ck_assert_msg(do_call(&f, "send", args) == OUTCOME_OK, "%s: %s", args, said_words(&f));
    ck_assert(json_as_integer(json_get(f.call.outcome.result, "status"), &status));
    return status;
}

#define PING "{\\\"jsonrpc\\\":\\\"2.0\\\",\\\"id\\\":\\\"x\\\",\\\"method\\\":\\\"ping\\\"}"

/* Requests of one's own: what of them differs, and whose session they bear. */
START_TEST(own_requests)
{
    static const struct {
        const char *more;
        int64_t status;
        const char *session;
    } rows[] = {
        {"", 200, "own"},
        {",\"headers\":{\"mcp-session-id\":\"{session}\"}", 200, "own"},
        {",\"headers\":{\"Mcp-Session-Id\":\"nobody\"}", 404, "unknown"},
        {",\"headers\":{\"Mcp-Session-Id\":null}", 400, "none"},
        {",\"headers\":{\"Mcp-Session-Id\":\"\"}", 400, "odd"},
        {",\"headers\":{\"Mcp-Session-Id\":\"a b\"}", 404, "odd"},
        {",\"suffix\":\"?x=1\"", 200, "own"},
    };
    begin("sessions");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        int64_t status = sent_status(arena_printf(&f.arena, "{\"content\":\"" PING "\"%s}", rows[i].more));
        ck_assert_msg(status == rows[i].status, "%s: %d", rows[i].more, (int)status);
        ck_assert_msg(bytes_equal_string(result_bytes(&f, "session"), rows[i].session), "%s", rows[i].more);
    }
    ck_assert_int_eq(sent_status("{\"content\":\"\",\"verb\":\"PUT\",\"headers\":{\"X-One\":\"1\",\"Accept\":null}}"), 405);
    struct json *said = fixture_json(&f, arena_string(&f.arena, result_bytes(&f, "content")));
    ck_assert(bytes_equal_string(json_as_text(json_get(said, "X-One")), "1"));
    ck_assert_ptr_null(json_get(said, "Accept"));
    ck_assert_ptr_nonnull(json_get(said, "MCP-Protocol-Version"));
    ck_assert_str_eq(counted("initialize"), "1");
}
END_TEST

/* What HTTP has no way to write is not sent, and pipes have no headers. */
START_TEST(no_requests)
{
    static const char *const rows[] = {
        "\"headers\":{\"a\":\"1\\r\\nb: 2\"}", "\"headers\":{\"a\":\"\\u0000\"}", "\"headers\":{\"a b\":\"1\"}", "\"headers\":7",
        "\"headers\":{\"a\":{}}",               "\"verb\":\"get it\"",                "\"verb\":\"\"",               "\"suffix\":\"other\"",
        "\"suffix\":\"/a b\"",
    };
    begin("good");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        ck_assert_msg(do_call(&f, "send", arena_printf(&f.arena, "{\"content\":\"x\",%s}", rows[i])) == OUTCOME_SKIPPED, "%s", rows[i]);
}
END_TEST

static size_t breaches(const char **detail)
{
    const struct wire_event *events;
    size_t count = session_wire_events(f.session, &events), found = 0;
    for (size_t i = 0; i < count; i++)
        if (events[i].kind == WIRE_BREACH) {
            *detail = events[i].detail;
            found++;
        }
    return found;
}

/* A session that ends, by a DELETE or because the server forgot it: raw bytes see its end, the next call begins anew. */
START_TEST(sessions_end)
{
    const char *detail = "";
    begin("sessions");
    ck_assert_int_eq(sent_status("{\"content\":\"\",\"verb\":\"DELETE\"}"), 200);
    ck_assert_int_eq(sent_status("{\"content\":\"" PING "\"}"), 404);
    ck_assert(bytes_equal_string(result_bytes(&f, "session"), "ended"));
    ck_assert_str_eq(counted("initialize"), "2");
    ck_assert_int_eq(tool("forget"), OUTCOME_OK);
    ck_assert_int_eq(tool("count"), OUTCOME_TRANSPORT_ERROR);
    ck_assert(bytes_find(f.call.outcome.message, BYTES_LITERAL("HTTP 404"), 0) == 0);
    ck_assert_str_eq(counted("initialize"), "3");
    ck_assert(session_alive(f.session));
    ck_assert_msg(breaches(&detail) == 0, "%s", detail);
}
END_TEST

/* The connection is broken when raw bytes are cancelled, and nothing is said of it. */
START_TEST(aborted)
{
    begin("sessions");
    f.call = fixture_call(&f, "send", fixture_json(&f, "{\"content\":\"" PING "\",\"headers\":{\"Content-Length\":\"1000\"}}"));
    f.call.cancel_after_ms = 100;
    session_calls(f.session, (struct call *[]){&f.call}, 1);
    ck_assert_int_eq(f.call.outcome.class, OUTCOME_TIMEOUT);
    ck_assert_int_lt(f.call.outcome.ns / 1000000, 5000);
    ck_assert_str_eq(counted("notifications"), "1");
}
END_TEST

/* A server that breaks a duty when it is asked for it. */
START_TEST(breach)
{
    const char *detail = "";
    begin("sessions");
    ck_assert_int_eq(sent_status("{\"content\":\"" PING "\",\"headers\":{\"Origin\":\"http://page.example\"}}"), 200);
    ck_assert_uint_eq(breaches(&detail), 1);
    ck_assert_str_eq(detail, "a foreign Origin is served");
}
END_TEST

START_TEST(older_transport)
{
    const char *detail = "";
    begin("old");
    ck_assert_str_eq(target_identity(f.target), "mcp fake 1 (1 tool, protocol 2025-06-18, old era)");
    ck_assert_str_eq(counted("notifications"), "1");
    ck_assert_int_eq(sent_status("{\"content\":\"" PING "\"}"), 202); /* its answer comes elsewhere, and is no answer to nothing */
    ck_assert_int_eq(tool("count"), OUTCOME_OK);
    ck_assert_uint_eq(session_wire_events(f.session, &(const struct wire_event *){NULL}), 0);
    ck_assert_int_eq(tool("hang-up"), OUTCOME_TRANSPORT_ERROR); /* the stream of all answers ends */
    ck_assert_str_eq(counted("GET"), "2");                      /* and is opened again */
    ck_assert_uint_eq(breaches(&detail), 0);
}
END_TEST

/* The stream by which the server speaks unasked ends and is gone on with, from its last whole event. */
START_TEST(listening_goes_on)
{
    const struct wire_event *events;
    begin("pushes");
    int tries = 0;
    while (strcmp(counted("GET"), "3") != 0)
        ck_assert_int_lt(tries++, 500);
    ck_assert_str_eq(counted("resumed"), "\"p2\"");
    ck_assert_uint_eq(session_wire_events(f.session, &events), 0);
}
END_TEST

START_TEST(two_clients)
{
    struct session *other = NULL;
    begin("good");
    ck_assert_int_eq(session_open_beside(f.session, &other, NULL), 0);
    f.call = fixture_call(
        &f, "call", fixture_json(&f, "{\"name\":\"run_command\",\"arguments\":{\"command\":\"count\"}}"));
    session_calls(other, (struct call *[]){&f.call}, 1);
    ck_assert_int_eq(f.call.outcome.class, OUTCOME_OK);
    ck_assert_str_eq(counted("GET"), "2"); /* the same server */
    session_close(other);
    ck_assert_str_eq(counted("DELETE"), "1");
}
END_TEST

START_TEST(the_server_dies)
{
    int status;
    begin("good");
    ck_assert(session_alive(f.session));
    agent_signal(f.session->agent, f.session->launched_id, 9, true);
    while (agent_status(f.session->agent, f.session->launched_id, &status) == 0)
        ;
    ck_assert_int_eq(tool("count"), OUTCOME_TARGET_DIED);
    ck_assert(!session_alive(f.session));
}
END_TEST

START_TEST(starting)
{
    static const struct {
        const char *start, *ready, *words;
    } rows[] = {
        {"sh -c 'echo no licence; exit 4'", NULL,
         "ended with status 4 before it was ready; its last words: no licence"},
        {"no-such-program", NULL, "no-such-program"},
        {"sleep 30", "up and running", "not ready within 500 ms"},
        {"sleep 30", NULL, "not ready within 500 ms"},
    };
    settings_set(&f.settings, "exec.start-timeout", "500ms", NULL);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct error *err = NULL;
        struct target_options own = {.spec = "http://127.0.0.1:{port}/",
                                     .start = rows[i].start,
                                     .ready = rows[i].ready,
                                     .settings = &f.settings,
                                     .ops = f.ops};
        ck_assert_int_eq(target_new(&own, &f.target, &err), 0);
        ck_assert_int_eq(session_open(f.target, &f.session, &err), ERR_TARGET);
        ck_assert_msg(strstr(err->text, rows[i].words), "%s", err->text);
        error_free(err);
        target_free(f.target);
    }
    f.target = NULL;
    f.session = NULL;
}
END_TEST

START_TEST(addresses)
{
    static const struct {
        const char *url, *host;
        int port;
    } rows[] = {
        {"http://a/b", "a", 80},       {"https://a.b:8443/x?y", "a.b", 8443},
        {"http://[::1]:5/", "::1", 5}, {"HTTP://u:p@h:1/@", "h", 1},
        {"https://h", "h", 443},       {"ftp://h/", NULL, 0},
        {"http:///x", NULL, 0},        {"http://h:0/", NULL, 0},
        {"http://h:{port}/x", "h", 1}, {"http://h:99999/", NULL, 0},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char host[256];
        int port;
        ck_assert_msg(url_address(rows[i].url, host, &port) == (rows[i].host != NULL), "%s", rows[i].url);
        if (rows[i].host) {
            ck_assert_str_eq(host, rows[i].host);
            ck_assert_int_eq(port, rows[i].port);
        }
    }
}
END_TEST

static void fill(TCase *tests)
{
    tcase_add_checked_fixture(tests, set_up, tear_down);
    tcase_add_loop_test(tests, unusable, 0, sizeof refused / sizeof *refused);
    tcase_add_test(tests, headers);
    tcase_add_loop_test(tests, other_era, 0, sizeof unknowing / sizeof *unknowing);
    tcase_add_test(tests, own_headers);
    tcase_add_test(tests, redirects_are_followed);
    tcase_add_test(tests, streams);
    tcase_add_loop_test(tests, odd_answers, 0, sizeof odd / sizeof *odd);
    tcase_add_test(tests, slow_and_twice);
    tcase_add_test(tests, too_long);
    tcase_add_test(tests, raw_bytes);
    tcase_add_test(tests, own_requests);
    tcase_add_test(tests, no_requests);
    tcase_add_test(tests, sessions_end);
    tcase_add_test(tests, aborted);
    tcase_add_test(tests, breach);
    tcase_add_test(tests, older_transport);
    tcase_add_test(tests, listening_goes_on);
    tcase_add_test(tests, two_clients);
    tcase_add_test(tests, the_server_dies);
    tcase_add_test(tests, starting);
    tcase_add_test(tests, addresses);
}

int main(void)
{
    return unit_main("mcp_http", fill);
}
