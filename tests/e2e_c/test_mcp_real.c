/* The MCP driver against real servers, through sessions: the servers that tests/servers/install.sh
 * installs. Without them the test is skipped (exit status 77). */
#include "../unit/session_fixture.h"

#define SERVERS TASKGEN_SOURCE_DIR "/tests/servers/node_modules/"
#define NODE SERVERS ".bin/node "
#define FILESYSTEM "mcp:" NODE SERVERS "@modelcontextprotocol/server-filesystem/dist/index.js {root}"
#define EVERYTHING "mcp:" NODE SERVERS "@modelcontextprotocol/server-everything/dist/index.js"
#define MEMORY "mcp:" NODE SERVERS "@modelcontextprotocol/server-memory/dist/index.js"
#define COMMANDS "mcp:" NODE SERVERS "mcp-server-commands/build/index.js"

static struct session_fixture f;

static void begin(const char *spec)
{
    session_set_up(&f);
    session_new(&f, spec);
}

static const char *host_path(const char *name)
{
    return arena_printf(&f.arena, "%s/%s", session_root(f.session), name);
}

/* The file as this machine sees it. */
static struct bytes host_file(const char *name)
{
    struct buf text;
    struct error *err = NULL;
    buf_init(&text, 1 << 24);
    int status = fs_read(host_path(name), 1 << 24, &text, &err);
    ck_assert_msg(status == 0, "%s", err ? err->text : "");
    struct bytes copy = arena_copy(&f.arena, buf_bytes(&text));
    buf_release(&text);
    return copy;
}

static void put_host_file(const char *name, struct bytes data)
{
    ck_assert_int_eq(fs_write(host_path(name), data, NULL), 0);
}

/* Nothing came that a server must not send. What it may (a changed list), and recommendations that it does not follow, are told too. */
static void check_no_wire_events(void)
{
    const struct wire_event *events;
    size_t count = session_wire_events(f.session, &events);
    for (size_t i = 0; i < count; i++) {
        bool advice = events[i].kind == WIRE_BREACH && strncmp(events[i].detail, "should: ", 8) == 0;
        ck_assert_msg(advice || events[i].kind == WIRE_NOTE, "%s: %.*s", events[i].detail ? events[i].detail : "event",
                      BYTES_ARG(events[i].text));
    }
}

START_TEST(files_identity)
{
    begin(FILESYSTEM);
    ck_assert_str_eq(target_identity(f.target), "mcp secure-filesystem-server 0.2.0 (14 tools, protocol 2025-11-25, old era)");
    ck_assert(session_root_visible(f.session));
    static const char *const native[] = {"write", "read",   "list",     "stat", "mkdir", "move",
                                         "edit",  "search", "download", "call", "send"};
    static const char *const none[] = {"upload", "write:bytes", "run",    "run:sh",
                                       "append", "copy",        "remove", "fetch"};
    for (size_t i = 0; i < sizeof native / sizeof *native; i++)
        ck_assert_msg(session_supports(f.session, native[i]), "%s", native[i]);
    for (size_t i = 0; i < sizeof none / sizeof *none; i++)
        ck_assert_msg(!session_supports(f.session, none[i]), "%s", none[i]);
    session_tear_down(&f);
}
END_TEST

START_TEST(files_round_trip)
{
    begin(FILESYSTEM);
    ASSERT_OK("mkdir", "{\"path\":\"d/e\"}");
    ASSERT_OK("write", "{\"path\":\"d/e/a b.txt\",\"content\":\"x\\u0000y\\r\\n\\u00e9\\n\"}");
    ck_assert_uint_eq(f.call.outcome.replies, 1);
    ck_assert_uint_gt(f.call.outcome.bytes_in, 100);
    ck_assert_uint_gt(f.call.outcome.bytes_out, 50);
    ck_assert_int_gt(f.call.outcome.ns, 0);
    ASSERT_BYTES(host_file("d/e/a b.txt"), "x\0y\r\n\xC3\xA9\n");
    ASSERT_OK("read", "{\"path\":\"d/e/a b.txt\"}");
    ASSERT_BYTES(result_bytes(&f, "content"), "x\0y\r\n\xC3\xA9\n");
    ASSERT_OK("edit", "{\"path\":\"d/e/a b.txt\",\"old\":\"x\",\"new\":\"z\"}");
    ASSERT_BYTES(bytes_slice(host_file("d/e/a b.txt"), 0, 1), "z");
    ASSERT_OK("move", "{\"path\":\"d/e/a b.txt\",\"to\":\"c.txt\"}");
    ck_assert_int_eq(access(host_path("d/e/a b.txt"), F_OK), -1);
    ASSERT_OK("stat", "{\"path\":\"c.txt\"}");
    ck_assert_int_eq(result_integer(&f, "size"), (int64_t)host_file("c.txt").len);
    ASSERT_BYTES(result_bytes(&f, "kind"), "file");
    ck_assert_int_eq(result_integer(&f, "mode"), 0644);
    check_no_wire_events();
    session_tear_down(&f);
}
END_TEST

START_TEST(files_parts)
{
    begin(FILESYSTEM);
    put_host_file("l.txt", BYTES_LITERAL("1\n2\n3\n4\n"));
    ASSERT_OK("read", "{\"path\":\"l.txt\",\"head\":2}");
    ck_assert(!f.call.outcome.lowered); /* the server's own head */
    ASSERT_BYTES(result_bytes(&f, "content"), "1\n2");
    ASSERT_OK("read", "{\"path\":\"l.txt\",\"offset\":2,\"length\":3}");
    ck_assert(f.call.outcome.lowered); /* ours */
    ASSERT_BYTES(result_bytes(&f, "content"), "2\n3");
    session_tear_down(&f);
}
END_TEST

/* Bytes that are no text: exact through download, refused by us for write, mangled by the server's read. */
START_TEST(files_bytes)
{
    static const uint8_t data[] = {0x89, 'P', 'N', 'G', '\r', '\n', 0, 0xff, 0xfe, 0x80};
    begin(FILESYSTEM);
    put_host_file("b.png", bytes_of(data, sizeof data));
    put_host_file("b.bin", bytes_of(data, sizeof data));
    ASSERT_OK("download", "{\"path\":\"b.png\"}"); /* an image */
    ck_assert(bytes_equal(result_bytes(&f, "content"), bytes_of(data, sizeof data)));
    ASSERT_OK("download", "{\"path\":\"b.bin\"}"); /* a blob */
    ck_assert(bytes_equal(result_bytes(&f, "content"), bytes_of(data, sizeof data)));
    ASSERT_OK("read", "{\"path\":\"b.bin\"}");
    ck_assert(!bytes_equal(result_bytes(&f, "content"), bytes_of(data, sizeof data)));
    ck_assert_int_ge(bytes_find(result_bytes(&f, "content"), BYTES_LITERAL("\xEF\xBF\xBD"), 0), 0);
    struct json *args = json_new(&f.arena, JSON_OBJECT);
    json_set(&f.arena, args, "path", json_text(&f.arena, "w.bin"));
    json_set(&f.arena, args, "content", json_string(&f.arena, bytes_of(data, sizeof data)));
    ck_assert_int_eq(do_args(&f, "write", args), OUTCOME_SKIPPED);
    ck_assert_int_eq(access(host_path("w.bin"), F_OK), -1);
    session_tear_down(&f);
}
END_TEST

START_TEST(files_names)
{
    begin(FILESYSTEM);
    ASSERT_OK("list", "{\"path\":\"\"}");
    ck_assert_uint_eq(json_get(f.call.outcome.result, "entries")->count, 0);
    put_host_file("[DIR] x", BYTES_LITERAL(""));
    put_host_file("two\nlines", BYTES_LITERAL(""));
    put_host_file(".hidden", BYTES_LITERAL(""));
    ASSERT_OK("mkdir", "{\"path\":\"d\"}");
    put_host_file("d/deep.txt", BYTES_LITERAL(""));
    ASSERT_OK("list", "{\"path\":\"\"}");
    const struct json *expected = fixture_json(&f, "[\".hidden\",\"[DIR] x\",\"d\",\"two\\nlines\"]");
    ck_assert(json_equal(json_get(f.call.outcome.result, "entries"), expected));
    ASSERT_OK("search", "{\"path\":\"\",\"pattern\":\"*.txt\"}");
    ck_assert(json_equal(json_get(f.call.outcome.result, "entries"), fixture_json(&f, "[\"d/deep.txt\"]")));
    ASSERT_OK("search", "{\"path\":\"\",\"pattern\":\"*.zip\"}");
    ck_assert_uint_eq(json_get(f.call.outcome.result, "entries")->count, 0);
    session_tear_down(&f);
}
END_TEST

START_TEST(files_errors)
{
    begin(FILESYSTEM);
    ck_assert_int_eq(do_call(&f, "read", "{\"path\":\"none\"}"), OUTCOME_TOOL_ERROR);
    ck_assert_int_ge(bytes_find(f.call.outcome.message, BYTES_LITERAL("ENOENT"), 0), 0);
    ck_assert_int_eq(do_call(&f, "read", "{\"path\":\"/etc/hostname\"}"), OUTCOME_TOOL_ERROR); /* outside */
    ck_assert_int_eq(do_call(&f, "call", "{\"name\":\"write_file\",\"arguments\":{\"path\":5}}"),
                     OUTCOME_TOOL_ERROR);
    ck_assert_int_eq(do_call(&f, "call", "{\"name\":\"no_such_tool\"}"), OUTCOME_TOOL_ERROR);
    ck_assert_int_eq(do_call(&f, "copy", "{\"path\":\"a\",\"to\":\"b\"}"), OUTCOME_SKIPPED);
    ck_assert_str_eq(f.call.outcome.skip_reason, "copy");
    check_no_wire_events();
    session_tear_down(&f);
}
END_TEST

/* Many at once: each gets its own answer. */
START_TEST(files_at_once)
{
    enum { COUNT = 64 };
    static struct call calls[COUNT];
    struct call *list[COUNT];
    begin(FILESYSTEM);
    for (int i = 0; i < COUNT; i++) {
        const char *name = arena_printf(&f.arena, "f%d", i);
        put_host_file(name, bytes_of_string(name));
        calls[i] = fixture_call(&f, "read",
                                fixture_json(&f, arena_printf(&f.arena, "{\"path\":\"%s\"}", name)));
        list[i] = &calls[i];
    }
    session_calls(f.session, list, COUNT);
    for (int i = 0; i < COUNT; i++) {
        ck_assert_int_eq(calls[i].outcome.class, OUTCOME_OK);
        ck_assert_uint_eq(calls[i].outcome.replies, 1);
        struct bytes content = json_as_text(json_get(calls[i].outcome.result, "content"));
        ck_assert(bytes_equal_string(content, arena_printf(&f.arena, "f%d", i)));
    }
    check_no_wire_events();
    session_tear_down(&f);
}
END_TEST

/* Raw frames: a request of its own is answered; garbage is survived. */
START_TEST(files_raw)
{
    begin(FILESYSTEM);
    ASSERT_OK("send", "{\"content\":\"{\\\"jsonrpc\\\":\\\"2.0\\\",\\\"id\\\":\\\"x\\\",\\\"method\\\":"
                      "\\\"ping\\\"}\\n\"}");
    ck_assert_uint_eq(f.call.outcome.replies, 1);
    ck_assert_int_ge(bytes_find(f.call.outcome.raw, BYTES_LITERAL("\"id\":\"x\""), 0), 0);
    ASSERT_OK("send", "{\"content\":\"no JSON at all\\n\"}");
    struct json *args = fixture_json(&f, "{\"name\":\"list_directory\"}");
    struct json *arguments = json_raw(&f.arena, BYTES_LITERAL("{\"path\":1e999,\"path\":\".\"}"));
    json_set(&f.arena, args, "arguments", arguments);
    ck_assert_int_eq(do_args(&f, "call", args), OUTCOME_OK); /* the last of two keys counts */
    check_no_wire_events();
    ck_assert(session_alive(f.session));
    session_tear_down(&f);
}
END_TEST

/* Without a box and without leave, tools that say they destroy are not called. */
START_TEST(files_destructive)
{
    session_set_up(&f);
    struct target_options o = {.spec = FILESYSTEM, .settings = &f.settings, .ops = f.ops, .no_box = true};
    ck_assert_int_eq(target_new(&o, &f.target, NULL), 0);
    session_begin(&f);
    ck_assert(session_supports(f.session, "read"));
    ck_assert(!session_supports(f.session, "write"));
    ck_assert_int_eq(
        do_call(&f, "call", "{\"name\":\"write_file\",\"arguments\":{\"path\":\"a\",\"content\":\"\"}}"),
        OUTCOME_SKIPPED);
    ck_assert_str_eq(f.call.outcome.skip_reason, "tool is marked destructive");
    session_tear_down(&f);
    session_set_up(&f);
    o.settings = &f.settings;
    o.ops = f.ops;
    o.allow_destructive = true;
    ck_assert_int_eq(target_new(&o, &f.target, NULL), 0);
    session_begin(&f);
    ASSERT_OK("write", "{\"path\":\"a\",\"content\":\"x\"}");
    session_tear_down(&f);
}
END_TEST

START_TEST(files_reopen)
{
    begin(FILESYSTEM);
    ASSERT_OK("write", "{\"path\":\"kept\",\"content\":\"x\"}");
    struct error *err = NULL;
    ck_assert_msg(session_reopen(f.session, &err) == 0, "%s", err ? err->text : "");
    ASSERT_OK("read", "{\"path\":\"kept\"}");
    ASSERT_BYTES(result_bytes(&f, "content"), "x");
    session_tear_down(&f);
}
END_TEST

START_TEST(commands)
{
    begin(COMMANDS);
    static const char *const needs[] = {"run", "run:sh", "run:bash", "run:python"};
    for (size_t i = 0; i < sizeof needs / sizeof *needs; i++)
        ck_assert_msg(session_supports(f.session, needs[i]), "%s", needs[i]);
    ck_assert(!session_supports(f.session, "run:rust"));
    ASSERT_OK("run", "{\"argv\":[\"printf\",\"%s|\",\"a b\",\"it's\",\"$HOME\"]}");
    ASSERT_BYTES(result_bytes(&f, "stdout"), "a b|it's|$HOME|");
    ASSERT_OK("run", "{\"language\":\"sh\",\"script\":\"pwd\"}");
    ck_assert(bytes_starts(result_bytes(&f, "stdout"), bytes_of_string(session_root(f.session))));
    ASSERT_OK("run", "{\"language\":\"python\",\"script\":\"print('\\\"x\\\"', 6*7)\"}");
    ASSERT_BYTES(result_bytes(&f, "stdout"), "\"x\" 42\n");
    ASSERT_OK("run", "{\"argv\":[\"cat\"],\"stdin\":\"from us\"}");
    ASSERT_BYTES(result_bytes(&f, "stdout"), "from us");
    ASSERT_OK("run", "{\"argv\":[\"sh\",\"-c\",\"echo $A\"],\"env\":{\"A\":\"b c\"}}");
    ASSERT_BYTES(result_bytes(&f, "stdout"), "b c\n");
    /* This server tells that a program failed, but not how. */
    ck_assert_int_eq(
        do_call(&f, "run", "{\"language\":\"sh\",\"script\":\"echo out; echo err >&2; exit 7\"}"),
        OUTCOME_TOOL_ERROR);
    ASSERT_BYTES(result_bytes(&f, "stdout"), "out\n");
    ASSERT_BYTES(result_bytes(&f, "stderr"), "err\n");
    ck_assert(!f.call.outcome.has_exit);
    session_tear_down(&f);
}
END_TEST

/* What the server has no tool for goes through its command tool, bytes included. */
START_TEST(commands_lowered)
{
    static const uint8_t data[] = {0, 1, 0xff, '\n', 'x', 0x80};
    begin(COMMANDS);
    ck_assert(session_supports(f.session, "write"));
    struct json *args = json_new(&f.arena, JSON_OBJECT);
    json_set(&f.arena, args, "path", json_text(&f.arena, "b.bin"));
    json_set(&f.arena, args, "content", json_string(&f.arena, bytes_of(data, sizeof data)));
    ck_assert_msg(do_args(&f, "write", args) == OUTCOME_OK, "%s", said_words(&f));
    ck_assert(f.call.outcome.lowered);
    ck_assert(bytes_equal(host_file("b.bin"), bytes_of(data, sizeof data)));
    ASSERT_OK("read", "{\"path\":\"b.bin\"}");
    ck_assert(bytes_equal(result_bytes(&f, "content"), bytes_of(data, sizeof data)));
    session_tear_down(&f);
}
END_TEST

START_TEST(everything)
{
    begin(EVERYTHING);
    ck_assert_str_eq(target_identity(f.target), "mcp mcp-servers/everything 2.0.0 (13 tools, protocol 2025-11-25, old era)");
    ck_assert(!session_supports(f.session, "read"));
    ck_assert(!session_root_visible(f.session));
    ASSERT_OK("call", "{\"name\":\"echo\",\"arguments\":{\"message\":\"h\\u00e9\"}}");
    ASSERT_BYTES(result_bytes(&f, "content"), "Echo: h\xC3\xA9");
    ASSERT_OK("call", "{\"name\":\"get-structured-content\",\"arguments\":{\"location\":\"Chicago\"}}");
    ck_assert(json_is(json_get(f.call.outcome.result, "structured"), JSON_OBJECT));
    /* Past its deadline: given up, cancelled, and not taken for anything else when it comes. */
    f.call = fixture_call(&f, "call", fixture_json(&f, "{\"name\":\"trigger-long-running-operation\","
                                                       "\"arguments\":{\"duration\":1,\"steps\":1}}"));
    f.call.timeout_ms = 200;
    session_calls(f.session, (struct call *[]){&f.call}, 1);
    ck_assert_int_eq(f.call.outcome.class, OUTCOME_TIMEOUT);
    clock_sleep_ms(1500);
    ASSERT_OK("call", "{\"name\":\"echo\",\"arguments\":{\"message\":\"still here\"}}");
    check_no_wire_events();
    session_tear_down(&f);
}
END_TEST

START_TEST(memory)
{
    static const char *const env[] = {"MEMORY_FILE_PATH={home}/memory.jsonl", NULL};
    session_set_up(&f);
    struct target_options o = {.spec = MEMORY, .settings = &f.settings, .ops = f.ops, .env = env};
    ck_assert_int_eq(target_new(&o, &f.target, NULL), 0);
    session_begin(&f);
    ASSERT_OK("call", "{\"name\":\"create_entities\",\"arguments\":{\"entities\":[{\"name\":\"n\","
                      "\"entityType\":\"t\",\"observations\":[\"o\"]}]}}");
    ASSERT_OK("call", "{\"name\":\"read_graph\",\"arguments\":{}}");
    ck_assert_int_ge(bytes_find(result_bytes(&f, "content"), BYTES_LITERAL("\"o\""), 0), 0);
    session_tear_down(&f);
}
END_TEST

/* It has no tool for files, so nothing can be put into its root; what it stores there can be damaged all the same. */
START_TEST(memory_damaged)
{
    static const char *const env[] = {"MEMORY_FILE_PATH={root}/store.jsonl", NULL};
    session_set_up(&f);
    struct target_options o = {.spec = MEMORY, .settings = &f.settings, .ops = f.ops, .env = env};
    ck_assert_int_eq(target_new(&o, &f.target, NULL), 0);
    session_begin(&f);
    ck_assert(!session_root_visible(f.session));
    ck_assert(!session_supports(f.session, "stage"));
    ck_assert(session_supports(f.session, "stage:stored"));
    ASSERT_OK("stage-damage", "{\"path\":\".\"}"); /* nothing is stored yet */
    ck_assert_int_eq(result_integer(&f, "files"), 0);
    ASSERT_OK("call", "{\"name\":\"create_entities\",\"arguments\":{\"entities\":[{\"name\":\"n\","
                      "\"entityType\":\"t\",\"observations\":[\"o\"]}]}}");
    ASSERT_OK("stage-damage", "{\"path\":\".\",\"kind\":\"empty\"}");
    ck_assert_int_eq(result_integer(&f, "files"), 1);
    ck_assert_uint_eq(host_file("store.jsonl").len, 0);
    ASSERT_OK("call", "{\"name\":\"read_graph\",\"arguments\":{}}");
    ck_assert_int_lt(bytes_find(result_bytes(&f, "content"), BYTES_LITERAL("\"o\""), 0), 0);
    session_tear_down(&f);
}
END_TEST

static const struct {
    const char *spec, *words;
} unusable[] = {
    {"mcp:/nowhere/server", "cannot start '/nowhere/server'"},
    {"mcp:" NODE "/nowhere/server.js", "ended with status 1 before it answered initialize"},
    {"mcp:sh -c 'echo hello; exec sleep 60'", "instead of a message it wrote: hello"},
};

START_TEST(no_first_answer)
{
    session_set_up(&f);
    ck_assert_int_eq(settings_set(&f.settings, "exec.start-timeout", "2s", NULL), 0);
    session_target_new(&f, unusable[_i].spec);
    struct error *err = NULL;
    ck_assert_int_eq(session_open(f.target, &f.session, &err), ERR_TARGET);
    ck_assert_msg(strstr(err->text, unusable[_i].words), "%s", err->text);
    ck_assert_ptr_null(strchr(err->text, '\n'));
    error_free(err);
    f.session = NULL;
    session_tear_down(&f);
}
END_TEST

static void fill(TCase *tests)
{
    const TTest *const all[] = {
        files_identity, files_round_trip, files_parts,       files_bytes,  files_names, files_errors,
        files_at_once,  files_raw,        files_destructive, files_reopen, commands,    commands_lowered,
        everything,     memory,        memory_damaged,
    };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        tcase_add_test(tests, all[i]);
    tcase_add_loop_test(tests, no_first_answer, 0, sizeof unusable / sizeof *unusable);
}

int main(void)
{
    if (access(SERVERS ".bin/node", X_OK) < 0) {
        printf("skipped: no servers in tests/servers/node_modules; tests/servers/install.sh installs them\n");
        return 77;
    }
    return unit_main("mcp_real", fill);
}
