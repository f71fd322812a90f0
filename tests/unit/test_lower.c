/* Ops lowered to commands: on a channel that keeps bytes (exec), and on one that, like many servers' shells,
 * mixes the streams, keeps no exit status, has no standard input and mangles what is not UTF-8. Both must
 * give the same. */
#include "base/utf8.h"
#include "exec/target/lower_internal.h"
#include "exec/target/root.h"
#include "session_fixture.h"

static struct session_fixture f;
static bool failing_is_error; /* the text channel calls a command that fails an error */
static struct driver text_driver;

/* --- a channel for text only, made of the exec driver --- */

static void add_as_text(struct buf *out, struct bytes data)
{
    for (size_t at = 0; at < data.len;) {
        size_t from = at;
        if (utf8_next(data, &at) < 0)
            buf_add_string(out, "\xef\xbf\xbd");
        else
            buf_add(out, bytes_slice(data, from, at));
    }
}

static void mangle(struct call *call)
{
    struct outcome *o = &call->outcome;
    struct buf text;
    if (strcmp(call->op->name, "run") != 0 || !o->result)
        return;
    ck_assert_msg(!json_get(call->args, "stdin"), "standard input was asked for where there is none");
    buf_init(&text, 1 << 26);
    buf_add_string(&text, "$ ");
    add_as_text(&text,
                json_as_text(json_get(call->args, "script"))); /* the command is shown, as servers do */
    buf_add_string(&text, "\n");
    add_as_text(&text, json_as_text(json_get(o->result, "stdout")));
    add_as_text(&text, json_as_text(json_get(o->result, "stderr")));
    o->result = json_new(call->arena, JSON_OBJECT);
    if (failing_is_error && o->exit != 0) {
        o->class = OUTCOME_TOOL_ERROR;
        o->message = arena_copy(call->arena, buf_bytes(&text));
    } else {
        json_set(call->arena, o->result, "stdout", json_string(call->arena, buf_bytes(&text)));
    }
    o->has_exit = false;
    buf_release(&text);
}

static void text_calls(struct session *s, struct call *const *calls, size_t count)
{
    driver_exec.calls(s, calls, count);
    for (size_t i = 0; i < count; i++)
        mangle(calls[i]);
}

static enum support text_supports(struct session *s, const char *need)
{
    static const char *const runs[] = {"run", "run:sh", "run:python"};
    for (size_t i = 0; i < sizeof runs / sizeof *runs; i++)
        if (strcmp(need, runs[i]) == 0)
            return SUPPORT_NATIVE;
    return SUPPORT_NONE;
}

static unsigned text_channel(struct session *s)
{
    return RUN_NETWORK;
}

/* The loop tests' kinds: 0 exec in our box, 1 exec:bwrap, 2 the text channel, 3 the same where failing is an
 * error. */
enum { KINDS = 4 };

static bool start_kind(int kind)
{
    const char *why;
    if (!box_possible(&why)) {
        printf("not tested: no box here: %s\n", why);
        return false;
    }
    session_target_new(&f, kind == 1 ? BWRAP : "exec:");
    failing_is_error = kind == 3;
    if (kind >= 2) {
        text_driver = driver_exec;
        text_driver.name = "text";
        text_driver.calls = text_calls;
        text_driver.supports = text_supports;
        text_driver.run_channel = text_channel;
        text_driver.spelling = NULL;
        f.target->driver = &text_driver;
    }
    session_begin(&f);
    ck_assert(session_root_visible(f.session));
    return true;
}

static void set_up(void)
{
    session_set_up(&f);
}

static void tear_down(void)
{
    session_tear_down(&f);
}

/* A call with a path, and one more argument of bytes. */
static enum outcome_class do_bytes(const char *op, struct bytes path, const char *name, struct bytes value)
{
    struct json *args = json_new(&f.arena, JSON_OBJECT);
    json_set(&f.arena, args, "path", json_string(&f.arena, path));
    if (name)
        json_set(&f.arena, args, name, json_string(&f.arena, value));
    return do_args(&f, op, args);
}

/* The file as it is, seen from outside. */
static struct bytes on_disk(struct bytes path)
{
    struct buf data;
    buf_init(&data, 1 << 26);
    int status = root_read(f.session, path, 1 << 26, &data);
    ck_assert_msg(status == 0, "%.*s: %s", BYTES_ARG(path), strerror(-status));
    struct bytes copy = arena_copy(&f.arena, buf_bytes(&data));
    buf_release(&data);
    return copy;
}

static struct bytes noise(size_t size)
{
    uint8_t *data = arena_alloc(&f.arena, size + 1);
    uint32_t x = 1;
    for (size_t i = 0; i < size; i++) {
        x = x * 1664525 + 1013904223;
        data[i] = i < 256 ? (uint8_t)i : (uint8_t)(x >> 24);
    }
    return bytes_of(data, size);
}

START_TEST(contents)
{
    if (!start_kind(_i))
        return;
    const size_t sizes[] = {0, 1, 256, LOWER_PIECE - 1, LOWER_PIECE, LOWER_PIECE + 1, 300001};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        static const char *const ops[][2] = {{"write", "read"}, {"upload", "download"}};
        struct bytes data = noise(sizes[i]), path = BYTES_LITERAL("file");
        for (int way = 0; way < 2; way++) {
            ck_assert_msg(do_bytes(ops[way][0], path, "content", data) == OUTCOME_OK, "%zu: %s", sizes[i],
                          said_words(&f));
            ck_assert(f.call.outcome.lowered && f.call.outcome.ns > 0);
            ck_assert_msg(bytes_equal(on_disk(path), data), "%zu bytes", sizes[i]);
            ck_assert_msg(do_bytes(ops[way][1], path, NULL, BYTES_NONE) == OUTCOME_OK, "%zu: %s", sizes[i],
                          said_words(&f));
            ck_assert_msg(bytes_equal(result_bytes(&f, "content"), data), "%zu bytes", sizes[i]);
        }
    }
    struct bytes tail = BYTES_LITERAL("\0tail\xff\n");
    ck_assert_int_eq(do_bytes("write", BYTES_LITERAL("a"), "content", BYTES_LITERAL("head")), OUTCOME_OK);
    ck_assert_int_eq(do_bytes("append", BYTES_LITERAL("a"), "content", tail), OUTCOME_OK);
    ck_assert_int_eq(do_bytes("append", BYTES_LITERAL("a"), "content", BYTES_NONE), OUTCOME_OK);
    ck_assert_int_eq(do_bytes("append", BYTES_LITERAL("new"), "content", tail), OUTCOME_OK);
    ASSERT_BYTES(on_disk(BYTES_LITERAL("a")), "head\0tail\xff\n");
    ASSERT_BYTES(on_disk(BYTES_LITERAL("new")), "\0tail\xff\n");
    ck_assert(session_supports(f.session, "write:bytes"));
}
END_TEST

START_TEST(parts)
{
    static const struct {
        const char *args, *content;
    } rows[] = {
        {"\"offset\":3", "de\nf\ngh\n"},
        {"\"length\":4", "abcd"},
        {"\"offset\":2,\"length\":3", "cde"},
        {"\"offset\":100", ""},
        {"\"length\":0", ""},
        {"\"offset\":0,\"length\":1000", "abcde\nf\ngh\n"},
        {"\"head\":1", "abcde\n"},
        {"\"tail\":1", "gh\n"},
        {"\"head\":0", ""},
        {"\"tail\":50", "abcde\nf\ngh\n"},
        {"\"head\":2", "abcde\nf\n"},
    };
    static const char *const skipped[] = {"\"offset\":-1", "\"head\":1,\"tail\":1", "\"length\":1.5",
                                          "\"head\":\"1\"", "\"offset\":99999999999999999999"};
    if (!start_kind(_i))
        return;
    ASSERT_OK("write", "{\"path\":\"f\",\"content\":\"abcde\\nf\\ngh\\n\"}");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        ASSERT_OK("read", arena_printf(&f.arena, "{\"path\":\"f\",%s}", rows[i].args));
        ck_assert_str_eq(arena_string(&f.arena, result_bytes(&f, "content")), rows[i].content);
    }
    for (size_t i = 0; i < sizeof skipped / sizeof *skipped; i++)
        ck_assert_int_eq(do_call(&f, "read", arena_printf(&f.arena, "{\"path\":\"f\",%s}", skipped[i])),
                         OUTCOME_SKIPPED);
}
END_TEST

/* Names that a shell, find or an option parser could stumble over. */
START_TEST(names)
{
    if (!start_kind(_i))
        return;
    char longest[256];
    memset(longest, 'n', 255);
    longest[255] = '\0';
    const char *all[] = {"plain",     "two words", "it's",         "\"q\"",    "$HOME", "`id`", "$(id)",
                         "*",         "?",         "[a]",          "~",        "~root", "-",    "--",
                         "-n",        "-rf",       "--help",       "!",        "(",     "a\nb", " lead",
                         "trail ",    "a\\b",      "#c",           "a;b",      "a|b",   "a&b",  "{a,b}",
                         "tab\there", "\xff\xfe",  "\xed\xa0\x80", "\x1b[31m", "日本",  longest};
    size_t count = sizeof all / sizeof *all;
    for (size_t i = 0; i < count; i++) {
        struct bytes name = bytes_of_string(all[i]);
        ck_assert_msg(do_bytes("write", name, "content", name) == OUTCOME_OK, "write %s: %s", all[i],
                      said_words(&f));
        ck_assert(bytes_equal(on_disk(name), name));
        ck_assert_msg(do_bytes("read", name, NULL, BYTES_NONE) == OUTCOME_OK, "read %s: %s", all[i],
                      said_words(&f));
        ck_assert(bytes_equal(result_bytes(&f, "content"), name));
        ck_assert_msg(do_bytes("stat", name, NULL, BYTES_NONE) == OUTCOME_OK, "stat %s: %s", all[i],
                      said_words(&f));
        ck_assert_uint_eq((size_t)result_integer(&f, "size"), name.len);
    }
    ASSERT_OK("list", "{\"path\":\"\"}");
    const struct json *entries = json_get(f.call.outcome.result, "entries");
    ck_assert_uint_eq(entries->count, count);
    for (const struct json *e = entries->first; e->next; e = e->next)
        ck_assert_int_lt(bytes_compare(e->text, e->next->text), 0);
    for (size_t i = 0; i < count; i++)
        ck_assert_msg(do_bytes("remove", bytes_of_string(all[i]), NULL, BYTES_NONE) == OUTCOME_OK,
                      "remove %s: %s", all[i], said_words(&f));
    ASSERT_OK("list", "{\"path\":\"\"}");
    ck_assert_uint_eq(json_get(f.call.outcome.result, "entries")->count, 0);
    ck_assert_int_eq(do_bytes("read", BYTES_LITERAL("a\0b"), NULL, BYTES_NONE), OUTCOME_SKIPPED);
    ck_assert_ptr_nonnull(strstr(f.call.outcome.skip_reason, "NUL"));
}
END_TEST

START_TEST(trees)
{
    if (!start_kind(_i))
        return;
    ASSERT_OK("mkdir", "{\"path\":\"-d/e\"}");
    ASSERT_OK("mkdir", "{\"path\":\"-d/e\"}");
    ASSERT_OK("write", "{\"path\":\"-d/a\",\"content\":\"1\"}");
    ASSERT_OK("copy", "{\"path\":\"-d/a\",\"to\":\"-d/b c\"}");
    ASSERT_OK("move", "{\"path\":\"-d/a\",\"to\":\"-m\"}");
    ASSERT_OK("chmod", "{\"path\":\"-m\",\"mode\":384}");
    ASSERT_OK("link", "{\"path\":\"l\",\"to\":\"no where\"}");
    ASSERT_OK("link", "{\"path\":\"h\",\"to\":\"-m\",\"kind\":\"hard\"}");
    ASSERT_OK("stat", "{\"path\":\"h\"}");
    ASSERT_BYTES(result_bytes(&f, "kind"), "file");
    ck_assert_int_eq(result_integer(&f, "mode"), 384);
    ck_assert_int_eq(result_integer(&f, "size"), 1);
    ASSERT_OK("stat", "{\"path\":\"l\"}");
    ASSERT_BYTES(result_bytes(&f, "kind"), "link");
    char target[64], *link = strings_printf("%s/l", session_root(f.session));
    ck_assert_int_eq(readlink(link, target, sizeof target), 8);
    ck_assert_int_eq(memcmp(target, "no where", 8), 0);
    free(link);
    ASSERT_OK("stat", "{\"path\":\"-d\"}");
    ASSERT_BYTES(result_bytes(&f, "kind"), "directory");
    ASSERT_OK("stat", "{\"path\":\"/dev/null\"}");
    ASSERT_BYTES(result_bytes(&f, "kind"), "other");
    ASSERT_OK("list", "{\"path\":\"-d\"}");
    ck_assert_uint_eq(json_get(f.call.outcome.result, "entries")->count, 2);
    ASSERT_OK("remove", "{\"path\":\"-d\",\"recursive\":true}");
    ASSERT_OK("list", "{\"path\":\"\"}");
    ck_assert_uint_eq(json_get(f.call.outcome.result, "entries")->count, 3);
}
END_TEST

START_TEST(errors)
{
    static const struct {
        const char *op, *args;
        int error;
    } rows[] = {
        {"read", "{\"path\":\"none\"}", ENOENT},
        {"read", "{\"path\":\"none\",\"offset\":1}", ENOENT},
        {"read", "{\"path\":\"dir\"}", EISDIR},
        {"read", "{\"path\":\"dir\",\"length\":1}", EISDIR},
        {"download", "{\"path\":\"file/x\"}", ENOTDIR},
        {"write", "{\"path\":\"none/x\",\"content\":\"\"}", ENOENT},
        {"write", "{\"path\":\"dir\",\"content\":\"x\"}", EISDIR},
        {"append", "{\"path\":\"dir\",\"content\":\"x\"}", EISDIR},
        {"list", "{\"path\":\"none\"}", ENOENT},
        {"list", "{\"path\":\"file\"}", ENOTDIR},
        {"search", "{\"path\":\"none\",\"pattern\":\"*\"}", ENOENT},
        {"stat", "{\"path\":\"none\"}", ENOENT},
        {"mkdir", "{\"path\":\"file\"}", EEXIST},
        {"mkdir", "{\"path\":\"file/x\"}", ENOTDIR},
        {"move", "{\"path\":\"none\",\"to\":\"x\"}", ENOENT},
        {"copy", "{\"path\":\"none\",\"to\":\"x\"}", ENOENT},
        {"remove", "{\"path\":\"none\"}", ENOENT},
        {"remove", "{\"path\":\"dir\"}", EISDIR},
        {"chmod", "{\"path\":\"none\",\"mode\":0}", ENOENT},
        {"link", "{\"path\":\"file\",\"to\":\"x\"}", EEXIST},
        {"link", "{\"path\":\"x\",\"to\":\"none\",\"kind\":\"hard\"}", ENOENT},
        {"edit", "{\"path\":\"none\",\"old\":\"a\",\"new\":\"b\"}", ENOENT},
    };
    if (!start_kind(_i))
        return;
    ASSERT_OK("mkdir", "{\"path\":\"dir/sub\"}");
    ASSERT_OK("write", "{\"path\":\"file\",\"content\":\"x\"}");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        ck_assert_msg(do_call(&f, rows[i].op, rows[i].args) == OUTCOME_TOOL_ERROR, "%s %s: %s", rows[i].op,
                      rows[i].args, said_words(&f));
        ck_assert_msg(f.call.outcome.code == rows[i].error, "%s %s: %s", rows[i].op, rows[i].args,
                      said_words(&f));
        ck_assert(f.call.outcome.has_exit && f.call.outcome.exit != 0 && f.call.outcome.message.len);
    }
    static const char *const skipped[][2] = {
        {"chmod", "{\"path\":\"file\",\"mode\":-1}"},
        {"chmod", "{\"path\":\"file\"}"},
        {"chmod", "{\"path\":\"file\",\"mode\":4096}"},
        {"write", "{\"path\":\"file\"}"},
        {"write", "{\"content\":\"x\"}"},
        {"write", "{\"path\":5,\"content\":\"x\"}"},
        {"move", "{\"path\":\"file\"}"},
        {"search", "{\"path\":\"\",\"pattern\":\"a\\u0000\"}"},
    };
    for (size_t i = 0; i < sizeof skipped / sizeof *skipped; i++) {
        ck_assert_msg(do_call(&f, skipped[i][0], skipped[i][1]) == OUTCOME_SKIPPED, "%s", skipped[i][1]);
        ck_assert_ptr_nonnull(f.call.outcome.skip_reason);
    }
    ASSERT_BYTES(on_disk(BYTES_LITERAL("file")), "x");
}
END_TEST

START_TEST(edits)
{
    if (!start_kind(_i))
        return;
    ck_assert_int_eq(
        do_bytes("write", BYTES_LITERAL("f"), "content", BYTES_LITERAL("one\0two\xffthree\none\n")),
        OUTCOME_OK);
    struct json *args = fixture_json(&f, "{\"path\":\"f\"}");
    json_set(&f.arena, args, "old", json_string(&f.arena, BYTES_LITERAL("\0two\xff")));
    json_set(&f.arena, args, "new", json_string(&f.arena, BYTES_LITERAL("$'&\0")));
    ck_assert_msg(do_args(&f, "edit", args) == OUTCOME_OK, "%s", said_words(&f));
    ASSERT_BYTES(on_disk(BYTES_LITERAL("f")), "one$'&\0three\none\n");
    ck_assert_int_eq(do_args(&f, "edit", args), OUTCOME_TOOL_ERROR);
    ASSERT_BYTES(f.call.outcome.message, "the old text does not stand in the file");
    ck_assert_int_eq(do_call(&f, "edit", "{\"path\":\"f\",\"old\":\"one\",\"new\":\"x\"}"),
                     OUTCOME_TOOL_ERROR);
    ASSERT_BYTES(f.call.outcome.message, "the old text stands in the file more than once");
    ck_assert_int_eq(do_call(&f, "edit", "{\"path\":\"f\",\"old\":\"\",\"new\":\"x\"}"), OUTCOME_TOOL_ERROR);
    ASSERT_OK("edit", "{\"path\":\"f\",\"old\":\"three\\none\",\"new\":\"\"}");
    ASSERT_BYTES(on_disk(BYTES_LITERAL("f")), "one$'&\0\n");
}
END_TEST

START_TEST(searches)
{
    if (!start_kind(_i))
        return;
    ASSERT_OK("mkdir", "{\"path\":\"s/deep er\"}");
    ASSERT_OK("write", "{\"path\":\"s/a.txt\",\"content\":\"x needle's y\"}");
    ASSERT_OK("write", "{\"path\":\"s/deep er/b.txt\",\"content\":\"hay\"}");
    ASSERT_OK("write", "{\"path\":\"s/-c.txt\",\"content\":\"needle's\"}");
    ASSERT_OK("write", "{\"path\":\"s/d.md\",\"content\":\"needle's\"}");
    static const struct {
        const char *args, *found;
    } rows[] = {
        {"{\"path\":\"s\",\"pattern\":\"*.txt\"}", "[\"-c.txt\",\"a.txt\",\"deep er/b.txt\"]"},
        {"{\"path\":\"s\",\"pattern\":\"*.txt\",\"content\":\"needle's\"}", "[\"-c.txt\",\"a.txt\"]"},
        {"{\"path\":\"s\",\"pattern\":\"*\",\"content\":\"-x\"}", "[]"},
        {"{\"path\":\"s\",\"pattern\":\"deep*\"}", "[\"deep er\"]"},
        {"{\"path\":\"s\",\"pattern\":\"-c*\"}", "[\"-c.txt\"]"},
        {"{\"path\":\"s\",\"pattern\":\"none\"}", "[]"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct buf text;
        buf_init(&text, 65536);
        ASSERT_OK("search", rows[i].args);
        json_write(&text, json_get(f.call.outcome.result, "entries"), JSON_COMPACT);
        ck_assert_str_eq(buf_string(&text), rows[i].found);
        buf_release(&text);
    }
}
END_TEST

START_TEST(spellings)
{
    static const char *const ways[] = {NULL, "relative", "absolute", "tilde", "dotted", "link"};
    if (!start_kind(_i))
        return;
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        f.call = fixture_call(&f, "copy", fixture_json(&f, "{\"path\":\"from here\",\"to\":\"to 'there'\"}"));
        ck_assert_int_eq(do_bytes("write", BYTES_LITERAL("from here"), "content", BYTES_LITERAL("x")),
                         OUTCOME_OK);
        f.call = fixture_call(&f, "copy", fixture_json(&f, "{\"path\":\"from here\",\"to\":\"to 'there'\"}"));
        f.call.path_as = ways[i];
        f.call.to_as = ways[(i + 1) % (sizeof ways / sizeof *ways)];
        session_calls(f.session, (struct call *[]){&f.call}, 1);
        ck_assert_msg(f.call.outcome.class == OUTCOME_OK, "%s: %s", ways[i] ? ways[i] : "default",
                      said_words(&f));
        ASSERT_BYTES(on_disk(BYTES_LITERAL("to 'there'")), "x");
        ck_assert_int_eq(do_bytes("remove", BYTES_LITERAL("to 'there'"), NULL, BYTES_NONE), OUTCOME_OK);
    }
}
END_TEST

/* Where there is no start of its own, jobs are kept by a shell. */
START_TEST(jobs)
{
    if (!start_kind(2 + _i))
        return;
    ASSERT_OK("start", "{\"language\":\"sh\",\"script\":\"echo out; echo err >&2; sleep 1.5; echo $A; pwd; "
                       "exit 6\",\"env\":{\"A\":\"it's\"},\"cwd\":\"\"}");
    ck_assert(f.call.outcome.lowered);
    long long pid = (long long)result_integer(&f, "pid");
    const char *job = arena_printf(&f.arena, "{\"pid\":%lld}", pid);
    ASSERT_OK("poll", job);
    ck_assert_int_eq(do_call(&f, "wait", arena_printf(&f.arena, "{\"pid\":%lld,\"ms\":0}", pid)),
                     OUTCOME_TOOL_ERROR);
    ck_assert_int_eq(f.call.outcome.code, ETIMEDOUT);
    ASSERT_OK("wait", job);
    ck_assert_int_eq(result_integer(&f, "exit"), 6);
    ck_assert_str_eq(arena_string(&f.arena, result_bytes(&f, "stdout")),
                     arena_printf(&f.arena, "out\nerr\nit's\n%s\n", session_root(f.session)));
    ASSERT_OK("poll", job);
    ck_assert(!json_as_bool(json_get(f.call.outcome.result, "running"), true));

    static const struct {
        const char *signal;
        int exit;
    } ends[] = {{"TERM", 143}, {"KILL", 137}, {"INT", 130}, {"HUP", 129}};
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        ASSERT_OK("start",
                  "{\"argv\":[\"/usr/bin/python3\",\"-c\",\"import signal,time; [signal.signal(s, "
                  "signal.SIG_DFL) for s in (1, 2, 15)]; print('up', flush=True); time.sleep(65441)\"]}");
        pid = (long long)result_integer(&f, "pid");
        for (int n = 0; n < 200; n++, clock_sleep_ms(20)) {
            ASSERT_OK("poll", arena_printf(&f.arena, "{\"pid\":%lld}", pid));
            if (result_bytes(&f, "stdout").len)
                break;
        }
        ck_assert(json_as_bool(json_get(f.call.outcome.result, "running"), false));
        ASSERT_OK("signal", arena_printf(&f.arena, "{\"pid\":%lld,\"signal\":\"%s\"}", pid, ends[i].signal));
        ASSERT_OK("wait", arena_printf(&f.arena, "{\"pid\":%lld}", pid));
        ck_assert_msg(result_integer(&f, "exit") == ends[i].exit, "%s: %d", ends[i].signal,
                      (int)result_integer(&f, "exit"));
    }
    ck_assert_int_eq(fixture_count("65441"), 0);
    ck_assert_int_eq(do_call(&f, "signal", "{\"pid\":4194303}"), OUTCOME_TOOL_ERROR);
    ck_assert_int_eq(f.call.outcome.code, ESRCH);
    ck_assert_int_eq(do_call(&f, "signal", "{\"pid\":1}"), OUTCOME_SKIPPED); /* never everything at once */
    ck_assert_int_eq(do_call(&f, "signal", "{\"pid\":-1}"), OUTCOME_SKIPPED);
    ck_assert_int_eq(do_call(&f, "signal", "{\"pid\":\"1; kill -9 -1\"}"), OUTCOME_SKIPPED);
    ck_assert_int_eq(do_call(&f, "start", "{\"argv\":[]}"), OUTCOME_SKIPPED);
    ck_assert_int_eq(do_call(&f, "start", "{\"argv\":[\"true\"],\"cwd\":\"nowhere\"}"), OUTCOME_TOOL_ERROR);
    ck_assert_int_eq(f.call.outcome.code, ENOENT);
}
END_TEST

START_TEST(network)
{
    if (!start_kind(_i))
        return;
    ASSERT_OK("mkdir", "{\"path\":\"www it's\"}");
    ASSERT_OK("write", "{\"path\":\"www it's/page\",\"content\":\"hello\"}");
    if (_i == 1) { /* each call has a network of its own */
        ck_assert_int_eq(do_call(&f, "serve", "{\"path\":\"www it's\",\"port\":18080}"), OUTCOME_SKIPPED);
    } else {
        ASSERT_OK("serve", "{\"path\":\"www it's\",\"port\":18080}");
        long long pid = (long long)result_integer(&f, "pid");
        ASSERT_OK("fetch", "{\"url\":\"http://127.0.0.1:18080/page\"}");
        ck_assert_int_eq(result_integer(&f, "status"), 200);
        ASSERT_BYTES(result_bytes(&f, "content"), "hello");
        ASSERT_OK("fetch", "{\"url\":\"http://127.0.0.1:18080/none\"}");
        ck_assert_int_eq(result_integer(&f, "status"), 404);
        ASSERT_OK("fetch",
                  "{\"url\":\"http://127.0.0.1:18080/page\",\"method\":\"POST\",\"body\":\"x\\u0000\"}");
        ck_assert_int_eq(result_integer(&f, "status"), 501);
        ASSERT_OK("connect",
                  "{\"host\":\"127.0.0.1\",\"port\":18080,\"send\":\"GET /page HTTP/1.0\\r\\n\\r\\n\"}");
        ck_assert(bytes_ends(result_bytes(&f, "content"), BYTES_LITERAL("\r\n\r\nhello")));
        ASSERT_OK("signal", arena_printf(&f.arena, "{\"pid\":%lld}", pid));
        ASSERT_OK("wait", arena_printf(&f.arena, "{\"pid\":%lld}", pid));
    }
    ck_assert_int_eq(do_call(&f, "fetch", "{\"url\":\"http://127.0.0.1:18081/\"}"), OUTCOME_TOOL_ERROR);
    ck_assert_int_eq(f.call.outcome.code, ECONNREFUSED);
    ck_assert_int_eq(do_call(&f, "fetch", "{\"url\":\"no url'\\\"\\\\\"}"), OUTCOME_TOOL_ERROR);
    ck_assert_int_eq(do_call(&f, "connect", "{\"host\":\"127.0.0.1\",\"port\":18081}"), OUTCOME_TOOL_ERROR);
    ck_assert_int_eq(f.call.outcome.code, ECONNREFUSED);
    ck_assert_int_eq(do_call(&f, "connect", "{\"host\":\"127.0.0.1\",\"port\":70000}"), OUTCOME_SKIPPED);
    ck_assert_int_eq(do_call(&f, "connect", "{\"host\":\"127.0.0.1\"}"), OUTCOME_SKIPPED);
    ASSERT_OK("resolve", "{\"host\":\"127.0.0.1\"}");
    ASSERT_BYTES(json_at(json_get(f.call.outcome.result, "addresses"), 0)->text, "127.0.0.1");
    ck_assert_int_eq(do_call(&f, "resolve", "{\"host\":\"no-such-host.invalid\"}"), OUTCOME_TOOL_ERROR);
    ck_assert_int_eq(do_call(&f, "serve", "{\"path\":\"nowhere\",\"port\":18082}"),
                     _i == 1 ? OUTCOME_SKIPPED : OUTCOME_TOOL_ERROR);
}
END_TEST

/* A command's time is the op's; a hanging one is told as a timeout. */
START_TEST(hanging)
{
    if (!start_kind(_i))
        return;
    ASSERT_OK("stage-fifo", "{\"path\":\"fifo\"}");
    f.call = fixture_call(&f, "read", fixture_json(&f, "{\"path\":\"fifo\"}"));
    f.call.timeout_ms = 300;
    session_calls(f.session, (struct call *[]){&f.call}, 1);
    ck_assert_int_eq(f.call.outcome.class, OUTCOME_TIMEOUT);
    ASSERT_OK("list", "{\"path\":\"\"}");
}
END_TEST

START_TEST(errnos)
{
    static const struct {
        const char *text;
        int error;
    } rows[] = {
        {"cat: x: No such file or directory", ENOENT},
        {"sh: 1: cannot create a/b: Directory nonexistent", ENOENT},
        {"rm: cannot remove 'd': Is a directory", EISDIR},
        {"tee: /dev/full: No space left on device", ENOSPC},
        {"URLError: <urlopen error [Errno 111] Connection refused>", ECONNREFUSED},
        {"", 0},
        {"all is well", 0},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        ck_assert_int_eq(lower_errno(bytes_of_string(rows[i].text)), rows[i].error);
}
END_TEST

static void fill(TCase *tests)
{
    tcase_add_checked_fixture(tests, set_up, tear_down);
    tcase_add_loop_test(tests, contents, 0, KINDS);
    tcase_add_loop_test(tests, parts, 0, KINDS);
    tcase_add_loop_test(tests, names, 0, KINDS);
    tcase_add_loop_test(tests, trees, 0, KINDS);
    tcase_add_loop_test(tests, errors, 0, KINDS);
    tcase_add_loop_test(tests, edits, 0, KINDS);
    tcase_add_loop_test(tests, searches, 0, KINDS);
    tcase_add_loop_test(tests, spellings, 0, KINDS);
    tcase_add_loop_test(tests, jobs, 0, 2);
    tcase_add_loop_test(tests, network, 0, KINDS);
    tcase_add_loop_test(tests, hanging, 0, KINDS);
    tcase_add_test(tests, errnos);
}

int main(void)
{
    return unit_main("lower", fill);
}
