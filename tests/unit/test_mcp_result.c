/* exec/target/mcp_result: replies as servers really give them, and as they should not, to outcomes. A case
 * of tests/data/mcp/results has op, args, reply (or its text as "raw" or "raw_base64"), how it was asked
 * for, and what is expected: class, code, exit, message, truncated, lowered, and the whole result object. */
#include "base/encode.h"
#include "exec/target/mcp_json.h"
#include "exec/target/mcp_result.h"
#include "exec/target/profile.h"
#include "mcp_case.h"

/* The last is read with the server's tools and profile. */
static const char *const files[] = {"content", "entries", "stat", "run", "errors", "page", "desktop-commander"};
enum { WITH_PROFILE = 6 };

static struct ops *ops;
static struct arena arena;
static struct tool_map profiled;

/* {"$bytes":base64} becomes a string of those bytes. */
static void decode_bytes(struct json *value)
{
    bool deep = json_is(value, JSON_OBJECT) || json_is(value, JSON_ARRAY);
    for (struct json *one = deep ? value->first : NULL; one;) {
        struct json *next = one->next;
        const struct json *bytes = json_get(one, "$bytes");
        if (bytes) {
            struct buf decoded;
            buf_init(&decoded, 1 << 20);
            ck_assert_int_eq(base64_decode(&decoded, bytes->text), 0);
            json_replace(one, json_string(&arena, buf_bytes(&decoded)));
            buf_release(&decoded);
        } else {
            decode_bytes(one);
        }
        one = next;
    }
}

static struct json *reply_of(const struct json *test)
{
    struct json *reply = json_get(test, "reply"), *raw = json_get(test, "raw");
    const struct json *encoded = json_get(test, "raw_base64");
    if (encoded) {
        struct buf decoded;
        buf_init(&decoded, 1 << 20);
        ck_assert_int_eq(base64_decode(&decoded, encoded->text), 0);
        raw = json_string(&arena, buf_bytes(&decoded));
        buf_release(&decoded);
    }
    if (raw)
        ck_assert_int_eq(mcp_json_read(&arena, raw->text, &reply), MCP_JSON_OK);
    return reply;
}

static const char *json_line(const struct json *value)
{
    struct buf text;
    buf_init(&text, 1 << 20);
    if (value)
        json_write(&text, value, JSON_SORTED);
    const char *line = arena_string(&arena, buf_bytes(&text));
    buf_release(&text);
    return line;
}

static void check_outcome(const char *name, const struct outcome *o, const struct json *expect)
{
    struct json *result = json_get(expect, "result");
    int64_t number = 0;
    decode_bytes(result);
    ck_assert_msg(bytes_equal_string(json_as_text(json_get(expect, "class")), outcome_class_name(o->class)),
                  "%s: class %s", name, outcome_class_name(o->class));
    ck_assert_msg(!result == !o->result && (!result || json_equal(result, o->result)),
                  "%s: result %s, expected %s", name, json_line(o->result), json_line(result));
    ck_assert_msg(bytes_equal(json_as_text(json_get(expect, "message")), o->message), "%s: message '%.*s'",
                  name, BYTES_ARG(o->message));
    json_as_integer(json_get(expect, "code"), &number);
    ck_assert_msg(o->code == number, "%s: code %lld", name, (long long)o->code);
    bool has_exit = json_as_integer(json_get(expect, "exit"), &number);
    ck_assert_msg(o->has_exit == has_exit && (!has_exit || o->exit == number), "%s: exit %d", name, o->exit);
    ck_assert_msg(o->truncated == json_as_bool(json_get(expect, "truncated"), false), "%s: truncated", name);
    ck_assert_msg(o->lowered == json_as_bool(json_get(expect, "lowered"), false), "%s: lowered", name);
}

static void run_case(const struct json *test)
{
    const char *name = arena_string(&arena, json_as_text(json_get(test, "name")));
    const struct op *op = ops_find(ops, arena_string(&arena, json_as_text(json_get(test, "op"))));
    ck_assert_msg(op, "%s: no such op", name);
    int64_t max = 1 << 20;
    json_as_integer(json_get(test, "max_reply"), &max);
    struct op_map map = {.op = op};
    map.coding = bytes_equal_string(json_as_text(json_get(test, "coding")), "base64") ? CODING_BASE64
                                                                                      : CODING_TEXT;
    map.glob = bytes_equal_string(json_as_text(json_get(test, "glob")), "part") ? GLOB_PART : GLOB_PLAIN;
    const struct op_map *stated = profiled.count ? tool_map_find(&profiled, op, false) : NULL;
    ck_assert(!profiled.count || stated);
    if (stated)
        map = *stated;
    struct mcp_result_context context = {
        .op = op, .map = strcmp(op->name, "call") ? &map : NULL, .args = json_get(test, "args"),
        .path = json_as_text(json_get(test, "path")), .max_reply = (size_t)max,
        .cut_here = json_as_bool(json_get(test, "cut"), false), .arena = &arena,
    };
    struct outcome o = {.class = OUTCOME_SKIPPED};
    mcp_result(&o, reply_of(test), &context);
    check_outcome(name, &o, json_get(test, "expect"));
}

START_TEST(recorded)
{
    char path[512];
    ops = load_ops();
    arena_init(&arena);
    snprintf(path, sizeof path, MCP_DATA "results/%s.json", files[_i]);
    struct json *tests = load_json(&arena, path);
    ck_assert_uint_ge(tests->count, 10);
    struct mcp_tools tools;
    struct profile *profile = NULL;
    if (_i == WITH_PROFILE) {
        load_tools(&tools, MCP_DATA "tools/desktop-commander.json");
        mcp_tools_finish(&tools, NULL, NULL, true);
        ck_assert_int_eq(profile_choose(TASKGEN_SOURCE_DIR "/domains/profiles", ops, &tools, &profile, NULL),
                         0);
        ck_assert_ptr_nonnull(profile);
        tool_map_init(&profiled, &tools, ops, profile);
    }
    for (const struct json *test = tests->first; test; test = test->next)
        run_case(test);
    if (profile) {
        tool_map_release(&profiled);
        profile_free(profile);
        mcp_tools_release(&tools);
    }
    arena_release(&arena);
    ops_free(ops);
}
END_TEST

static void fill(TCase *tests)
{
    tcase_add_loop_test(tests, recorded, 0, sizeof files / sizeof *files);
}

int main(void)
{
    return unit_main("mcp_result", fill);
}
