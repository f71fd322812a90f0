/* exec/target/map_fill: from a call to a tool's arguments. Cases stand in tests/data/mcp/fill.json: a tool
 * list, an op, its arguments, and either the tool's arguments or what cannot be said. */
#include "base/encode.h"
#include "exec/target/map_fill.h"
#include "mcp_case.h"

static struct arena arena;

static struct bytes spell(void *context, struct bytes path, const char *as, struct arena *a)
{
    if (strcmp(as, "absolute") != 0)
        return bytes_of_string(arena_printf(a, "(%s)%.*s", as, BYTES_ARG(path)));
    struct buf text;
    buf_init(&text, 4096);
    buf_add_string(&text, "/r");
    if (path.len)
        buf_add_byte(&text, '/');
    buf_add(&text, path);
    struct bytes spelled = arena_copy(a, buf_bytes(&text));
    buf_release(&text);
    return spelled;
}

/* The current tab is 9; of others the server has a number that is one more; tab 0 is not known. */
static struct json *tab(void *context, const struct json *handle, struct arena *a)
{
    int64_t number = 8;
    (void)context;
    if (handle)
        json_as_integer(handle, &number);
    return number ? json_integer(a, number + 1) : NULL;
}

static struct json *decoded(struct json *args)
{
    for (struct json *one = args->first; one; one = one->next) {
        const struct json *bytes = json_get(one, "$bytes");
        if (!bytes)
            continue;
        struct buf text;
        buf_init(&text, 4096);
        ck_assert_int_eq(base64_decode(&text, bytes->text), 0);
        struct json *value = json_string(&arena, buf_bytes(&text));
        json_replace(one, value);
        one = value;
        buf_release(&text);
    }
    return args;
}

static const char *line(const struct json *value)
{
    struct buf text;
    buf_init(&text, 1 << 16);
    json_write(&text, value, JSON_SORTED);
    const char *copy = arena_string(&arena, buf_bytes(&text));
    buf_release(&text);
    return copy;
}

static const char *text_member(const struct json *test, const char *key)
{
    const struct json *value = json_get(test, key);
    return value ? arena_string(&arena, json_as_text(value)) : NULL;
}

static int64_t number_member(const struct json *test, const char *name, int64_t fallback)
{
    int64_t value;
    return json_as_integer(json_get(test, name), &value) ? value : fallback;
}

static void run_case(const struct ops *ops, const struct json *test)
{
    const char *server = text_member(test, "tools"), *name = text_member(test, "op");
    const struct op *op = ops_find(ops, name);
    struct mcp_tools tools;
    struct tool_map map;
    load_tools(&tools, arena_printf(&arena, MCP_DATA "tools/%s.json", server));
    mcp_tools_finish(&tools, NULL, NULL, true);
    tool_map_init(&map, &tools, ops, NULL);
    const struct op_map *m = tool_map_find(&map, op, json_as_bool(json_get(test, "binary"), false));
    ck_assert_msg(m, "%s: %s is not mapped", server, name);
    struct map_fill f = {.args = decoded(json_get(test, "args")),
                         .timeout_ms = 2500,
                         .own_limit_ms = number_member(test, "ms", 0),
                         .path_as = text_member(test, "as"),
                         .spell = spell,
                         .tab = tab,
                         .arena = &arena};
    struct json *got = map_fill(m, &f);
    const struct json *expect = json_get(test, "expect");
    const char *missing = text_member(test, "missing");
    ck_assert_msg(!got == !expect, "%s: %s: %s", server, line(f.args), got ? line(got) : f.missing);
    if (got)
        ck_assert_msg(json_equal(got, expect), "%s: %s, expected %s", server, line(got), line(expect));
    else
        ck_assert_str_eq(f.missing, missing);
    ck_assert(f.cut_here == json_as_bool(json_get(test, "cut"), false));
    ck_assert_int_eq(f.told_ms, number_member(test, "told", f.told_ms));
    tool_map_release(&map);
    mcp_tools_release(&tools);
}

START_TEST(cases)
{
    struct ops *ops = load_ops();
    arena_init(&arena);
    struct json *tests = load_json(&arena, MCP_DATA "fill.json");
    ck_assert_uint_gt(tests->count, 30);
    for (const struct json *test = tests->first; test; test = test->next)
        run_case(ops, test);
    arena_release(&arena);
    ops_free(ops);
}
END_TEST

static void fill(TCase *tests)
{
    tcase_add_test(tests, cases);
}

int main(void)
{
    return unit_main("mcp_fill", fill);
}
