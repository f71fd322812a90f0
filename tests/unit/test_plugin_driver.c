/* exec/target/driver_plugin: what a plug-in may say when it is opened, and what becomes of each kind of answer. */
#include "session_fixture.h"
#include "unit.h"

static struct session_fixture f;

static void set_up(void)
{
    session_set_up(&f);
}

static void tear_down(void)
{
    session_tear_down(&f);
}

static const char *spec_of(const char *mode)
{
    return arena_printf(&f.arena, "plugin:/usr/bin/python3 " TASKGEN_SOURCE_DIR "/tests/data/plugin/fake.py %s", mode);
}

static void begin(const char *mode)
{
    session_new(&f, spec_of(mode));
}

static const struct {
    const char *mode, *words;
} refused[] = {
    {"dies", "ended with status 2 before it answered open; its last words: no module named sandbox"},
    {"refuses", "refused open: no licence"},
    {"protocol", "its answer to open says protocol 'taskgen/plugin/9', expected 'taskgen/plugin/1'"},
    {"root", "its answer to open has a root that is no absolute path"},
    {"no-needs", "its answer to capabilities has no array needs"},
    {"odd-needs", "needs, in its answer to capabilities, is not a list of at most"},
    {"odd-run", "has 'colour' in run, expected binary, split, exit, stdin or network"},
};

START_TEST(unusable)
{
    struct error *err = NULL;
    session_target_new(&f, spec_of(refused[_i].mode));
    ck_assert_int_eq(session_open(f.target, &f.session, &err), ERR_TARGET);
    ck_assert_msg(strstr(err->text, refused[_i].words), "%s: %s", refused[_i].mode, err->text);
    ck_assert_ptr_null(strchr(err->text, '\n'));
    error_free(err);
    f.session = NULL;
}
END_TEST

START_TEST(answers)
{
    begin("good");
    ck_assert_str_eq(target_identity(f.target), "plugin fake 1");
    ASSERT_OK("read", "{\"path\":\"a\"}");
    ASSERT_BYTES(result_bytes(&f, "content"), "\0\xff");
    ASSERT_OK("run", "{\"argv\":[\"x\"]}");
    ck_assert(f.call.outcome.has_exit && f.call.outcome.exit == 3);
    ASSERT_BYTES(result_bytes(&f, "stderr"), "err");
    ASSERT_BYTES(f.call.outcome.raw, "out");
    ck_assert_int_eq(do_call(&f, "remove", "{\"path\":\"a\"}"), OUTCOME_TOOL_ERROR);
    ASSERT_BYTES(f.call.outcome.message, "it is not empty");
    ck_assert_int_eq(f.call.outcome.code, 39);
    ck_assert_int_eq(do_call(&f, "mkdir", "{\"path\":\"a\"}"), OUTCOME_SKIPPED);
    ck_assert_str_eq(f.call.outcome.skip_reason, "no room for it");
    ck_assert_int_eq(do_call(&f, "move", "{\"path\":\"a\",\"to\":\"b\"}"), OUTCOME_TRANSPORT_ERROR);
    ck_assert_int_eq(do_call(&f, "copy", "{\"path\":\"a\",\"to\":\"b\"}"), OUTCOME_PROTOCOL_ERROR);
    ASSERT_BYTES(f.call.outcome.message, "my own fault");
    ck_assert_int_eq(f.call.outcome.code, -32603);
}
END_TEST

START_TEST(needs)
{
    begin("good");
    ck_assert(session_supports(f.session, "write:bytes"));
    ck_assert(session_supports(f.session, "chmod")); /* by a command */
    ck_assert(!session_supports(f.session, "run:python"));
    ck_assert(!session_supports(f.session, "browser"));
}
END_TEST

START_TEST(what_is_sent)
{
    begin("good");
    f.call = fixture_call(&f, "list", fixture_json(&f, "{\"path\":\"a\"}"));
    json_set(&f.arena, f.call.args, "odd", json_string(&f.arena, BYTES_LITERAL("\xff")));
    session_calls(f.session, (struct call *[]){&f.call}, 1);
    struct json *entries = json_get(f.call.outcome.result, "entries");
    ck_assert_str_eq(arena_string(&f.arena, json_at(entries, 0)->text),
                     "{\"args\": {\"odd\": {\"$bytes\": \"/w==\"}, \"path\": \"a\"}, \"op\": \"list\", \"timeout_ms\": 20000}");
    f.call = fixture_call(&f, "list", fixture_json(&f, "{\"path\":\"a\"}"));
    f.call.path_as = "absolute";
    session_calls(f.session, (struct call *[]){&f.call}, 1);
    const char *asked = arena_string(&f.arena, json_at(json_get(f.call.outcome.result, "entries"), 0)->text);
    ck_assert_ptr_nonnull(strstr(asked, arena_printf(&f.arena, "\"path\": \"%s/a\"", session_root(f.session))));
}
END_TEST

START_TEST(a_root_elsewhere)
{
    begin("elsewhere");
    f.call = fixture_call(&f, "list", fixture_json(&f, "{\"path\":\"a\"}"));
    f.call.path_as = "absolute";
    session_calls(f.session, (struct call *[]){&f.call}, 1);
    const char *asked = arena_string(&f.arena, json_at(json_get(f.call.outcome.result, "entries"), 0)->text);
    ck_assert_ptr_nonnull(strstr(asked, "\"path\": \"/home/user/a\""));
    ck_assert(!session_root_visible(f.session));
}
END_TEST

START_TEST(late_and_dead)
{
    begin("good");
    f.call = fixture_call(&f, "stat", fixture_json(&f, "{\"path\":\"a\"}"));
    f.call.timeout_ms = 300;
    session_calls(f.session, (struct call *[]){&f.call}, 1);
    ck_assert_int_eq(f.call.outcome.class, OUTCOME_TIMEOUT);
    session_close(f.session);
    session_begin(&f);
    ck_assert_int_eq(do_call(&f, "signal", "{\"pid\":1}"), OUTCOME_TARGET_DIED);
    ck_assert(!session_alive(f.session));
    ck_assert_int_eq(do_call(&f, "read", "{\"path\":\"a\"}"), OUTCOME_TARGET_DIED);
}
END_TEST

START_TEST(strays_are_seen)
{
    const struct wire_event *events;
    begin("chats");
    size_t count = session_wire_events(f.session, &events);
    ck_assert_uint_ge(count, 1);
    ck_assert_int_eq(events[0].kind, WIRE_STRAY_LINE);
    do_call(&f, "resolve", "{\"host\":\"a\"}");
    do_call(&f, "read", "{\"path\":\"a\"}");
    count = session_wire_events(f.session, &events);
    ck_assert_uint_eq(count, 1);
    ck_assert_int_eq(events[0].kind, WIRE_DOUBLE_REPLY);
}
END_TEST

static void fill(TCase *tests)
{
    tcase_add_checked_fixture(tests, set_up, tear_down);
    tcase_add_loop_test(tests, unusable, 0, sizeof refused / sizeof *refused);
    tcase_add_test(tests, answers);
    tcase_add_test(tests, needs);
    tcase_add_test(tests, what_is_sent);
    tcase_add_test(tests, a_root_elsewhere);
    tcase_add_test(tests, late_and_dead);
    tcase_add_test(tests, strays_are_seen);
}

int main(void)
{
    return unit_main("plugin_driver", fill);
}
