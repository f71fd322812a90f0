/* Browser ops on MCP servers, against one that has no browser (tests/data/mcp/page_server.py): names of tabs, tools that want to be told
 * the tab, and ops that no one tool does the whole of. */
#include "session_fixture.h"

#define PAGES "mcp:/usr/bin/python3 " TASKGEN_SOURCE_DIR "/tests/data/mcp/page_server.py "

static struct session_fixture f;

static void begin(const char *way)
{
    session_set_up(&f);
    char *spec = strings_printf(PAGES "%s", way);
    session_new(&f, spec);
    free(spec);
}

static int64_t open_tab(void)
{
    ASSERT_OK("tab-open", "{\"url\":\"http://a/\"}");
    return result_integer(&f, "tab");
}

static enum outcome_class on_tab(const char *op, int64_t tab)
{
    return do_call(&f, op, arena_printf(&f.arena, "{\"tab\":%lld}", (long long)tab));
}

/* "1 2*": the open tabs, with a star at the current one. */
static const char *tabs_now(void)
{
    struct buf text;
    buf_init(&text, 1024);
    ASSERT_OK("tab-list", "{}");
    const struct json *tabs = json_get(f.call.outcome.result, "tabs");
    for (const struct json *one = tabs->first; one; one = one->next)
        buf_addf(&text, "%s%.*s%s", one == tabs->first ? "" : " ", BYTES_ARG(json_as_text(json_get(one, "tab"))),
                 json_get(one, "current") ? "*" : "");
    const char *kept = arena_string(&f.arena, buf_bytes(&text));
    buf_release(&text);
    return kept;
}

/* The tools called so far, with what they were told. */
static bool called(const char *what)
{
    ASSERT_OK("evaluate", "{\"script\":\"log\"}");
    return bytes_find(result_bytes(&f, "value"), bytes_of_string(what), 0) >= 0;
}

START_TEST(tabs_by_position)
{
    begin("positions");
    int64_t first = open_tab(), second = open_tab(), third = open_tab();
    ck_assert_int_eq(on_tab("tab-close", first), OUTCOME_OK);
    ck_assert_int_eq(on_tab("tab-switch", second), OUTCOME_OK);
    ck_assert_str_eq(tabs_now(), arena_printf(&f.arena, "0 %lld* %lld", (long long)second, (long long)third));
    ck_assert_int_eq(on_tab("tab-switch", first), OUTCOME_SKIPPED);
    ck_assert_str_eq(f.call.outcome.skip_reason, "tab-switch:a tab that is not known");
    session_tear_down(&f);
}
END_TEST

START_TEST(tabs_by_name)
{
    begin("references");
    ASSERT_OK("navigate", "{\"url\":\"http://b/\"}"); /* the server is asked which tab is there */
    ASSERT_BYTES(result_bytes(&f, "url"), "http://b/");
    int64_t first = open_tab(), second = open_tab();
    ck_assert_int_eq(on_tab("tab-close", second), OUTCOME_OK);
    ASSERT_OK("evaluate", "{\"script\":\"6*7\"}"); /* in the tab that the server has gone to, not in the closed one */
    ck_assert_str_eq(tabs_now(), arena_printf(&f.arena, "1* %lld", (long long)first));
    ck_assert_int_eq(on_tab("tab-switch", second), OUTCOME_TOOL_ERROR);
    ASSERT_OK("evaluate", "{\"script\":\"6*7\"}");
    session_tear_down(&f);
}
END_TEST

START_TEST(by_references)
{
    begin("references");
    ASSERT_OK("fill", "{\"selector\":\"#a\",\"value\":\"x y\"}");
    ck_assert(f.call.outcome.lowered);
    ASSERT_OK("click", "{\"selector\":\"#a\"}");
    ASSERT_OK("attach", "{\"selector\":\"#a\",\"path\":\"f.txt\"}");
    ck_assert(called("take_snapshot \"\" fill \"x y\"") || called("take_snapshot fill \"x y\""));
    ck_assert(called("click") && called("/f.txt"));
    ck_assert_int_eq(do_call(&f, "click", "{\"selector\":\"#missing\"}"), OUTCOME_TOOL_ERROR);
    ASSERT_BYTES(f.call.outcome.message, "no element matches #missing");
    session_tear_down(&f);
}
END_TEST

START_TEST(not_in_the_outline)
{
    begin("references hidden");
    ASSERT_OK("fill", "{\"selector\":\"#a\",\"value\":\"x y\"}");
    ASSERT_OK("click", "{\"selector\":\"#a\"}");
    ck_assert(!called(" fill") && !called(" click"));
    ck_assert_int_eq(do_call(&f, "attach", "{\"selector\":\"#a\",\"path\":\"f\"}"), OUTCOME_TOOL_ERROR);
    ASSERT_BYTES(f.call.outcome.message, "the page's outline does not show the element");
    session_tear_down(&f);
}
END_TEST

START_TEST(by_several_tools)
{
    begin("positions");
    ASSERT_OK("scrape", "{\"selector\":\"p\"}");
    ck_assert_uint_eq(json_get(f.call.outcome.result, "texts")->count, 2);
    ASSERT_OK("submit", "{\"selector\":\"form\"}");
    ASSERT_OK("attach", "{\"selector\":\"#a\",\"path\":\"f.txt\"}");
    ck_assert(called("b_click \"#a\" b_file_upload") && called("/f.txt\"]"));
    ASSERT_OK("screenshot", "{\"width\":7,\"height\":9}");
    ASSERT_BYTES(result_bytes(&f, "content"), "\x89PNG\r\n\x1a\n");
    ck_assert(called("b_resize"));
    ck_assert_int_eq(do_call(&f, "submit", "{\"selector\":\"#missing\"}"), OUTCOME_TOOL_ERROR);
    ASSERT_OK("evaluate", "{\"script\":\"undefined\"}");
    ck_assert(!json_get(f.call.outcome.result, "value"));
    session_tear_down(&f);
}
END_TEST

START_TEST(what_is_lacking)
{
    begin("references");
    ck_assert(session_supports(f.session, "browser"));
    ck_assert_uint_eq(f.session->threads, 24); /* it was started again, in a box that has room for a browser */
    ck_assert(session_supports_op(f.session, ops_find(f.ops, "click")));
    ck_assert(!session_supports_op(f.session, ops_find(f.ops, "screenshot")));
    ck_assert_int_eq(do_call(&f, "screenshot", "{}"), OUTCOME_SKIPPED);
    ck_assert_str_eq(f.call.outcome.skip_reason, "screenshot");
    session_tear_down(&f);
}
END_TEST

static void fill(TCase *tests)
{
    tcase_set_timeout(tests, 60);
    tcase_add_test(tests, tabs_by_position);
    tcase_add_test(tests, tabs_by_name);
    tcase_add_test(tests, by_references);
    tcase_add_test(tests, not_in_the_outline);
    tcase_add_test(tests, by_several_tools);
    tcase_add_test(tests, what_is_lacking);
}

int main(void)
{
    return unit_main("mcp_page", fill);
}
