/* exec/target/driver_mcp through sessions, against a server that misbehaves (tests/data/mcp/fake_server.py): what it does
 * becomes outcomes and wire events, never an error. */
#include <signal.h>

#include "session_fixture.h"

#define FAKE "mcp:/usr/bin/python3 " TASKGEN_SOURCE_DIR "/tests/data/mcp/fake_server.py "

static struct session_fixture f;

static void begin(const char *mode)
{
    session_set_up(&f);
    ck_assert_int_eq(settings_set(&f.settings, "exec.grace", "500ms", NULL), 0);
    ck_assert_int_eq(settings_set(&f.settings, "exec.max-line", "2M", NULL), 0);
    char *spec = strings_printf(FAKE "%s", mode);
    session_new(&f, spec);
    free(spec);
}

static enum outcome_class do_tool(const char *tool, int64_t timeout_ms)
{
    const char *args = arena_printf(&f.arena, "{\"name\":\"%s\",\"arguments\":{\"text\":\"hi\"}}", tool);
    f.call = fixture_call(&f, "call", fixture_json(&f, args));
    f.call.timeout_ms = timeout_ms;
    session_calls(f.session, (struct call *[]){&f.call}, 1);
    return f.call.outcome.class;
}

static const struct {
    const char *tool, *message;
    enum outcome_class class;
    int64_t timeout_ms;
    uint32_t replies;
} behaviours[] = {
    {"echo", "", OUTCOME_OK, 20000, 1},
    {"double", "", OUTCOME_OK, 20000, 1}, /* the second may be read with the first, or later */
    {"silent", "no answer within 300 ms", OUTCOME_TIMEOUT, 300, 0},
    {"die", "the server ended with status 7", OUTCOME_TARGET_DIED, 20000, 0},
    {"killed", "the server was ended by signal 9", OUTCOME_TARGET_DIED, 20000, 0},
    {"close-stdout", "the server closed its standard output or input but did not end", OUTCOME_TRANSPORT_ERROR, 20000, 0},
    {"neither", "the reply has neither result nor error", OUTCOME_TRANSPORT_ERROR, 20000, 1},
    {"huge", "the reply is longer than exec.max-line", OUTCOME_OK, 20000, 1},
    {"bad-utf8", "", OUTCOME_OK, 20000, 1},
};

START_TEST(outcomes)
{
    begin("normal");
    enum outcome_class class = do_tool(behaviours[_i].tool, behaviours[_i].timeout_ms);
    const struct outcome *o = &f.call.outcome;
    ck_assert_msg(class == behaviours[_i].class, "%s: %s", behaviours[_i].tool, said_words(&f));
    ck_assert_msg(bytes_equal_string(o->message, behaviours[_i].message), "%s: %s", behaviours[_i].tool, said_words(&f));
    ck_assert_uint_ge(o->replies, behaviours[_i].replies);
    ck_assert_uint_gt(o->bytes_in, 0);
    ck_assert_int_gt(o->ns, 0);
    ck_assert(o->truncated == (strcmp(behaviours[_i].tool, "huge") == 0));
    session_tear_down(&f);
}
END_TEST

static const struct {
    const char *tool;
    enum wire_kind kind;
    size_t count;
} wires[] = {
    {"double", WIRE_DOUBLE_REPLY, 1},     {"unknown-id", WIRE_UNKNOWN_ID, 2}, {"stray", WIRE_STRAY_LINE, 2},
    {"asks", WIRE_UNOFFERED_REQUEST, 1},  {"broken", WIRE_BAD_MESSAGE, 1},    {"bad-utf8", WIRE_BREACH, 1},
    {"no-version", WIRE_BREACH, 1},
};

START_TEST(wire)
{
    begin("normal");
    do_tool(wires[_i].tool, 20000);
    do_tool("echo", 20000);
    const struct wire_event *events;
    size_t count = session_wire_events(f.session, &events), found = 0;
    for (size_t i = 0; i < count; i++) {
        found += events[i].kind == wires[_i].kind && (events[i].kind != WIRE_BREACH || events[i].duty == 1);
        ck_assert_int_gt(events[i].at_ns, 0);
    }
    ck_assert_uint_eq(found, wires[_i].count);
    ck_assert_uint_eq(session_wire_events(f.session, &events), 0);
    session_tear_down(&f);
}
END_TEST

/* How it takes the end of its input is told when the session has ended, once. */
START_TEST(the_end)
{
    static const struct {
        const char *mode;
        size_t count;
    } ends[] = {{"normal", 0}, {"stays", 1}};
    struct process_info left[8];
    const struct wire_event *events;
    begin(ends[_i].mode);
    ck_assert_uint_eq(session_wire_events(f.session, &events), 0);
    session_end(f.session, left, 8);
    ck_assert_uint_eq(session_wire_events(f.session, &events), ends[_i].count);
    for (size_t i = 0; i < ends[_i].count; i++) {
        ck_assert_int_eq(events[i].kind, WIRE_BREACH);
        ck_assert_int_eq(events[i].duty, 32);
    }
    ck_assert_uint_eq(session_wire_events(f.session, &events), 0);
    session_tear_down(&f);
}
END_TEST

/* After its death the session is still there, and says so. */
START_TEST(dead)
{
    begin("normal");
    do_tool("die", 20000);
    ck_assert(!session_alive(f.session));
    ASSERT_BYTES(session_stderr_tail(f.session), "first line\nlast words\n");
    ck_assert_int_eq(do_tool("echo", 20000), OUTCOME_TARGET_DIED);
    struct error *err = NULL;
    ck_assert_msg(session_reopen(f.session, &err) == 0, "%s", err ? err->text : "");
    ck_assert_int_eq(do_tool("echo", 20000), OUTCOME_OK);
    session_tear_down(&f);
}
END_TEST

/* Several calls, some of which cannot be made: the others are. */
START_TEST(mixed)
{
    begin("normal");
    struct call calls[3] = {
        fixture_call(&f, "call", fixture_json(&f, "{\"name\":\"echo\",\"arguments\":{\"text\":\"a\"}}")),
        fixture_call(&f, "read", fixture_json(&f, "{\"path\":\"a\"}")),
        fixture_call(&f, "call", fixture_json(&f, "{\"name\":\"echo\",\"arguments\":{\"text\":\"b\"}}")),
    };
    session_calls(f.session, (struct call *[]){&calls[0], &calls[1], &calls[2]}, 3);
    ck_assert_int_eq(calls[0].outcome.class, OUTCOME_OK);
    ck_assert_int_eq(calls[1].outcome.class, OUTCOME_SKIPPED);
    ck_assert_int_eq(calls[2].outcome.class, OUTCOME_OK);
    ASSERT_BYTES(json_as_text(json_get(calls[0].outcome.result, "content")), "a");
    ASSERT_BYTES(json_as_text(json_get(calls[2].outcome.result, "content")), "b");
    session_tear_down(&f);
}
END_TEST

START_TEST(stopped)
{
    begin("normal");
    static atomic_int stop = 1;
    session_stop_with(f.session, &stop);
    ck_assert_int_eq(do_tool("silent", 60000), OUTCOME_HARNESS);
    session_stop_with(f.session, NULL);
    ck_assert_int_eq(do_tool("echo", 20000), OUTCOME_OK);
    session_tear_down(&f);
}
END_TEST

START_TEST(sent_raw)
{
    begin("normal");
    ASSERT_OK("send", "{\"content\":\"{\\\"id\\\": \\n\"}");
    ck_assert_uint_eq(f.call.outcome.replies, 1);
    ck_assert_int_ge(bytes_find(f.call.outcome.raw, BYTES_LITERAL("-32700"), 0), 0);
    f.call = fixture_call(&f, "send", fixture_json(&f, "{\"content\":\"{\\\"jsonrpc\\\":\\\"2.0\\\",\\\"id\\\":5000,"
                                                       "\\\"method\\\":\\\"tools/call\\\",\\\"params\\\":{\\\"name\\\":\\\"silent\\\"}}\\n\"}"));
    f.call.timeout_ms = 500;
    session_calls(f.session, (struct call *[]){&f.call}, 1);
    ck_assert_int_eq(f.call.outcome.class, OUTCOME_TIMEOUT);
    session_tear_down(&f);
}
END_TEST

/* The server sees the environment of a session and nothing of ours. */
START_TEST(environment)
{
    ck_assert_int_eq(setenv("TASKGEN_TEST_SECRET", "do not tell", 1), 0);
    begin("normal");
    ck_assert_int_eq(do_tool("environment", 20000), OUTCOME_OK);
    struct bytes text = result_bytes(&f, "content");
    ck_assert_int_lt(bytes_find(text, BYTES_LITERAL("TASKGEN_TEST_SECRET"), 0), 0);
    ck_assert_int_ge(bytes_find(text, bytes_of_string(session_home(f.session)), 0), 0);
    session_tear_down(&f);
}
END_TEST

/* A name that a terminal would obey does not get that far. */
START_TEST(explained)
{
    begin("no-tools");
    struct buf text;
    buf_init(&text, 1 << 16);
    session_explain(f.session, &text);
    ck_assert_str_eq(buf_string(&text), "fake?[31m 1, protocol 2025-06-18 (old era), 0 tools, profile: none\n"
                                        "the server has no tools/list\n"
                                        "no op maps to a tool; tools can be called by the op call\n");
    ck_assert_str_eq(target_identity(f.target), "mcp fake?[31m 1 (0 tools, protocol 2025-06-18, old era)");
    ck_assert(!session_supports(f.session, "call"));
    buf_release(&text);
    session_tear_down(&f);
}
END_TEST

static void fill(TCase *tests)
{
    tcase_add_loop_test(tests, outcomes, 0, sizeof behaviours / sizeof *behaviours);
    tcase_add_loop_test(tests, wire, 0, sizeof wires / sizeof *wires);
    tcase_add_loop_test(tests, the_end, 0, 2);
    tcase_add_test(tests, dead);
    tcase_add_test(tests, mixed);
    tcase_add_test(tests, stopped);
    tcase_add_test(tests, sent_raw);
    tcase_add_test(tests, environment);
    tcase_add_test(tests, explained);
}

int main(void)
{
    return unit_main("mcp_driver", fill);
}
