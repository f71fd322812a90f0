/* exec/target/mcp_gate: a tool that is left out is not called, whichever way the call is written. */
#include "exec/target/mcp_gate.h"
#include "mcp_case.h"

static struct arena a;
static struct mcp_tools tools;
static struct mcp_gate gate;

/* Tools "read", "drop_all" (marked destructive, and once more unmarked), "wipe". */
static const char listed[] = "[{\"name\":\"read\"},{\"name\":\"drop_all\",\"annotations\":{\"destructiveHint\":true}},"
                             "{\"name\":\"drop_all\"},{\"name\":\"wipe\"}]";

static void begin(const char *const *only, const char *const *exclude, bool destructive)
{
    struct json *list = NULL;
    ck_assert_int_eq(json_read(&a, bytes_of_string(listed), NULL, "test", &list, NULL, NULL), 0);
    ck_assert(mcp_tools_add(&tools, list));
    mcp_tools_finish(&tools, only, exclude, destructive);
    mcp_gate_init(&gate, &tools, only, exclude);
}

static void set_up(void)
{
    arena_init(&a);
    mcp_tools_init(&tools);
}

static void tear_down(void)
{
    mcp_gate_release(&gate);
    mcp_tools_release(&tools);
    arena_release(&a);
}

static struct json *value(const char *text)
{
    struct json *v = NULL;
    ck_assert_int_eq(json_read(&a, bytes_of_string(text), NULL, "test", &v, NULL, NULL), 0);
    return v;
}

START_TEST(calls)
{
    static const char *const exclude[] = {"wi*", NULL};
    begin(NULL, exclude, false);
    ck_assert_ptr_null(mcp_gate_call(&gate, value("\"read\""), value("{\"x\":\"wipe\"}")));
    ck_assert_str_eq(mcp_gate_call(&gate, value("\"wipe\""), NULL), "tool is excluded");
    ck_assert_str_eq(mcp_gate_call(&gate, value("\"wing\""), NULL), "tool is excluded"); /* listed nowhere */
    ck_assert_str_eq(mcp_gate_call(&gate, value("\"drop_all\""), NULL), "tool is marked destructive");
    ck_assert_ptr_null(mcp_gate_call(&gate, value("\"other\""), NULL));
}
END_TEST

START_TEST(text_that_no_parser_may_touch)
{
    static const char *const exclude[] = {"wipe", NULL};
    begin(NULL, exclude, true);
    struct json *good = value("\"read\""), *bad = json_raw(&a, BYTES_LITERAL("\"w\\u0069pe\""));
    ck_assert_str_eq(mcp_gate_call(&gate, bad, NULL), "tool is excluded");
    /* a second name behind the arguments, which many parsers would take */
    struct json *args = json_raw(&a, BYTES_LITERAL("{},\"name\":\"wipe\""));
    ck_assert_str_eq(mcp_gate_call(&gate, good, args), "tool is excluded");
    ck_assert_ptr_null(mcp_gate_call(&gate, good, json_raw(&a, BYTES_LITERAL("{\"n\":1e999}"))));
}
END_TEST

static const struct {
    const char *raw, *refusal;
} frames[] = {
    {"{\"method\":\"tools/call\",\"params\":{\"name\":\"read\"}}\n", NULL},
    {"{\"method\":\"tools/call\",\"params\":{\"name\":\"wipe\"}}\n", "tool is excluded"},
    {"{\"method\":\"tools/call\",\"params\":{\"name\" : \"wipes\"}}\n", "tool is excluded"}, /* not listed */
    {"{\"method\":\"tools\\/call\",\"params\":{\"name\":\"w\\u0069pes\"}}\n", "tool is excluded"},
    {"{\"params\":{\"name\":\"drop_all\"}", "tool is marked destructive"},
    {"[{\"x\":1},{\"name\":\"w\\u0069\\u0070e\"}]", "tool is excluded"},
    {"{\"method\":\"ping\",\"params\":{\"name\":\"wipes\"}}\n", NULL}, /* calls nothing */
    {"\xff\xfe garbage wipe \n", NULL},
};

START_TEST(raw_frames)
{
    static const char *const exclude[] = {"wipe*", NULL};
    begin(NULL, exclude, false);
    const char *refusal = mcp_gate_raw(&gate, bytes_of_string(frames[_i].raw));
    ck_assert_msg(!refusal == !frames[_i].refusal, "%s: %s", frames[_i].raw, refusal ? refusal : "passes");
    if (refusal)
        ck_assert_str_eq(refusal, frames[_i].refusal);
}
END_TEST

START_TEST(raw_frames_in_pieces)
{
    static const char *const exclude[] = {"wipe", NULL};
    begin(NULL, exclude, true);
    ck_assert_ptr_null(mcp_gate_raw(&gate, BYTES_LITERAL("{\"method\":\"tools/call\",\"params\":{\"name\":\"wi")));
    ck_assert_str_eq(mcp_gate_raw(&gate, BYTES_LITERAL("pe\"}}\n")), "tool is excluded");
    ck_assert_ptr_null(mcp_gate_raw(&gate, BYTES_LITERAL("\n")));
    ck_assert_ptr_null(mcp_gate_raw(&gate, BYTES_LITERAL("pe\"}}\n"))); /* the line was ended before */
}
END_TEST

START_TEST(only_some)
{
    static const char *const only[] = {"re*", NULL};
    begin(only, NULL, true);
    ck_assert_ptr_null(mcp_gate_raw(&gate, BYTES_LITERAL("{\"method\":\"tools/call\",\"params\":{\"name\":\"read\"}}\n")));
    ck_assert_ptr_nonnull(mcp_gate_raw(&gate, BYTES_LITERAL("{\"method\":\"tools/call\",\"params\":{\"name\":\"hidden\"}}\n")));
    ck_assert_ptr_nonnull(mcp_gate_raw(&gate, BYTES_LITERAL("{\"name\":\"wipe\"}")));
}
END_TEST

START_TEST(nothing_left_out)
{
    begin(NULL, NULL, true);
    ck_assert_ptr_null(mcp_gate_raw(&gate, BYTES_LITERAL("{\"method\":\"tools/call\",\"params\":{\"name\":\"wipe\"}}")));
}
END_TEST

static void fill(TCase *tests)
{
    tcase_add_checked_fixture(tests, set_up, tear_down);
    tcase_add_test(tests, calls);
    tcase_add_test(tests, text_that_no_parser_may_touch);
    tcase_add_loop_test(tests, raw_frames, 0, sizeof frames / sizeof *frames);
    tcase_add_test(tests, raw_frames_in_pieces);
    tcase_add_test(tests, only_some);
    tcase_add_test(tests, nothing_left_out);
}

int main(void)
{
    return unit_main("mcp_gate", fill);
}
