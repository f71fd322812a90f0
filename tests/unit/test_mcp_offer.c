/* What is offered to a server: the words, the answers, and sessions in which a server asks (tests/data/mcp/rich_server.py). */
#include "exec/target/mcp_offer.h"
#include "exec/target/mcp_pages.h"
#include "session_fixture.h"

#define SERVER "/usr/bin/python3 " TASKGEN_SOURCE_DIR "/tests/data/mcp/rich_server.py"

static struct session_fixture f;

static const struct {
    const char *text, *suffix, *capabilities;
} words[] = {
    {"none", "", "{}"},
    {"roots", "+roots", "{\"roots\":{\"listChanged\":true}}"},
    {"elicitation,roots", "+roots+elicitation", "{\"roots\":{\"listChanged\":true},\"elicitation\":{}}"},
    {"all", "+roots+sampling+elicitation", "{\"roots\":{\"listChanged\":true},\"sampling\":{},\"elicitation\":{}}"},
    {"", NULL, NULL},
    {"root", NULL, NULL},
    {"roots,", NULL, NULL},
    {"roots+sampling", NULL, NULL},
};

START_TEST(parsed)
{
    unsigned set = 0;
    struct error *err = NULL;
    struct buf text;
    buf_init(&text, 1000);
    int status = mcp_offer_parse(words[_i].text, ',', &set, &err);
    ck_assert_int_eq(status, words[_i].suffix ? 0 : ERR_INPUT);
    if (status == 0) {
        mcp_offer_add_suffix(&text, set);
        ck_assert_str_eq(buf_string(&text), words[_i].suffix);
        buf_clear(&text);
        mcp_offer_add_capabilities(&text, set);
        ck_assert_str_eq(buf_string(&text), words[_i].capabilities);
    }
    error_free(err);
    buf_release(&text);
}
END_TEST

#define SAMPLING "\"messages\":[],\"maxTokens\":5"
#define REFUSED(code, text) "\"error\":{\"code\":" code ",\"message\":\"" text "\"}"

static const struct {
    unsigned set;
    const char *request, *answer, *note;
} answers[] = {
    {OFFER_ROOTS, "{\"method\":\"roots/list\"}",
     "\"result\":{\"roots\":[{\"uri\":\"file:///tmp/a%20b%23%C3%BC\",\"name\":\"root\"}]}", "roots/list"},
    {OFFER_ROOTS, "{\"method\":\"roots/list\",\"params\":[]}", REFUSED("-32602", "params is no object"),
     "roots/list: refused, malformed"},
    {OFFER_SAMPLING, "{\"method\":\"roots/list\"}", REFUSED("-32601", "method not found"), NULL},
    {OFFER_ALL, "{\"method\":\"tasks/list\"}", REFUSED("-32601", "method not found"), NULL},
    {OFFER_SAMPLING, "{\"method\":\"sampling/createMessage\",\"params\":{" SAMPLING "}}",
     "\"result\":{\"role\":\"assistant\",\"content\":{\"type\":\"text\",\"text\":\"A fixed answer.\"},\"model\":\"taskgen\","
     "\"stopReason\":\"endTurn\"}", "sampling/createMessage"},
    {OFFER_SAMPLING, "{\"method\":\"sampling/createMessage\",\"params\":{\"messages\":[]}}",
     REFUSED("-32602", "messages or maxTokens is missing"), "sampling/createMessage: refused, malformed"},
    {OFFER_SAMPLING, "{\"method\":\"sampling/createMessage\",\"params\":{" SAMPLING ",\"tools\":[]}}",
     REFUSED("-32602", "tools in sampling are not offered"), "sampling/createMessage: refused, tools"},
    {OFFER_ROOTS, "{\"method\":\"sampling/createMessage\",\"params\":{" SAMPLING "}}", REFUSED("-32601", "method not found"), NULL},
    {OFFER_ELICITATION, "{\"method\":\"elicitation/create\",\"params\":{\"mode\":\"url\",\"url\":\"http://127.0.0.1/\",\"message\":\"m\"}}",
     REFUSED("-32602", "no mode but form is offered"), "elicitation/create: refused, mode"},
    {OFFER_ELICITATION, "{\"method\":\"elicitation/create\",\"params\":{\"message\":\"m\"}}",
     REFUSED("-32602", "message or requestedSchema is missing"), "elicitation/create: refused, malformed"},
    {OFFER_ELICITATION, "{\"method\":\"elicitation/create\"}",
     REFUSED("-32602", "message or requestedSchema is missing"), "elicitation/create: refused, malformed"},
};

START_TEST(answered)
{
    session_set_up(&f);
    struct mcp_offers o = {.set = answers[_i].set, .root = "/tmp/a b#ü"};
    const char *note;
    struct buf out;
    buf_init(&out, 10000);
    mcp_offer_answer(&o, fixture_json(&f, answers[_i].request), &out, &note);
    ck_assert_str_eq(buf_string(&out), answers[_i].answer);
    ck_assert_pstr_eq(note, answers[_i].note);
    buf_release(&out);
    session_tear_down(&f);
}
END_TEST

/* Forms are filled in, declined and cancelled, and in the same way each time. */
START_TEST(forms)
{
    enum { TIMES = 40 };
    session_set_up(&f);
    struct json *request = fixture_json(&f, "{\"method\":\"elicitation/create\",\"params\":{\"message\":\"who?\",\"requestedSchema\":"
                                            "{\"type\":\"object\",\"properties\":{\"age\":{\"type\":\"integer\",\"minimum\":18,\"maximum\":20},"
                                            "\"kind\":{\"enum\":[\"a\",\"b\"]}},\"required\":[\"age\"]}}}");
    unsigned accepted = 0, declined = 0, cancelled = 0;
    struct mcp_offers one = {.set = OFFER_ELICITATION}, two = one;
    struct buf out, again;
    buf_init(&out, 10000);
    buf_init(&again, 10000);
    for (int i = 0; i < TIMES; i++) {
        const char *note;
        buf_clear(&out);
        buf_clear(&again);
        buf_add_byte(&out, '{');
        buf_add_byte(&again, '{');
        mcp_offer_answer(&one, request, &out, &note);
        mcp_offer_answer(&two, request, &again, &note);
        ck_assert(bytes_equal(buf_bytes(&out), buf_bytes(&again)));
        buf_add_byte(&out, '}');
        const struct json *answer = fixture_json(&f, buf_string(&out));
        struct bytes action = json_as_text(json_pointer(answer, BYTES_LITERAL("/result/action")));
        const struct json *content = json_pointer(answer, BYTES_LITERAL("/result/content"));
        int64_t age = 0;
        accepted += bytes_equal_string(action, "accept");
        declined += bytes_equal_string(action, "decline");
        cancelled += bytes_equal_string(action, "cancel");
        ck_assert(bytes_equal_string(action, "accept") == (content != NULL));
        if (content)
            ck_assert(json_as_integer(json_get(content, "age"), &age) && age >= 18 && age <= 20);
    }
    ck_assert_uint_gt(accepted, 0);
    ck_assert_uint_gt(declined, 0);
    ck_assert_uint_gt(cancelled, 0);
    ck_assert_uint_eq(accepted + declined + cancelled, TIMES);
    buf_release(&out);
    buf_release(&again);
    session_tear_down(&f);
}
END_TEST

static const struct {
    const char *spec, *more, *whole;
} specs[] = {
    {"mcp:" SERVER, NULL, "mcp:" SERVER},
    {"mcp+sampling+roots:" SERVER, NULL, "mcp+roots+sampling:" SERVER},
    {"mcp+roots:" SERVER, "elicitation", "mcp+roots+elicitation:" SERVER},
    {"mcp:" SERVER " a+b:c", "none", "mcp:" SERVER " a+b:c"},
    {"http+roots://127.0.0.1:1/x+y", "all", "http+roots+sampling+elicitation://127.0.0.1:1/x+y"},
    {"mcp+root:" SERVER, NULL, NULL},
    {"mcp+:" SERVER, NULL, NULL},
    {"mcp:" SERVER, "everything", NULL},
    {"exec+roots:", NULL, NULL},
    {"local", "roots", NULL},
};

START_TEST(spelled)
{
    session_set_up(&f);
    struct target_options o = {.spec = specs[_i].spec, .offer = specs[_i].more, .settings = &f.settings, .ops = f.ops};
    struct error *err = NULL;
    int status = target_new(&o, &f.target, &err);
    ck_assert_msg(status == (specs[_i].whole ? 0 : ERR_INPUT), "%s", err ? err->text : "no error");
    if (specs[_i].whole)
        ck_assert_str_eq(target_spec(f.target), specs[_i].whole);
    error_free(err);
    session_tear_down(&f);
}
END_TEST

/* --- sessions --- */

static void begin(const char *spec)
{
    session_set_up(&f);
    session_new(&f, spec);
}

/* What the server was answered when it asked. */
static struct json *ask(const char *arguments)
{
    const char *args = arena_printf(&f.arena, "{\"name\":\"ask\",\"arguments\":%s}", arguments);
    ASSERT_OK("call", args);
    return fixture_json(&f, arena_string(&f.arena, result_bytes(&f, "content")));
}

static size_t events_of(enum wire_kind kind, const char *detail)
{
    const struct wire_event *events;
    size_t count = session_wire_events(f.session, &events), found = 0;
    for (size_t i = 0; i < count; i++)
        found += events[i].kind == kind && (!detail || strcmp(events[i].detail, detail) == 0);
    return found;
}

START_TEST(asked)
{
    begin("mcp+roots:" SERVER);
    struct json *answer = ask("{\"method\":\"roots/list\"}");
    const char *uri = arena_printf(&f.arena, "file://%s", session_root(f.session));
    ck_assert(bytes_equal_string(json_as_text(json_pointer(answer, BYTES_LITERAL("/result/roots/0/uri"))), uri));
    ck_assert_uint_eq(events_of(WIRE_NOTE, "roots/list"), 1);
    answer = ask("{\"method\":\"sampling/createMessage\",\"params\":{" SAMPLING "}}");
    ASSERT_BYTES(json_as_text(json_pointer(answer, BYTES_LITERAL("/error/code"))), "-32601");
    ck_assert_uint_eq(events_of(WIRE_UNOFFERED_REQUEST, NULL), 1);
    answer = ask("{\"method\":\"ping\"}");
    ck_assert_ptr_nonnull(json_get(answer, "result"));
    ASSERT_OK("call", "{\"name\":\"seen\"}");
    ck_assert_ptr_nonnull(json_pointer(f.call.outcome.result, BYTES_LITERAL("/json/client/roots/listChanged")));
    ck_assert_ptr_null(json_pointer(f.call.outcome.result, BYTES_LITERAL("/json/client/sampling")));
    session_tear_down(&f);
}
END_TEST

/* The same over HTTP, where the question comes on the stream of the call and the answer is a request of its own. */
START_TEST(asked_over_http)
{
    session_set_up(&f);
    struct target_options o = {.spec = "http://127.0.0.1:{port}/mcp", .offer = "sampling", .start = SERVER " http {port}",
                               .settings = &f.settings, .ops = f.ops};
    ck_assert_int_eq(target_new(&o, &f.target, NULL), 0);
    session_begin(&f);
    struct json *answer = ask("{\"method\":\"sampling/createMessage\",\"params\":{" SAMPLING "}}");
    ASSERT_BYTES(json_as_text(json_pointer(answer, BYTES_LITERAL("/result/model"))), "taskgen");
    answer = ask("{\"method\":\"ping\"}");
    ck_assert_ptr_nonnull(json_get(answer, "result"));
    session_tear_down(&f);
}
END_TEST

static bool lists(const char *tool)
{
    struct target_tools facts;
    struct buf list;
    buf_init(&list, 1 << 20);
    ck_assert(session_tools(f.session, &list, &facts));
    const char *quoted = arena_printf(&f.arena, "\"%s\"", tool);
    bool there = bytes_find(buf_bytes(&list), bytes_of_string(quoted), 0) >= 0;
    buf_release(&list);
    return there;
}

/* A list that changes is fetched again before the next call. */
START_TEST(changed)
{
    begin("mcp:" SERVER);
    ck_assert(lists("odd") && !lists("added"));
    ASSERT_OK("call", "{\"name\":\"change\"}");
    ck_assert_uint_eq(events_of(WIRE_NOTE, NULL), 3);
    ASSERT_OK("call", "{\"name\":\"added\"}");
    ck_assert(!lists("odd") && lists("added"));
    struct buf text;
    buf_init(&text, 1 << 20);
    session_explain(f.session, &text);
    ck_assert_ptr_nonnull(strstr(buf_string(&text), "the list was fetched again: 1 time"));
    buf_release(&text);
    session_tear_down(&f);
}
END_TEST

/* The marks and globs hold for what is new in a list. */
START_TEST(changed_and_excluded)
{
    static const char *const excluded[] = {"add*", NULL};
    session_set_up(&f);
    struct target_options o = {.spec = "mcp:" SERVER, .settings = &f.settings, .ops = f.ops, .exclude_tools = excluded};
    ck_assert_int_eq(target_new(&o, &f.target, NULL), 0);
    session_begin(&f);
    ASSERT_OK("call", "{\"name\":\"change\"}");
    ck_assert_int_eq(do_call(&f, "call", "{\"name\":\"added\"}"), OUTCOME_SKIPPED);
    session_tear_down(&f);
}
END_TEST

/* --- pages --- */

static size_t pages_of(const char *const *cursors, size_t count)
{
    struct mcp_pages pages = {0};
    size_t i = 0;
    struct json *result;
    do {
        const char *cursor = cursors[i < count ? i : count - 1];
        const char *text = cursor ? arena_printf(&f.arena, "{\"nextCursor\":%s}", cursor) : "{}";
        result = fixture_json(&f, text);
        i++;
    } while (mcp_pages_next(&pages, result) && i < 1000);
    return i;
}

START_TEST(paged)
{
    session_set_up(&f);
    ck_assert_uint_eq(pages_of((const char *const[]){NULL}, 1), 1);
    ck_assert_uint_eq(pages_of((const char *const[]){"\"\"", "\"a\"", NULL}, 3), 3);
    ck_assert_uint_eq(pages_of((const char *const[]){"\"a\"", "\"b\"", "\"a\"", "\"c\""}, 4), 3);
    ck_assert_uint_eq(pages_of((const char *const[]){"5", "\"b\""}, 2), 1);
    struct mcp_pages pages = {0};
    ASSERT_BYTES(mcp_pages_params(&pages, &f.arena), "{}");
    ck_assert(mcp_pages_next(&pages, fixture_json(&f, "{\"nextCursor\":\"\"}")));
    ASSERT_BYTES(mcp_pages_params(&pages, &f.arena), "{\"cursor\":\"\"}");
    ck_assert(mcp_pages_next(&pages, fixture_json(&f, "{\"nextCursor\":\"\\ud800\\u0000\"}")));
    ASSERT_BYTES(mcp_pages_params(&pages, &f.arena), "{\"cursor\":\"\\ud800\\u0000\"}");
    for (size_t i = 2; i < MCP_PAGES_MAX; i++) {
        const char *text = arena_printf(&f.arena, "{\"nextCursor\":\"%zu\"}", i);
        ck_assert(mcp_pages_next(&pages, fixture_json(&f, text)) == (i < MCP_PAGES_MAX - 1));
    }
    session_tear_down(&f);
}
END_TEST

static void fill(TCase *tests)
{
    tcase_add_loop_test(tests, parsed, 0, sizeof words / sizeof *words);
    tcase_add_loop_test(tests, answered, 0, sizeof answers / sizeof *answers);
    tcase_add_loop_test(tests, spelled, 0, sizeof specs / sizeof *specs);
    tcase_add_test(tests, forms);
    tcase_add_test(tests, asked);
    tcase_add_test(tests, asked_over_http);
    tcase_add_test(tests, changed);
    tcase_add_test(tests, changed_and_excluded);
    tcase_add_test(tests, paged);
}

int main(void)
{
    return unit_main("mcp_offer", fill);
}
