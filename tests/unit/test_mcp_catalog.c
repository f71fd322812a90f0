/* Resources, templates and prompts of a server (tests/data/mcp/rich_server.py): listed to the end, once a target, and only when they
 * are declared and somebody asks. */
#include "session_fixture.h"

#define RICH "mcp:/usr/bin/python3 " TASKGEN_SOURCE_DIR "/tests/data/mcp/rich_server.py"

static struct session_fixture f;

static const struct {
    const char *mode, *explained; /* NULL: nothing of the kind is said */
    size_t things, pages;
} servers[] = {
    {"", "3 resources: test://one, test://two, test://three\n3 resource templates: test://one/{id}, test://two/{id}, test://three/{id}\n"
         "3 prompts: one, two, three\n", 9, 9},
    {" bare", NULL, 0, 0},
    {" loop", "3 resources: test://None, test://a, test://b\n", 9, 9},
    {" own", "3 resources: 3 in this session's own directories\n3 resource templates: ", 6, 9},
};

static int64_t pages(void)
{
    int64_t count = -1;
    ASSERT_OK("call", "{\"name\":\"seen\"}");
    ck_assert(json_as_integer(json_pointer(f.call.outcome.result, BYTES_LITERAL("/json/listed")), &count));
    return count;
}

static size_t things(void)
{
    struct target_tools facts;
    struct buf list;
    buf_init(&list, 1 << 20);
    ck_assert(session_tools(f.session, &list, &facts));
    buf_release(&list);
    return facts.things;
}

START_TEST(catalog)
{
    session_set_up(&f);
    const char *spec = arena_printf(&f.arena, "%s%s", RICH, servers[_i].mode);
    session_new(&f, spec);
    ck_assert_int_eq(pages(), 0); /* nobody has asked */
    ck_assert_uint_eq(things(), servers[_i].things);
    struct buf text;
    buf_init(&text, 1 << 20);
    session_explain(f.session, &text);
    ck_assert(!strstr(buf_string(&text), "resources:") == !servers[_i].explained);
    ck_assert_msg(!servers[_i].explained || strstr(buf_string(&text), servers[_i].explained), "%s", buf_string(&text));
    buf_release(&text);
    ck_assert_int_eq(pages(), (int64_t)servers[_i].pages);
    session_close(f.session);
    f.session = NULL;
    session_begin(&f); /* another session of the target knows it already */
    ck_assert_uint_eq(things(), servers[_i].things);
    ck_assert_int_eq(pages(), 0);
    session_tear_down(&f);
}
END_TEST

static void fill(TCase *tests)
{
    tcase_add_loop_test(tests, catalog, 0, sizeof servers / sizeof *servers);
}

int main(void)
{
    return unit_main("mcp_catalog", fill);
}
