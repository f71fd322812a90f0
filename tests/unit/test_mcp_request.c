/* The ops request and notify, and progress, through sessions against a server that has everything (tests/data/mcp/rich_server.py). */
#include "session_fixture.h"

#define RICH "mcp:/usr/bin/python3 " TASKGEN_SOURCE_DIR "/tests/data/mcp/rich_server.py"

static struct session_fixture f;

static void begin(void)
{
    session_set_up(&f);
    session_new(&f, RICH);
}

static struct bytes written(const struct json *value)
{
    struct buf text;
    buf_init(&text, 1 << 20);
    json_write(&text, value, JSON_COMPACT);
    struct bytes copy = arena_copy(&f.arena, buf_bytes(&text));
    buf_release(&text);
    return copy;
}

static void assert_result(const char *member, const char *expected)
{
    struct bytes got = written(json_get(f.call.outcome.result, member));
    ck_assert_msg(bytes_equal_string(got, expected), "%.*s, expected %s", BYTES_ARG(got), expected);
}

static const struct {
    const char *args, *result;
    int64_t code;
} requests[] = {
    {"{\"method\":\"ping\"}", "{}", 0},
    {"{\"method\":\"resources/list\",\"params\":{\"cursor\":\"\"}}",
     "{\"resources\":[{\"uri\":\"test://two\",\"name\":\"two\",\"mimeType\":\"text/plain\"}],\"nextCursor\":\"c\"}", 0},
    {"{\"method\":\"resources/list\",\"params\":{\"cursor\":\"nonsense\"}}", NULL, -32602},
    {"{\"method\":\"resources/read\",\"params\":{\"uri\":\"test://one\"}}",
     "{\"contents\":[{\"uri\":\"test://one\",\"text\":\"content\"}]}", 0},
    {"{\"method\":\"resources/read\",\"params\":{\"uri\":\"none://one\"}}", NULL, -32002},
    {"{\"method\":\"prompts/get\",\"params\":{\"name\":\"one\",\"arguments\":{}}}", NULL, -32602},
    {"{\"method\":\"completion/complete\",\"params\":{}}", "{\"completion\":{\"values\":[\"a\",\"b\"],\"hasMore\":false}}", 0},
    {"{\"method\":\"no/such \\\"method\\\"\\n\",\"params\":{}}", NULL, -32601},
    /* Every lexeme, doubled keys, what is no Unicode. */
    {"{\"method\":\"odd\"}",
     "{\"big\":18446744073709551616,\"huge\":1e999,\"zero\":-0,\"one\":1.0,\"twice\":1,\"twice\":2,\"lone\":\"\\ud800\","
     "\"nul\":\"\\u0000\",\"tenth\":0.10,\"nested\":[[{\"a\":1E2}]]}", 0},
};

START_TEST(request)
{
    begin();
    enum outcome_class class = do_call(&f, "request", requests[_i].args);
    const struct outcome *o = &f.call.outcome;
    ck_assert_msg(class == (requests[_i].code ? OUTCOME_PROTOCOL_ERROR : OUTCOME_OK), "%s: %s", requests[_i].args, said_words(&f));
    ck_assert_int_eq(o->code, requests[_i].code);
    ck_assert_uint_eq(o->replies, 1);
    if (requests[_i].code)
        ck_assert_uint_gt(o->message.len, 0);
    else
        assert_result("result", requests[_i].result);
    session_tear_down(&f);
}
END_TEST

/* A result that is longer than what is kept of replies is cut, and says so. */
START_TEST(cut)
{
    session_set_up(&f);
    ck_assert_int_eq(settings_set(&f.settings, "exec.max-reply", "1K", NULL), 0);
    session_new(&f, RICH);
    const char *long_name = arena_printf(&f.arena, "{\"method\":\"resources/read\",\"params\":{\"uri\":\"test://%01200d\"}}", 0);
    ASSERT_OK("request", long_name);
    ck_assert(f.call.outcome.truncated);
    ck_assert_uint_eq(f.call.outcome.raw.len, 1024);
    ck_assert_ptr_null(json_get(f.call.outcome.result, "result"));
    session_tear_down(&f);
}
END_TEST

/* Requests are no way around what is said of tools. */
START_TEST(no_way_around)
{
    static const char *const excluded[] = {"ec*", NULL};
    session_set_up(&f);
    struct target_options o = {.spec = RICH, .settings = &f.settings, .ops = f.ops, .exclude_tools = excluded};
    ck_assert_int_eq(target_new(&o, &f.target, NULL), 0);
    session_begin(&f);
    ck_assert_int_eq(do_call(&f, "request", "{\"method\":\"tools/call\",\"params\":{\"name\":\"echo\"}}"), OUTCOME_SKIPPED);
    struct json *args = fixture_json(&f, "{\"method\":\"tools/call\"}");
    json_set(&f.arena, args, "params", json_raw(&f.arena, BYTES_LITERAL("{\"name\":\"echo\",\"name\":\"seen\"}")));
    ck_assert_int_eq(do_args(&f, "request", args), OUTCOME_SKIPPED);
    ASSERT_OK("request", "{\"method\":\"tools/call\",\"params\":{\"name\":\"seen\"}}");
    session_tear_down(&f);
}
END_TEST

static const struct {
    const char *op, *args, *token, *progress;
} progresses[] = {
    {"call", "{\"name\":\"progress\"}", "null", NULL},
    {"call", "{\"name\":\"progress\",\"progress\":\"text\"}", "\"taskgen-", "{\"count\":3,\"last\":\"4.5\"}"},
    {"call", "{\"name\":\"progress\",\"progress\":\"number\"}", "", "{\"count\":3,\"last\":\"4.5\"}"},
    {"call", "{\"name\":\"echo\",\"arguments\":{\"text\":\"\"},\"progress\":\"text\"}", "", "{\"count\":0}"},
    {"request", "{\"method\":\"tools/call\",\"params\":{\"name\":\"progress\",\"_meta\":{\"a\":1}},\"progress\":\"text\"}",
     NULL, "{\"count\":3,\"last\":\"4.5\"}"},
    {"request", "{\"method\":\"ping\",\"progress\":\"number\"}", NULL, "{\"count\":0}"},
    /* A token that a task brings itself is not ours to count. */
    {"request", "{\"method\":\"ping\",\"params\":{\"_meta\":{\"progressToken\":9}},\"progress\":\"number\"}", NULL, NULL},
};

START_TEST(progress)
{
    begin();
    ASSERT_OK(progresses[_i].op, progresses[_i].args);
    if (progresses[_i].token)
        ck_assert_msg(bytes_starts(result_bytes(&f, "content"), bytes_of_string(progresses[_i].token)), "%.*s",
                      BYTES_ARG(result_bytes(&f, "content")));
    if (progresses[_i].progress)
        assert_result("progress", progresses[_i].progress);
    else
        ck_assert_ptr_null(json_get(f.call.outcome.result, "progress"));
    session_tear_down(&f);
}
END_TEST

/* Whatever is sent to it, the server notes; -1: it was not there. */
static int64_t noted(const char *method)
{
    ASSERT_OK("call", "{\"name\":\"seen\"}");
    const struct json *seen = json_pointer(f.call.outcome.result, BYTES_LITERAL("/json/seen"));
    ck_assert_ptr_nonnull(seen);
    for (const struct json *one = seen->first; one; one = one->next) {
        int64_t id = 0;
        if (!bytes_equal_string(json_as_text(json_get(one, "method")), method))
            continue;
        json_as_integer(json_pointer(one, BYTES_LITERAL("/params/requestId")), &id);
        return id;
    }
    return -1;
}

START_TEST(notify)
{
    begin();
    ASSERT_OK("notify", "{\"method\":\"notifications/roots/list_changed\"}");
    ck_assert_int_eq(noted("notifications/roots/list_changed"), 0);
    ASSERT_OK("request", "{\"method\":\"ping\"}");
    ASSERT_OK("notify", "{\"method\":\"notifications/cancelled\",\"params\":{\"reason\":\"x\"},\"about\":\"finished\"}");
    int64_t finished = noted("notifications/cancelled");
    ck_assert_int_gt(finished, 2);
    ck_assert_int_eq(do_call(&f, "notify", "{\"method\":\"notifications/cancelled\",\"about\":\"running\"}"), OUTCOME_SKIPPED);
    ASSERT_OK("notify", "{\"method\":\"a\",\"about\":\"unknown\"}");
    ck_assert_int_gt(noted("a"), finished + 1000);
    session_tear_down(&f);
}
END_TEST

/* A request is cancelled by the notification beside it, and is not answered. */
START_TEST(cancelled_beside)
{
    begin();
    struct call calls[2] = {
        fixture_call(&f, "request", fixture_json(&f, "{\"method\":\"hold\"}")),
        fixture_call(&f, "notify", fixture_json(&f, "{\"method\":\"notifications/cancelled\",\"about\":\"running\"}")),
    };
    calls[0].timeout_ms = 300;
    session_calls(f.session, (struct call *[]){&calls[0], &calls[1]}, 2);
    ck_assert_int_eq(calls[0].outcome.class, OUTCOME_TIMEOUT);
    ck_assert_int_eq(calls[1].outcome.class, OUTCOME_OK);
    ck_assert_int_gt(noted("notifications/cancelled"), 2);
    session_tear_down(&f);
}
END_TEST

/* A request can be cancelled on the way, as any call can. */
START_TEST(cancelled)
{
    begin();
    ck_assert_int_eq(settings_set(&f.settings, "exec.grace", "100ms", NULL), 0);
    f.call = fixture_call(&f, "request", fixture_json(&f, "{\"method\":\"hold\"}"));
    f.call.cancel_after_ms = 50;
    session_calls(f.session, (struct call *[]){&f.call}, 1);
    ck_assert_int_eq(f.call.outcome.class, OUTCOME_TIMEOUT);
    ASSERT_BYTES(f.call.outcome.message, "cancelled by us after 50 ms, and not answered");
    ck_assert_int_gt(noted("notifications/cancelled"), 2);
    session_tear_down(&f);
}
END_TEST

/* Where there is no protocol, there is nothing to ask. */
START_TEST(not_elsewhere)
{
    session_set_up(&f);
    session_new(&f, "exec:");
    ck_assert_int_eq(do_call(&f, "request", "{\"method\":\"ping\"}"), OUTCOME_SKIPPED);
    ck_assert_str_eq(f.call.outcome.skip_reason, "mcp");
    session_tear_down(&f);
}
END_TEST

static void fill(TCase *tests)
{
    tcase_add_loop_test(tests, request, 0, sizeof requests / sizeof *requests);
    tcase_add_loop_test(tests, progress, 0, sizeof progresses / sizeof *progresses);
    tcase_add_test(tests, cut);
    tcase_add_test(tests, no_way_around);
    tcase_add_test(tests, notify);
    tcase_add_test(tests, cancelled_beside);
    tcase_add_test(tests, cancelled);
    tcase_add_test(tests, not_elsewhere);
}

int main(void)
{
    return unit_main("mcp_request", fill);
}
