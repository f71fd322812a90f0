/* exec/target/cdp against a browser that says what a case of tests/data/cdp has it say (cdp_case.h): ops, the replies, and what comes of
 * them: outcomes, the commands that were sent, notes on the wire. */
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/encode.h"
#include "cdp_case.h"
#include "exec/target/cdp/handshake.h"
#include "mcp_case.h"

static const char *const files[] = {"navigate", "tabs", "page", "dialogs", "wire"};

static struct ops *ops;

static const char *line_of(struct arena *a, const struct json *value)
{
    struct buf text;
    buf_init(&text, 1 << 20);
    if (value)
        json_write(&text, value, JSON_SORTED);
    const char *line = arena_string(a, buf_bytes(&text));
    buf_release(&text);
    return line;
}

static void check_outcome(const char *name, size_t i, const struct outcome *o, const struct json *expect, struct arena *a)
{
    const struct json *result = json_get(expect, "result");
    struct bytes skip = json_as_text(json_get(expect, "skip"));
    int64_t code = 0;
    json_as_integer(json_get(expect, "code"), &code);
    ck_assert_msg(bytes_equal_string(json_as_text(json_get(expect, "class")), outcome_class_name(o->class)), "%s %zu: class %s, '%.*s'",
                  name, i, outcome_class_name(o->class), BYTES_ARG(o->message));
    ck_assert_msg(bytes_equal(json_as_text(json_get(expect, "message")), o->message), "%s %zu: message '%.*s'", name, i,
                  BYTES_ARG(o->message));
    ck_assert_msg(bytes_equal(skip, bytes_of_string(o->skip_reason)), "%s %zu: skipped for '%s'", name, i,
                  o->skip_reason ? o->skip_reason : "");
    ck_assert_msg(!result == !o->result && (!result || json_equal(result, o->result)), "%s %zu: result %s", name, i,
                  line_of(a, o->result));
    ck_assert_msg(o->code == code, "%s %zu: code %lld", name, i, (long long)o->code);
    ck_assert_msg(o->truncated == json_as_bool(json_get(expect, "truncated"), false), "%s %zu: truncated", name, i);
}

/* {"$raw":base64} becomes a string of those bytes. */
static struct json *arguments(struct arena *a, const struct json *one)
{
    struct json *args = json_get(one, "args") ? json_copy(a, json_get(one, "args")) : json_new(a, JSON_OBJECT);
    for (struct json *arg = args->first; arg; arg = arg->next) {
        const struct json *raw = json_get(arg, "$raw");
        struct buf bytes;
        if (!raw)
            continue;
        buf_init(&bytes, 1000);
        ck_assert_int_eq(base64_decode(&bytes, raw->text), 0);
        arg->kind = JSON_STRING;
        arg->text = arena_copy(a, buf_bytes(&bytes));
        buf_release(&bytes);
    }
    return args;
}

static void make_calls(struct fake_browser *f, const struct json *list, struct call *calls, struct call **pointers)
{
    size_t i = 0;
    for (const struct json *one = list->first; one; one = one->next, i++) {
        int64_t timeout = 10000, cancel = -1;
        json_as_integer(json_get(one, "timeout_ms"), &timeout);
        json_as_integer(json_get(one, "cancel_after_ms"), &cancel);
        calls[i] = (struct call){.op = ops_find(ops, arena_string(&f->arena, json_as_text(json_get(one, "op")))),
                                 .args = arguments(&f->arena, one),
                                 .timeout_ms = timeout,
                                 .cancel_after_ms = cancel,
                                 .arena = &f->arena};
        ck_assert_ptr_nonnull(calls[i].op);
        call_begin(&calls[i]);
        pointers[i] = &calls[i];
    }
}

static void check_notes(const char *name, struct fake_browser *f, const struct json *notes)
{
    static const char *const kinds[] = {[WIRE_UNKNOWN_ID] = "unknown-id", [WIRE_DOUBLE_REPLY] = "double-reply",
                                        [WIRE_BAD_MESSAGE] = "bad-message"};
    const struct wire_event *events;
    size_t count = cdp_wire_events(&f->session, &events), i = 0;
    for (const struct json *note = notes ? notes->first : NULL; note; note = note->next, i++) {
        ck_assert_msg(i < count, "%s: %zu notes", name, count);
        const char *word = events[i].kind == WIRE_NOTE ? events[i].detail : kinds[events[i].kind];
        ck_assert_msg(bytes_equal_string(note->text, word), "%s: note '%s'", name, word);
    }
    ck_assert_msg(i == count, "%s: %zu notes", name, count);
}

/* Each entry of `calls` is one call, or a list of calls that go at once. */
static void run_case(const struct json *test)
{
    struct fake_browser f;
    fake_open(&f, ops);
    const char *name = arena_string(&f.arena, json_as_text(json_get(test, "name")));
    const struct json *dies = json_get(test, "dies"), *sent = json_get(test, "sent"), *expect = json_get(test, "outcomes")->first;
    f.replies = json_get(test, "replies");
    f.reverse = json_as_bool(json_get(test, "reverse"), false);
    f.dies = dies ? arena_string(&f.arena, dies->text) : NULL;
    for (struct json *group = json_get(test, "calls")->first; group; group = group->next) {
        struct json *list = group;
        if (json_is(group, JSON_OBJECT)) {
            list = json_new(&f.arena, JSON_ARRAY);
            json_add(list, json_copy(&f.arena, group));
        }
        struct call calls[16], *pointers[16];
        make_calls(&f, list, calls, pointers);
        cdp_calls(f.c, pointers, list->count, NULL, 0);
        for (size_t i = 0; i < list->count; i++, expect = expect->next) {
            ck_assert_msg(expect != NULL, "%s: too few outcomes", name);
            check_outcome(name, i, &calls[i].outcome, expect, &f.arena);
        }
    }
    if (sent)
        ck_assert_msg(bytes_equal(sent->text, buf_bytes(&f.sent)), "%s: sent '%s'", name, buf_string(&f.sent));
    check_notes(name, &f, json_get(test, "notes"));
    fake_close(&f);
}

START_TEST(cases)
{
    struct arena a;
    ops = load_ops();
    arena_init(&a);
    const char *path = arena_printf(&a, TASKGEN_SOURCE_DIR "/tests/data/cdp/%s.json", files[_i]);
    const struct json *list = load_json(&a, path);
    for (const struct json *test = list->first; test; test = test->next)
        run_case(test);
    arena_release(&a);
    ops_free(ops);
}
END_TEST

/* --- for scripts --- */

static struct json *read_json(struct arena *a, const char *text)
{
    struct json *value = NULL;
    ck_assert_int_eq(json_read(a, bytes_of_string(text), NULL, "test", &value, NULL, NULL), 0);
    return value;
}

/* Names that the browser gave do not stand in what is kept, nor those of directories. */
START_TEST(kept_for_scripts)
{
    struct fake_browser f;
    struct buf wire;
    struct arena a;
    ops = load_ops();
    arena_init(&a);
    fake_open(&f, ops);
    wire_log_init(&f.session.wire, "/nowhere");
    f.session.home = "/some/home";
    const struct json *replies = read_json(&a, "{\"Runtime.evaluate\":[{\"method\":\"Page.loadEventFired\"},{\"method\":\"Page.frameResized\"},"
                                           "{\"result\":{\"result\":{\"objectId\":\"7.1\"}}}]}");
    f.replies = replies;
    struct cdp_tab *tab = f.c->current;
    struct json *params = read_json(&f.arena, "{\"files\":[\"/nowhere/f\",\"/some/home/g\"],\"objectId\":\"7.1\"}");
    session_wire_mark(&f.session, "step", 0);
    cdp_tell(f.c, tab, "Runtime.evaluate", NULL);
    for (int i = 0; i < 8; i++)
        cdp_turn(f.c, 0);
    cdp_tell(f.c, tab, "DOM.setFileInputFiles", params);
    cdp_tell(f.c, NULL, "Target.closeTarget", read_json(&f.arena, "{\"targetId\":\"T1\"}"));
    buf_init(&wire, 1 << 16);
    int64_t id = f.c->next_id;
    wire_log_write(&f.session.wire, &wire);
    const char *want = arena_printf(&a,
        "[{\"step\":0},{\"after\":0,\"text\":\"{\\\"id\\\":%d,\\\"method\\\":\\\"Runtime.evaluate\\\",\\\"params\\\":{},\\\"sessionId\\\":"
        "\\\"@TASKGEN-NAME@session page 0\\\"}\\n\"},{\"after\":2,\"text\":\"{\\\"id\\\":%d,\\\"method\\\":\\\"DOM.setFileInputFiles\\\",\\\"params\\\":"
        "{\\\"files\\\":[\\\"@TASKGEN-ROOT@/f\\\",\\\"@TASKGEN-HOME@/g\\\"],\\\"objectId\\\":\\\"@TASKGEN-NAME@object reply %d\\\"},\\\"sessionId\\\":"
        "\\\"@TASKGEN-NAME@session page 0\\\"}\\n{\\\"id\\\":%d,\\\"method\\\":\\\"Target.closeTarget\\\",\\\"params\\\":{\\\"targetId\\\":"
        "\\\"@TASKGEN-NAME@target page 0\\\"}}\\n\"}]",
        (int)id - 3, (int)id - 2, (int)id - 3, (int)id - 1);
    ck_assert_str_eq(buf_string(&wire), want);
    buf_release(&wire);
    wire_log_release(&f.session.wire);
    fake_close(&f);
    arena_release(&a);
    ops_free(ops);
}
END_TEST

/* --- files --- */

static void write_file(const char *path, const char *text)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    ck_assert_int_ge(fd, 0);
    ck_assert_int_eq((int)write(fd, text, strlen(text)), (int)strlen(text));
    close(fd);
}

static struct outcome save_to(struct fake_browser *f, const char *path)
{
    struct json *args = json_new(&f->arena, JSON_OBJECT);
    json_set(&f->arena, args, "selector", json_text(&f->arena, "a"));
    json_set(&f->arena, args, "path", json_text(&f->arena, path));
    struct call call = {
        .op = ops_find(ops, "save"), .args = args, .timeout_ms = 1000, .cancel_after_ms = -1, .arena = &f->arena};
    call_begin(&call);
    cdp_calls(f->c, (struct call *[]){&call}, 1, NULL, 0);
    return call.outcome;
}

/* A download goes where the task says, and nowhere else. */
START_TEST(saves)
{
    static const char replies[] =
        "{\"Runtime.evaluate\":[{\"result\":{\"result\":{\"type\":\"object\",\"value\":{}}}},"
        "{\"method\":\"Browser.downloadWillBegin\",\"browser\":true,\"params\":{\"guid\":\"%s\",\"url\":\"u\",\"suggestedFilename\":\"n\"}},"
        "{\"method\":\"Browser.downloadProgress\",\"browser\":true,\"params\":{\"guid\":\"%s\",\"state\":\"completed\"}}]}";
    static const struct {
        const char *id, *path;
        enum outcome_class class;
        int64_t code;
    } rows[] = {
        {"g-1", "a.txt", OUTCOME_OK, 0},
        {"g-2", "a.txt", OUTCOME_OK, 0},                 /* in its place */
        {"g-3", "none/a.txt", OUTCOME_TOOL_ERROR, ENOENT},
        {"g-3", "../a.txt", OUTCOME_TOOL_ERROR, EXDEV},
        {"g-4", "link/a.txt", OUTCOME_TOOL_ERROR, EXDEV}, /* a link that leads out */
        {"g-5", "", OUTCOME_TOOL_ERROR, EINVAL},
        {"../x", "b.txt", OUTCOME_TIMEOUT, 0},            /* no name of a file: it is not listened to */
    };
    char base[] = "/tmp/taskgen-cdp-XXXXXX";
    struct fake_browser f;
    ops = load_ops();
    ck_assert_ptr_nonnull(mkdtemp(base));
    char *root = strings_printf("%s/root", base), *downloads = strings_printf("%s/d", base), *link = strings_printf("%s/link", root);
    ck_assert_int_eq(mkdir(root, 0755) | mkdir(downloads, 0755) | symlink(base, link), 0);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct json *value;
        fake_open(&f, ops);
        f.session.root = root;
        f.c->download_fd = open(downloads, O_RDONLY | O_DIRECTORY);
        char *file = strings_printf("%s/%s", downloads, rows[i].id), *text = strings_printf(replies, rows[i].id, rows[i].id);
        write_file(file, rows[i].id);
        ck_assert_int_eq(json_read(&f.arena, bytes_of_string(text), NULL, "", &value, NULL, NULL), 0);
        f.replies = value;
        struct outcome o = save_to(&f, rows[i].path);
        ck_assert_msg(o.class == rows[i].class && o.code == rows[i].code, "%zu: %s %lld %.*s", i, outcome_class_name(o.class),
                      (long long)o.code, BYTES_ARG(o.message));
        if (o.class == OUTCOME_OK) {
            char *there = strings_printf("%s/%s", root, rows[i].path);
            struct buf found;
            buf_init(&found, 100);
            ck_assert_int_eq(fs_read(there, 100, &found, NULL), 0);
            ck_assert_str_eq(buf_string(&found), rows[i].id);
            buf_release(&found);
            free(there);
        }
        free(file);
        free(text);
        fake_close(&f);
    }
    fs_remove_tree(base, NULL);
    free(root);
    free(downloads);
    free(link);
    ops_free(ops);
}
END_TEST

/* --- the opening of a WebSocket --- */

START_TEST(handshakes)
{
    static const char key[] = "dGhlIHNhbXBsZSBub25jZQ==", accept[] = "s3pPLMBiTxaQ9kYGzzhZRbK+xOo="; /* RFC 6455, 1.3 */
    static const struct {
        const char *answer;
        enum handshake_status status;
        const char *why;
    } rows[] = {
        {"HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\n", HANDSHAKE_MORE, ""},
        {"", HANDSHAKE_MORE, ""},
        {"HTTP/1.1 101 S\r\nsec-websocket-accept:  %s \r\n\r\nmore", HANDSHAKE_DONE, ""},
        {"HTTP/1.1 101 S\r\nSec-WebSocket-Accept: other\r\n\r\n", HANDSHAKE_REFUSED, "its answer is not one to our key"},
        {"HTTP/1.1 101 S\r\n\r\n", HANDSHAKE_REFUSED, "its answer is not one to our key"},
        {"HTTP/1.1 401 No\x01\r\nX: y\r\n\r\n", HANDSHAKE_REFUSED, "it does not take a WebSocket there, and says: HTTP/1.1 401 No?"},
        {"\r\n\r\n", HANDSHAKE_REFUSED, "it does not take a WebSocket there, and says: "},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char why[256] = "", *answer = strings_printf(rows[i].answer, accept);
        size_t length = 0;
        ck_assert_int_eq(handshake_read(bytes_of_string(answer), key, &length, why), rows[i].status);
        ck_assert_str_eq(why, rows[i].why);
        if (rows[i].status == HANDSHAKE_DONE)
            ck_assert_str_eq(answer + length, "more");
        free(answer);
    }
    char *flood = xcalloc(1, HANDSHAKE_MAX + 2), why[256];
    size_t length;
    memset(flood, 'x', HANDSHAKE_MAX + 1);
    ck_assert_int_eq(handshake_read(bytes_of(flood, HANDSHAKE_MAX + 1), key, &length, why), HANDSHAKE_REFUSED);
    ck_assert_ptr_nonnull(strstr(why, "its answer has no end"));
    free(flood);
}
END_TEST

START_TEST(requests)
{
    struct buf out;
    char key[HANDSHAKE_KEY], other[HANDSHAKE_KEY];
    buf_init(&out, 4096);
    handshake_ask(&out, "http://me:word@host:81/a?b=c#d", "KEY", (const char *const[]){"Authorization: Bearer x", NULL});
    ck_assert_str_eq(buf_string(&out), "GET /a?b=c HTTP/1.1\r\nHost: host:81\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                                       "Sec-WebSocket-Key: KEY\r\nSec-WebSocket-Version: 13\r\nAuthorization: Bearer x\r\n\r\n");
    buf_clear(&out);
    handshake_ask(&out, "http://[::1]?q", "KEY", NULL);
    ck_assert(bytes_starts(buf_bytes(&out), BYTES_LITERAL("GET /?q HTTP/1.1\r\nHost: [::1]\r\n")));
    handshake_key(key);
    handshake_key(other);
    ck_assert_uint_eq(strlen(key), HANDSHAKE_KEY - 1);
    ck_assert_str_ne(key, other);
    buf_release(&out);
}
END_TEST

static void fill(TCase *tests)
{
    tcase_add_loop_test(tests, cases, 0, sizeof files / sizeof *files);
    tcase_add_test(tests, saves);
    tcase_add_test(tests, kept_for_scripts);
    tcase_add_test(tests, handshakes);
    tcase_add_test(tests, requests);
}

int main(void)
{
    return unit_main("cdp", fill);
}
