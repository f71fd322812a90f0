/* exec/target/profile: what is refused and how it is said, which profile is chosen, what it changes in a
 * map. */
#include "exec/target/profile.h"
#include "mcp_case.h"

#define HEAD "<profile xmlns=\"urn:taskgen:profile:1\" name=\"p\">\n<match tools=\"read_file move_file\"/>\n"

static struct ops *ops;
static char *directory;

static const char *in_directory(const char *name)
{
    static char path[512];
    snprintf(path, sizeof path, "%s/%s", directory, name);
    return path;
}

static int load(const char *text, struct profile **profile, struct error **err)
{
    ck_assert_int_eq(fs_write(in_directory("p.xml"), bytes_of_string(text), NULL), 0);
    return profile_load(in_directory("p.xml"), ops, profile, err);
}

static void set_up(void)
{
    ops = load_ops();
    directory = fs_fresh_dir("taskgen-test", NULL);
    ck_assert_ptr_nonnull(directory);
}

static void tear_down(void)
{
    ck_assert_int_eq(fs_remove_tree(directory, NULL), 0);
    free(directory);
    ops_free(ops);
}

/* The message without the directory before the file's name. */
static const struct {
    const char *text, *error;
} refused[] = {
    {"", "p.xml:1: not well-formed XML: nothing in it"},
    {"<profile", "p.xml:1: not well-formed XML: Couldn't find end of Start Tag profile line 1"},
    {"<profile name=\"p\"/>", "p.xml:1: element profile is not in the namespace urn:taskgen:profile:1"},
    {"<map xmlns=\"urn:taskgen:profile:1\" name=\"p\"/>", "p.xml:1: found element map, expected profile"},
    {"<profile xmlns=\"urn:taskgen:profile:1\"/>", "p.xml:1: element profile has no attribute 'name'"},
    {"<profile xmlns=\"urn:taskgen:profile:1\" name=\"\"/>",
     "p.xml:1: element profile has no attribute 'name'"},
    {"<!DOCTYPE profile [<!ENTITY x \"y\">]>\n" HEAD "</profile>",
     "p.xml:1: found a document type, expected none"},
    {HEAD "<tool/></profile>", "p.xml:3: found element tool, expected match or op"},
    {HEAD "text</profile>", "p.xml:3: found text in element profile, expected elements only"},
    {HEAD "<op name=\"read\" colour=\"red\"/></profile>",
     "p.xml:3: element op has the attribute 'colour', expected one of: name tool binary none base64 "
     "languages"},
    {HEAD "<op name=\"think\"/></profile>", "p.xml:3: there is no op 'think'"},
    {HEAD "\n<op name=\"read\"/>\n<op name=\"read\"/></profile>", "p.xml:5: op read is stated twice"},
    {HEAD "<op name=\"read\" binary=\"maybe\"/></profile>",
     "p.xml:3: attribute binary is 'maybe', expected yes or no"},
    {HEAD "<op name=\"run\" languages=\"sh klingon\"/></profile>", "p.xml:3: there is no language 'klingon'"},
    {HEAD "<op name=\"read\"><op name=\"list\"/></op></profile>",
     "p.xml:3: found element op, expected arg or result"},
    {HEAD "<op name=\"read\"><arg name=\"a\"/></op></profile>",
     "p.xml:3: element arg has neither, expected either 'value' or 'json'"},
    {HEAD "<op name=\"read\"><arg name=\"a\" value=\"path\" json=\"1\"/></op></profile>",
     "p.xml:3: element arg has both, expected either 'value' or 'json'"},
    {HEAD "<op name=\"read\"><arg name=\"a\" value=\"colour\"/></op></profile>",
     "p.xml:3: op read has no argument 'colour'"},
    {HEAD "<op name=\"read\"><arg name=\"a\" value=\"@lines\"/></op></profile>",
     "p.xml:3: op read has no argument '@lines'"},
    {HEAD "<op name=\"read\"><arg name=\"a\" value=\"path\" as=\"roman\"/></op></profile>",
     "p.xml:3: there is no form 'roman' of a value"},
    {HEAD "<op name=\"edit\"><arg name=\"a\" json='[{\"x\":{\"$arg\":\"older\"}}]'/></op></profile>",
     "p.xml:3: op edit has no argument 'older'"},
    {HEAD "<op name=\"read\"><result name=\"content\"/></op></profile>",
     "p.xml:3: element result has neither, expected either 'at' or 'pattern'"},
    {HEAD "<op name=\"read\"><result name=\"smell\" at=\"/x\"/></op></profile>",
     "p.xml:3: op read has no result 'smell'"},
    {HEAD "<op name=\"read\"><result name=\"content\" at=\"x\"/></op></profile>",
     "p.xml:3: attribute at is 'x', expected a JSON pointer like /structuredContent/text"},
    {HEAD "<op name=\"read\"><result name=\"content\" at=\"/x\" as=\"poem\"/></op></profile>",
     "p.xml:3: attribute as is 'poem', expected text, base64, number, octal, lines, true or false"},
    {HEAD "<op name=\"read\"><result name=\"content\" pattern=\"abc\"/></op></profile>",
     "p.xml:3: pattern 'abc' has no group, expected one with the result"},
    {HEAD "<op name=\"read\"><result name=\"content\" pattern=\"(abc\"/></op></profile>",
     "p.xml:3: pattern '(abc': missing closing parenthesis at offset 4"},
};

START_TEST(refusals)
{
    struct profile *profile = NULL;
    struct error *err = NULL;
    set_up();
    ck_assert_int_eq(load(refused[_i].text, &profile, &err), ERR_INPUT);
    ck_assert_ptr_null(profile);
    ck_assert(strncmp(err->text, directory, strlen(directory)) == 0);
    ck_assert_str_eq(err->text + strlen(directory) + 1, refused[_i].error);
    error_free(err);
    ck_assert_int_eq(load(refused[_i].text, &profile, NULL),
                     ERR_INPUT); /* also when nobody wants to know why */
    tear_down();
}
END_TEST

START_TEST(bad_json)
{
    struct profile *profile = NULL;
    struct error *err = NULL;
    set_up();
    ck_assert_int_eq(
        load(HEAD "<op name=\"read\"><arg name=\"a\" json=\"{\"/></op></profile>", &profile, &err),
        ERR_INPUT);
    ck_assert_ptr_nonnull(strstr(err->text, "p.xml:3: attribute json"));
    error_free(err);
    err = NULL;
    ck_assert_int_eq(profile_load(in_directory("none.xml"), ops, &profile, &err), ERR_INPUT);
    ck_assert_ptr_nonnull(strstr(err->text, "none.xml"));
    error_free(err);
    tear_down();
}
END_TEST

/* Each of ours is for the server it is named after, and for no other that we know. */
START_TEST(shipped)
{
    static const struct {
        const char *tools, *profile;
    } servers[] = {
        {"desktop-commander", "desktop-commander"},
        {"fast-filesystem", "fast-filesystem"},
        {"fs-2026.8.31", NULL},
        {"everything", NULL},
        {"memory", NULL},
        {"commands", NULL},
        {"bash-command", NULL},
        {"just-bash", NULL},
        {"code-runner", NULL},
        {"mcp-git", NULL},
        {"agent-infra-filesystem", NULL},
    };
    set_up();
    for (size_t i = 0; i < sizeof servers / sizeof *servers; i++) {
        char path[512];
        struct mcp_tools tools;
        struct profile *profile = NULL;
        struct error *err = NULL;
        snprintf(path, sizeof path, MCP_DATA "tools/%s.json", servers[i].tools);
        load_tools(&tools, path);
        ck_assert_msg(profile_choose(TASKGEN_SOURCE_DIR "/domains/profiles", ops, &tools, &profile, &err) ==
                          0,
                      "%s", err ? err->text : "");
        ck_assert_msg(!profile == !servers[i].profile, "%s", servers[i].tools);
        if (profile)
            ck_assert_str_eq(profile_name(profile), servers[i].profile);
        profile_free(profile);
        mcp_tools_release(&tools);
    }
    tear_down();
}
END_TEST

START_TEST(no_directory)
{
    struct mcp_tools tools;
    struct profile *profile = NULL;
    set_up();
    mcp_tools_init(&tools);
    ck_assert_int_eq(profile_choose(in_directory("nowhere"), ops, &tools, &profile, NULL), 0);
    ck_assert_ptr_null(profile);
    /* A file that is wrong is told, also when it would not have been chosen. */
    struct error *err = NULL;
    ck_assert_int_eq(fs_write(in_directory("a.xml"), BYTES_LITERAL("<"), NULL), 0);
    ck_assert_int_eq(profile_choose(directory, ops, &tools, &profile, &err), ERR_INPUT);
    error_free(err);
    mcp_tools_release(&tools);
    tear_down();
}
END_TEST

static const char everything_at_once[] = HEAD
    "<op name=\"read\" tool=\"read_multiple_files\"><arg name=\"paths\" "
    "json='[{\"$arg\":\"path\",\"as\":\"path\"}]'/></op>\n"
    "<op name=\"write\"><arg name=\"force\" json=\"true\"/></op>\n"
    "<op name=\"list\" none=\"yes\"/>\n"
    "<op name=\"stat\" tool=\"no_such_tool\"><arg name=\"p\" value=\"path\"/></op>\n"
    "<op name=\"run\" tool=\"get_file_info\" languages=\"python\"><arg name=\"c\" value=\"@script\"/></op>\n"
    "<op name=\"upload\" binary=\"yes\" tool=\"write_file\"><arg name=\"c\" value=\"content\" "
    "as=\"base64\"/></op>\n"
    "</profile>";

START_TEST(applied)
{
    struct mcp_tools tools;
    struct tool_map map;
    struct profile *profile = NULL;
    struct error *err = NULL;
    set_up();
    load_tools(&tools, MCP_DATA "tools/fs-2026.8.31.json");
    mcp_tools_finish(&tools, NULL, NULL, true);
    ck_assert_msg(load(everything_at_once, &profile, &err) == 0, "%s", err ? err->text : "");
    ck_assert(profile_is_for(profile, &tools));
    tool_map_init(&map, &tools, ops, profile);
    struct buf text;
    buf_init(&text, 1 << 16);
    tool_map_explain(&map, &tools, &text);
    static const char *const lines[] = {
        "read           1.00  read_multiple_files paths=[path]  (profile p)\n",
        "write          1.00  write_file path=path content=content force=true  (name 1.00, path:path",
        "list           no    profile p says there is none\n",
        "stat           no    no_such_tool: the server has no such tool\n",
        "run            1.00  get_file_info c=@script  (profile p)\n",
        "upload:bytes   1.00  write_file c=content:base64  (profile p)\n",
        "edit           1.00  edit_file", /* untouched */
    };
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
        ck_assert_msg(strstr(buf_string(&text), lines[i]), "no line '%s' in\n%s", lines[i],
                      buf_string(&text));
    const struct op_map *run = tool_map_find(&map, ops_find(ops, "run"), false);
    ck_assert_int_eq(run->run_way, RUN_WAY_CODE);
    ck_assert_uint_eq(run->languages, 1u << 2); /* python */
    ck_assert_str_eq(map.profile, "p");
    buf_release(&text);
    tool_map_release(&map);
    profile_free(profile);
    mcp_tools_release(&tools);
    tear_down();
}
END_TEST

static void fill(TCase *tests)
{
    tcase_add_loop_test(tests, refusals, 0, sizeof refused / sizeof *refused);
    tcase_add_test(tests, bad_json);
    tcase_add_test(tests, shipped);
    tcase_add_test(tests, no_directory);
    tcase_add_test(tests, applied);
}

int main(void)
{
    return unit_main("mcp_profile", fill);
}
