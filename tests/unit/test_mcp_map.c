/* exec/target/map: ops mapped to the tools of real servers, from their recorded tool lists. The expected
 * tables are tests/data/mcp/maps/NAME.txt; they were checked by hand against what the tools do. */
#include "exec/target/map_schema.h"
#include "exec/target/map_words.h"
#include "mcp_case.h"

static const char *const servers[] = {
    "agent-infra-commands",
    "agent-infra-filesystem",
    "bash-command",
    "code-runner",
    "commands",
    "desktop-commander",
    "everything",
    "fast-filesystem",
    "fs-0.5.1",
    "fs-2025.7.1",
    "fs-2025.8.21",
    "fs-2026.8.31",
    "just-bash",
    "mcp-git",
    "memory",
    "sqlite-npx",
    "chrome-devtools",
    "playwright",
    "puppeteer",
    "invented",
};

START_TEST(recorded)
{
    char path[512];
    struct mcp_tools tools;
    struct tool_map map;
    struct ops *ops = load_ops();
    snprintf(path, sizeof path, MCP_DATA "tools/%s.json", servers[_i]);
    load_tools(&tools, path);
    mcp_tools_finish(&tools, NULL, NULL, true);
    tool_map_init(&map, &tools, ops, NULL);
    struct buf text;
    buf_init(&text, 1 << 20);
    tool_map_explain(&map, &tools, &text);
    snprintf(path, sizeof path, MCP_DATA "maps/%s.txt", servers[_i]);
    check_golden(path, buf_bytes(&text));
    buf_release(&text);
    tool_map_release(&map);
    mcp_tools_release(&tools);
    ops_free(ops);
}
END_TEST

static const struct {
    const char *name, *words;
} names[] = {
    {"read_file", "read file"},
    {"readFile", "read file"},
    {"read-text-files", "read text file"},
    {"readfile", "read file"},
    {"HTTPGetURL", "http get url"},
    {"list.directories", "list directory"},
    {"base64Data", "base64 data"},
    {"stdinBase64", "stdin base64"},
    {"timeoutSeconds", "timeout second"},
    {"process", "process"},
    {"filesystem", "filesystem"},
    {"workdir", "work dir"},
    {"ls", "ls"},
    {"", ""},
    {"___", ""},
    {"\xff\xfe", ""},
    {"a b c d e f g h i j k l m n o p q r s", "a b c d e f g h i j k l m n o p"},
    {"averyveryverylongwordthatgoesonandon", "averyveryverylongwordth"},
};

START_TEST(words)
{
    struct words w;
    struct buf text;
    buf_init(&text, 1024);
    words_split(&w, bytes_of_string(names[_i].name));
    for (size_t i = 0; i < w.count; i++)
        buf_addf(&text, "%s%s", i ? " " : "", w.word[i]);
    ck_assert_str_eq(buf_string(&text), names[_i].words);
    buf_release(&text);
}
END_TEST

static const struct {
    const char *name, *pattern;
    double quality;
} matches[] = {
    {"read_file", "read|cat file?", 1},
    {"cat", "read|cat file?", 1},
    {"file_read", "read file", 1},
    {"read_the_file", "read file", 1},
    {"read_files", "read file", 1},
    {"read", "read file", 0},
    {"read_read", "read read", 1},
    {"read", "read read", 0},
    {"read_big_file", "read file", .9},
    {"read_sql_file", "read file", .5},
};

START_TEST(patterns)
{
    struct words w;
    struct word_pattern pattern = {1, matches[_i].pattern};
    words_split(&w, bytes_of_string(matches[_i].name));
    ck_assert_double_eq_tol(words_match(&w, &pattern, 1, .1, "the|a", "sql"), matches[_i].quality, 1e-9);
}
END_TEST

static const struct {
    const char *schema;
    unsigned types;
} schemas[] = {
    {"{}", TYPE_ANY},
    {"true", TYPE_ANY},
    {"{\"type\":\"string\"}", TYPE_STRING},
    {"{\"type\":\"integer\"}", TYPE_INTEGER},
    {"{\"type\":[\"string\",\"null\"]}", TYPE_STRING | TYPE_NULL},
    {"{\"type\":\"strange\"}", 0},
    {"{\"enum\":[\"a\",1]}", TYPE_STRING | TYPE_NUMERIC},
    {"{\"const\":false}", TYPE_BOOL},
    {"{\"anyOf\":[{\"type\":\"string\"},{\"type\":\"array\",\"items\":{}}]}", TYPE_STRING | TYPE_ARRAY},
    {"{\"allOf\":[{\"type\":[\"string\",\"null\"]},{\"type\":\"string\"}]}", TYPE_STRING},
    {"{\"$ref\":\"#/$defs/t\",\"$defs\":{\"t\":{\"type\":\"boolean\"}}}", TYPE_BOOL},
    {"{\"$ref\":\"#\"}", TYPE_ANY},
    {"{\"$ref\":\"http://127.0.0.1/schema\"}", TYPE_ANY},
    {"{\"$ref\":\"#/nowhere\"}", TYPE_ANY},
    {"{\"properties\":{}}", TYPE_OBJECT},
    /* Ten alternatives, each of which is the whole again. */
    {"{\"anyOf\":[{\"$ref\":\"#\"},{\"$ref\":\"#\"},{\"$ref\":\"#\"},{\"$ref\":\"#\"},{\"$ref\":\"#\"},"
     "{\"$ref\":\"#\"},{\"$ref\":\"#\"},{\"$ref\":\"#\"},{\"$ref\":\"#\"},{\"$ref\":\"#\"}]}", TYPE_ANY},
};

START_TEST(types)
{
    struct arena a;
    struct json *schema = NULL;
    arena_init(&a);
    ck_assert_int_eq(json_read(&a, bytes_of_string(schemas[_i].schema), NULL, "schema", &schema, NULL, NULL),
                     0);
    ck_assert_uint_eq(schema_types(schema, schema), schemas[_i].types);
    schema_values(schema, schema, &a);
    schema_items(schema, schema);
    schema_properties(schema, schema);
    schema_description(schema, schema);
    arena_release(&a);
}
END_TEST

/* Globs and destructive marks keep tools out of the map, and out of the op call. */
START_TEST(refusals)
{
    static const char *const only[] = {"read_*", "write_*", NULL}, *const exclude[] = {"*_media_*", NULL};
    struct mcp_tools tools;
    struct tool_map map;
    struct ops *ops = load_ops();
    load_tools(&tools, MCP_DATA "tools/fs-2026.8.31.json");
    mcp_tools_finish(&tools, only, exclude, false);
    ck_assert_ptr_null(mcp_tools_refusal(&tools, BYTES_LITERAL("read_file"), only, exclude));
    ck_assert_str_eq(mcp_tools_refusal(&tools, BYTES_LITERAL("read_media_file"), only, exclude),
                     "tool is excluded");
    ck_assert_str_eq(mcp_tools_refusal(&tools, BYTES_LITERAL("move_file"), only, exclude),
                     "tool is not among those asked for");
    ck_assert_str_eq(mcp_tools_refusal(&tools, BYTES_LITERAL("write_file"), only, exclude),
                     "tool is marked destructive");
    ck_assert_str_eq(mcp_tools_refusal(&tools, BYTES_LITERAL("no such tool"), only, exclude),
                     "tool is not among those asked for");
    ck_assert_ptr_null(mcp_tools_refusal(&tools, BYTES_LITERAL("read_nothing"), only, exclude));
    tool_map_init(&map, &tools, ops, NULL);
    ck_assert_ptr_nonnull(tool_map_find(&map, ops_find(ops, "read"), false));
    ck_assert_ptr_null(tool_map_find(&map, ops_find(ops, "write"), false));
    ck_assert_ptr_null(tool_map_find(&map, ops_find(ops, "download"), true));
    tool_map_release(&map);
    mcp_tools_release(&tools);
    ops_free(ops);
}
END_TEST

static void fill(TCase *tests)
{
    tcase_add_loop_test(tests, words, 0, sizeof names / sizeof *names);
    tcase_add_loop_test(tests, patterns, 0, sizeof matches / sizeof *matches);
    tcase_add_loop_test(tests, types, 0, sizeof schemas / sizeof *schemas);
    tcase_add_test(tests, refusals);
    tcase_add_loop_test(tests, recorded, 0, sizeof servers / sizeof *servers);
}

int main(void)
{
    return unit_main("mcp_map", fill);
}
