/* exec/target/mcp_modern: the envelope around params, and values of headers. */
#include "base/encode.h"
#include "exec/target/mcp_modern.h"
#include "unit.h"

static struct arena arena;

static void set_up(void)
{
    arena_init(&arena);
}

static void tear_down(void)
{
    arena_release(&arena);
}

/* What goes along with every request, in the order in which it is written; the version of taskgen stands in @. */
#define REST "\"io.modelcontextprotocol/clientCapabilities\":{},\"io.modelcontextprotocol/clientInfo\":@"
#define OURS "\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\"," REST

static const struct {
    const char *params, *sent;
} params[] = {
    {"", "{\"_meta\":{" OURS "}}"},
    {"{}", "{\"_meta\":{" OURS "}}"},
    {"{ \n}", "{\"_meta\":{" OURS "} \n}"},
    {"{\"name\":\"a\",\"arguments\":{}}", "{\"_meta\":{" OURS "},\"name\":\"a\",\"arguments\":{}}"},
    /* a name of that kind that is no member of params */
    {"{\"arguments\":{\"_meta\":1}}", "{\"_meta\":{" OURS "},\"arguments\":{\"_meta\":1}}"},
    {"{\"name\":\"a\",\"_meta\":{\"progressToken\":1}}", "{\"name\":\"a\",\"_meta\":{" OURS ",\"progressToken\":1}}"},
    {"{\"_meta\":{\"io.modelcontextprotocol/protocolVersion\":\"1900-01-01\"}}",
     "{\"_meta\":{" REST ",\"io.modelcontextprotocol/protocolVersion\":\"1900-01-01\"}}"},
    {"{\"_meta\":null}", "{\"_meta\":null}"},
    {"[1]", "[1]"},
    {"{\"a\":", "{\"a\":"},
};

START_TEST(envelope)
{
    struct mcp_envelope e = {0};
    struct buf out;
    buf_init(&out, 1 << 16);
    mcp_envelope_set(&e, "2026-07-28", "{}");
    mcp_envelope_params(&e, bytes_of_string(params[_i].params), &out);
    const char *us = strstr(e.members, "{\"name\":\"taskgen\",\"version\":"), *at = strchr(params[_i].sent, '@');
    ck_assert_ptr_nonnull(us);
    const char *sent = at ? arena_printf(&arena, "%.*s%s%s", (int)(at - params[_i].sent), params[_i].sent, us, at + 1)
                          : params[_i].sent;
    ck_assert_str_eq(buf_string(&out), arena_printf(&arena, ",\"params\":%s", sent));
    mcp_envelope_set(&e, NULL, NULL);
    ck_assert_ptr_null(e.version);
    buf_release(&out);
}
END_TEST

static const struct {
    const char *text, *header;
} values[] = {
    {"us-west1", "us-west1"},
    {"a b\"\\:~", "a b\"\\:~"},
    {"Hello, 世界", "=?base64?SGVsbG8sIOS4lueVjA==?="},
    {" padded ", "=?base64?IHBhZGRlZCA=?="},
    {"line1\nline2", "=?base64?bGluZTEKbGluZTI=?="},
    {"=?base64?literal?=", "=?base64?PT9iYXNlNjQ/bGl0ZXJhbD89?="},
    {"=?base64?", "=?base64?"},
    {"=?BASE64?x?=", "=?BASE64?x?="},
    {"tab\there", "=?base64?dGFiCWhlcmU=?="},
    {"\x7f", "=?base64?fw==?="},
    {"", "=?base64?" "?="},
};

START_TEST(header_value)
{
    ck_assert_str_eq(mcp_header_text(&arena, bytes_of_string(values[_i].text)), values[_i].header);
}
END_TEST

static const struct {
    const char *body, *version, *method, *name;
} mirrors[] = {
    {"{\"method\":\"tools/call\",\"params\":{\"name\":\"é\",\"_meta\":{\"io.modelcontextprotocol/protocolVersion\":\"1\"}}}", "1",
     "tools/call", "=?base64?w6k=?="},
    {"{\"method\":\"resources/read\",\"params\":{\"uri\":\"file:///a\",\"name\":\"b\"}}", NULL, "resources/read", "file:///a"},
    {"{\"method\":\"prompts/get\",\"params\":{\"name\":\"p\"}}", NULL, "prompts/get", "p"},
    {"{\"method\":\"tools/list\",\"params\":{\"name\":\"p\"}}", NULL, "tools/list", NULL},
    {"{\"method\":7,\"params\":[]}", NULL, NULL, NULL},
    {"[", NULL, NULL, NULL},
};

static void check(const char *got, const char *expected)
{
    ck_assert_str_eq(got ? got : "none", expected ? expected : "none");
}

START_TEST(mirror)
{
    struct mcp_mirror m;
    mcp_mirror_read(bytes_of_string(mirrors[_i].body), &arena, &m);
    check(m.version, mirrors[_i].version);
    check(m.method, mirrors[_i].method);
    check(m.name, mirrors[_i].name);
}
END_TEST

static void fill(TCase *tests)
{
    tcase_add_checked_fixture(tests, set_up, tear_down);
    tcase_add_loop_test(tests, envelope, 0, sizeof params / sizeof *params);
    tcase_add_loop_test(tests, header_value, 0, sizeof values / sizeof *values);
    tcase_add_loop_test(tests, mirror, 0, sizeof mirrors / sizeof *mirrors);
}

int main(void)
{
    return unit_main("mcp_modern", fill);
}
