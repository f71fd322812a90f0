/* corpus/report: each format against its golden file in tests/data/report (TASKGEN_UPDATE=1 writes them anew), from a
 * database made here that holds what hostile targets would like to send to a terminal; and the words on their own. */
#include <sys/wait.h>
#include <unistd.h>

#include "base/subprocess.h"
#include "report_case.h"

static struct store *store;

static void put_execution(int64_t run, const struct task *t, enum execution_outcome outcome, uint64_t feature)
{
    struct error *err = NULL;
    size_t grown = 0;
    struct store_execution e = {
        .run = run,
        .task = t,
        .outcome = outcome,
        .executed = outcome != EXECUTION_SKIPPED,
        .skip_reason = outcome == EXECUTION_SKIPPED ? "browser" : NULL,
        .ns = 5000000,
        .steps = "[]",
        .features = &feature,
        .feature_count = outcome == EXECUTION_SKIPPED ? 0 : 1,
    };

    must(store_put_execution(store, &e, &grown, &err), err);
}

static void put_finding(int64_t run, struct finding f)
{
    struct error *err = NULL;
    bool grew = false;

    f.first_ms = f.last_ms = NOW_MS;
    f.times_seen = 1;
    f.target = "demo:'all ü'";
    f.identity = "mcp leakybox 0.1.0 (15 tools)";
    must(store_put_finding(store, run, &f, &grew, &err), err);
    ck_assert(grew);
}

static void put_findings(int64_t run)
{
    struct task *t = sample_task("a.bin", "\x1b]0;owned\a\u202e\"x\"");
    struct buf line;

    buf_init(&line, 65536);
    task_write(t, &line);
    put_finding(run, (struct finding){
        .signature = "9f3a2b1c00000001", .text = "interface/encoding/binary-as-text/download: replacement-character",
        .layer = "interface", .primitive = "encoding", .check = "binary-as-text", .op = "download",
        .detail = "replacement-character", .title = "download gives U+FFFD where other bytes were sent",
        .evidence = "17 bytes were sent; outside, their sha256 is right.\nThe reply has 3 times EF BF BD that were not "
                    "sent: \"\x1b[31mred\x1b[0m \xff\x80 \xc2\x9b" "2J\", so the effect is right and the reply is wrong.",
        .state = FINDING_CONFIRMED, .n_failed = 5, .n_run = 5, .task = buf_string(&line), .task_steps = 2,
        .wire = "{\"expected\":\"the reply has 17 bytes\",\"observed\":\"the reply has \xe2\x80\xae \xf0\x9f\x98\x80\","
                "\"decide\":{\"how\":\"reply\",\"step\":0,\"base64\":\"AA==\",\"lines\":false},\"command\":[\"x\"],\"wire\":[]}",
    });
    put_finding(run, (struct finding){
        .signature = "9f3a2b1c00000002", .text = "sandbox/path/roots-differ/write: absent", .layer = "sandbox",
        .primitive = "path", .check = "roots-differ", .op = "write", .detail = "absent",
        .title = "=HYPERLINK(\"x\") | `*a*` <b> \xe2\x80\xae", .evidence = "```\nfence", .state = FINDING_FLAKY,
        .n_failed = 2, .n_run = 5, .task = "{\"format\":\"taskgen/task/9\",\"steps\":[\"\\u001b\"]}", .task_steps = 1,
        .client_illegal = true,
    });
    put_finding(run, (struct finding){
        .signature = "0000000000000003", .text = "undecided/strange/user-x/run: d", .layer = "undecided",
        .primitive = "strange", .check = "user-x", .op = "run", .detail = "d", .title = "never tried again",
        .evidence = "", .state = FINDING_NEW, .task = buf_string(&line), .task_steps = 2,
    });
    put_finding(run, (struct finding){
        .signature = "0000000000000004", .text = "sandbox/process/orphan-left/run: d", .layer = "sandbox",
        .primitive = "process", .check = "orphan-left", .op = "run", .detail = "d", .title = "did not come back",
        .evidence = "e", .state = FINDING_UNCONFIRMED, .n_run = 5, .task = buf_string(&line), .task_steps = 2,
    });
    put_finding(run, (struct finding){
        .signature = "0000000000000005", .text = "sandbox/process/zombies-pile-up/run: d", .layer = "sandbox",
        .primitive = "process", .check = "zombies-pile-up", .op = "run", .detail = "d", .title = "known and put up with",
        .evidence = "e", .state = FINDING_CONFIRMED, .n_failed = 3, .n_run = 5, .task = buf_string(&line),
        .task_steps = 2, .suppressed = true,
    });
    buf_release(&line);
    task_free(t);
}

static void set_up(void)
{
    const struct store_run run = {.verb = "fuzz", .command = "taskgen fuzz", .target = "demo", .grammar = "g",
                                  .seed = 1, .settings = "{}"};
    struct error *err = NULL;
    struct task *t;
    int64_t id;

    report_begin();
    store = report_store("report.db");
    must(store_run_begin(store, &run, &id, &err), err);
    t = sample_task("a.bin", "x");
    put_execution(id, t, EXECUTION_PASSED, 1);
    put_execution(id, t, EXECUTION_FAILED, 2);
    put_execution(id, t, EXECUTION_SKIPPED, 3);
    put_execution(id, t, EXECUTION_HARNESS, 4);
    task_free(t);
    put_findings(id);
}

static void tear_down(void)
{
    store_close(store);
    report_end();
}

static struct bytes written(const char *format, bool all, const char *signature)
{
    const struct report_source source = {store, "it's a.db", NULL};
    const struct report_options o = {.sources = &source, .source_count = 1, .ops = ops, .all = all, .signature = signature};
    struct error *err = NULL;

    buf_clear(&out);
    must(report_find(format)->write(&o, &out, &err), err);
    return buf_bytes(&out);
}

static void compare(const char *format)
{
    compare_golden(format, written(format, false, NULL));
}

START_TEST(golden_text)
{
    compare("text");
}
END_TEST

START_TEST(golden_json)
{
    compare("json");
}
END_TEST

START_TEST(golden_csv)
{
    compare("csv");
}
END_TEST

START_TEST(golden_markdown)
{
    compare("markdown");
}
END_TEST

START_TEST(golden_junit)
{
    compare("junit");
}
END_TEST

START_TEST(golden_sarif)
{
    compare("sarif");
}
END_TEST

START_TEST(golden_html)
{
    compare("html");
}
END_TEST

START_TEST(golden_summary)
{
    compare("summary");
}
END_TEST

START_TEST(golden_series)
{
    compare("series");
}
END_TEST

static void change_state(const char *signature, int failed)
{
    enum finding_state state;
    struct error *err = NULL;
    must(store_retested(store, signature, failed, 5, &state, &err), err);
}

static bool holds(const char *format, bool all, const char *text)
{
    return bytes_find(written(format, all, NULL), bytes_of_string(text), 0) >= 0;
}

/* What passes, what is skipped and what fails, with the counts that readers add up. */
START_TEST(for_ci)
{
    ck_assert(holds("junit", false, "<testsuites tests=\"3\" failures=\"2\" errors=\"0\">"));
    ck_assert(holds("junit", true, "<testsuites tests=\"5\" failures=\"2\" errors=\"0\">"));
    ck_assert(holds("junit", true, "tests=\"5\" failures=\"2\" errors=\"0\" skipped=\"3\">"));
    ck_assert(holds("junit", true, "<skipped message=\"suppressed\"/>"));
    change_state("9f3a2b1c00000001", 0);
    ck_assert(holds("junit", false, "<testsuites tests=\"3\" failures=\"1\" errors=\"0\">"));
    ck_assert(holds("sarif", false, "\"kind\": \"pass\""));
    ck_assert(!holds("sarif", false, "\"kind\": \"external\""));
    ck_assert(holds("sarif", true, "\"kind\": \"external\""));
    change_state("9f3a2b1c00000001", 1);
    ck_assert(holds("junit", false, "<failure type=\"regressed\""));
    ck_assert(!holds("sarif", false, "\"kind\": \"pass\""));
    put_finding(1, (struct finding){.signature = "00000000000000a1", .text = "interface/protocol/mcp-01/open: should: x", .layer = "interface",
                                    .primitive = "protocol", .check = "mcp-01", .op = "open", .detail = "should: x\xef\xbf\xbe", .title = "t",
                                    .evidence = "e", .state = FINDING_CONFIRMED, .n_failed = 5, .n_run = 5, .task = "{}", .task_steps = 0});
    ck_assert(holds("junit", false, "should: x\\u{fffe} ["));
    ck_assert(holds("junit", false, "<skipped message=\"a note: recommended, or a matter of policy\"/>"));
    ck_assert(holds("sarif", false, "\"level\": \"note\""));
}
END_TEST

START_TEST(nothing_reaches_the_terminal)
{
    static const char *const formats[] = {"text", "csv", "markdown", "junit", "sarif", "html"};

    for (size_t f = 0; f < 6; f++) {
        struct bytes text = written(formats[f], true, NULL);

        for (size_t i = 0; i < text.len; i++)
            ck_assert_msg(text.data[i] >= 0x20 || text.data[i] == '\n' || text.data[i] == '\r', "%s holds byte %02x",
                          formats[f], text.data[i]);
        ck_assert(bytes_find(text, BYTES_LITERAL("\xc2\x9b"), 0) < 0);
        ck_assert(bytes_find(text, BYTES_LITERAL("\xe2\x80\xae"), 0) < 0);
        ck_assert(bytes_find(text, BYTES_LITERAL("\x7f"), 0) < 0);
        ck_assert(bytes_find(text, BYTES_LITERAL("\\x1b[31mred"), 0) > 0 || f == 2);
    }
}
END_TEST

static size_t shown(bool all, const char *signature)
{
    struct arena a;
    struct json *list = NULL;
    struct error *err = NULL;
    size_t count;

    arena_init(&a);
    must(json_read(&a, written("json", all, signature), NULL, "report", &list, NULL, &err), err);
    ck_assert(json_is(list, JSON_ARRAY));
    count = list->count;
    arena_release(&a);
    return count;
}

START_TEST(chooses_findings)
{
    ck_assert_uint_eq(shown(false, NULL), 3);
    ck_assert_uint_eq(shown(true, NULL), 5);
    ck_assert_uint_eq(shown(false, "0000000000000005"), 1); /* asked for by name, so shown although suppressed */
    ck_assert_uint_eq(shown(false, "9f3a"), 2);
    ck_assert_uint_eq(shown(false, "ffff"), 0);
    ck_assert_ptr_null(report_find("nope"));
    ck_assert_str_eq(report_at(0)->name, "text");
    ck_assert_ptr_null(report_at(10));
}
END_TEST

START_TEST(json_keeps_the_bytes)
{
    struct arena a;
    struct json *list = NULL, *one, *task;

    arena_init(&a);
    ck_assert_int_eq(json_read(&a, written("json", false, "9f3a2b1c00000001"), NULL, "report", &list, NULL, NULL), 0);
    one = json_at(list, 0);
    ck_assert(bytes_find(json_as_text(json_get(one, "evidence")), BYTES_LITERAL("\x1b[31m"), 0) > 0);
    task = json_get(one, "task");
    ck_assert(bytes_equal_string(json_as_text(json_get(task, "format")), "taskgen/task/1"));
    ck_assert_uint_eq(json_get(task, "steps")->count, 2);
    arena_release(&a);
}
END_TEST

/* A shell script, run by sh: bytes of all kinds get to the program and back, and what it says decides. */
static const struct {
    const char *decide, *wire;
    int status;
    const char *said;
} shell_scripts[] = {
    {"{\"how\":\"reply\",\"op\":\"read\",\"step\":0,\"base64\":\"YfwAXAonJQ==\",\"lines\":false}",
     "[{\"step\":0},{\"run\":[\"sh\",\"-c\",\"cat\"],\"in\":\"@TASKGEN-ROOT@\",\"env\":[],\"stdin\":{\"base64\":\"YfwAXAonJQ==\"}},{\"done\":0}]", 0, "the fault does not show"},
    {"{\"how\":\"reply\",\"op\":\"read\",\"step\":0,\"base64\":\"YfwA\",\"lines\":true}",
     "[{\"step\":0},{\"run\":[\"printf\",{\"base64\":\"YfwK\"}],\"in\":\"@TASKGEN-ROOT@\",\"env\":[]},{\"done\":0}]", 1, "answered with 3 bytes"},
    {"{\"how\":\"reply\",\"op\":\"read\",\"step\":0,\"base64\":\"YQ==\",\"lines\":true}",
     "[{\"step\":0},{\"run\":[\"echo\",\"a\"],\"in\":\"@TASKGEN-ROOT@\",\"env\":[]},{\"done\":0}]", 0, "the fault does not show"},
    {"{\"how\":\"reply\",\"op\":\"read\",\"step\":0,\"base64\":\"YQ==\",\"lines\":true}",
     "[{\"step\":0},{\"run\":[\"echo\",\"a\"],\"in\":\"@TASKGEN-ROOT@\",\"env\":[]},{\"run\":[\"echo\"],\"in\":\"/\",\"env\":[]},{\"done\":0}]", 2, "several commands"},
    {"{\"how\":\"file\",\"op\":\"write\",\"step\":1,\"path\":\"a b'c\",\"exists\":true,\"sha256\":\"ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad\"}",
     "[{\"step\":1},{\"run\":[\"sh\",\"-c\",\"printf %s \\\"$X\\\" >\\\"$1\\\"\",\"sh\",\"@TASKGEN-ROOT@/a b'c\"],\"in\":\"/\",\"env\":[\"Y= \",\"X=abc\"]},{\"done\":1}]", 0, "the file has 3 bytes"},
    {"{\"how\":\"file\",\"op\":\"write\",\"step\":1,\"path\":\"a\",\"exists\":true}", "[{\"step\":1},{\"run\":[\"true\"],\"in\":\"/\",\"env\":[]},{\"done\":1}]", 1, "it is not there"},
    {"{\"how\":\"file\",\"op\":\"write\",\"step\":1,\"path\":\"a\",\"exists\":true}", "[{\"step\":1},{\"run\":[\"false\"],\"in\":\"/\",\"env\":[]},{\"done\":1}]", 0, "an explicit refusal"},
    {"{\"how\":\"mode\",\"op\":\"write\",\"step\":0,\"path\":\"a\",\"mode\":416}", "[{\"step\":0},{\"run\":[\"sh\",\"-c\",\": >a; chmod 600 a\"],\"in\":\"@TASKGEN-ROOT@\",\"env\":[]},{\"done\":0}]", 1, "the mode is 600"},
    {"{\"how\":\"status\",\"op\":\"run\",\"step\":0,\"status\":3,\"none\":false}", "[{\"step\":0},{\"run\":[\"sh\",\"-c\",\"exit 3\"],\"in\":\"/\",\"env\":[]},{\"done\":0}]", 0, "the status is 3"},
    {"{\"how\":\"answer\",\"op\":\"run\",\"step\":0}", "[{\"step\":0},{\"run\":[\"true\"],\"in\":\"/\",\"env\":[]},{\"done\":0}]", 0, "ended with status 0"},
    {"{\"how\":\"leftover\",\"op\":\"run\",\"step\":0}", "[{\"step\":0},{\"run\":[\"sh\",\"-c\",\"sleep 9 >/dev/null 2>&1 &\"],\"in\":\"/\",\"env\":[]},{\"done\":0}]", 1, "1 processes are left"},
};

START_TEST(shell_script_decides)
{
    struct arena a;
    struct json *record = NULL;
    struct error *err = NULL;
    struct buf text, script, said;
    int status = -1;
    arena_init(&a);
    buf_init(&text, 1 << 16);
    buf_init(&script, 1 << 20);
    buf_init(&said, 1 << 16);
    buf_addf(&text, "{\"driver\":\"exec\",\"command\":[\"env\",\"Z=%%b \\u001b\"],\"expected\":\"\\u001b e\",\"observed\":\"o\",\"decide\":%s,\"wire\":%s}",
             shell_scripts[_i].decide, shell_scripts[_i].wire);
    must(json_read(&a, buf_bytes(&text), NULL, "record", &record, NULL, &err), err);
    report_script_sh(&script, record, &a);
    for (size_t i = 0; i < script.len; i++)
        ck_assert_msg(script.data[i] == '\n' || (script.data[i] >= ' ' && script.data[i] < 0x7f), "byte %zu", i);
    must(subprocess_run((const char *const[]){"sh", NULL}, buf_bytes(&script), 20000, 1 << 16, &said, NULL, &status, &err), err);
    ck_assert_msg(WIFEXITED(status) && WEXITSTATUS(status) == shell_scripts[_i].status && strstr(buf_string(&said), shell_scripts[_i].said),
                  "status %d: %s", WEXITSTATUS(status), buf_string(&said));
    ck_assert_ptr_null(strchr(buf_string(&said), 0x1b));
    buf_release(&text);
    buf_release(&script);
    buf_release(&said);
    arena_release(&a);
}
END_TEST

/* The script of a browser, run on a program that gives its tab a name of its own: messages reach that tab, programs run beside it, and what
 * comes back decides. */
static const char fake_browser[] =
    "import json, os\n"
    "rest, tab = b\"\", \"S%d\" % os.getpid()\n"
    "def say(**message):\n"
    "    os.write(4, json.dumps(message).encode() + bytes(1))\n"
    "while True:\n"
    "    chunk = os.read(3, 4096)\n"
    "    if not chunk:\n"
    "        break\n"
    "    *whole, rest = (rest + chunk).split(bytes(1))\n"
    "    for m in map(json.loads, whole):\n"
    "        if m[\"method\"] == \"Target.createTarget\":\n"
    "            say(method=\"Target.attachedToTarget\", params={\"sessionId\": \"W\", \"targetInfo\": {\"targetId\": \"V\", \"type\": \"worker\"}})\n"
    "            say(method=\"Target.attachedToTarget\", params={\"sessionId\": tab, \"targetInfo\": {\"targetId\": \"T\", \"type\": \"page\"}})\n"
    "            say(id=m[\"id\"], result={\"targetId\": \"T\"})\n"
    "        elif m[\"method\"] == \"none\":\n"
    "            continue\n"
    "        else:\n"
    "            here = m.get(\"sessionId\") == tab\n"
    "            say(id=m[\"id\"], result={\"value\": open(m[\"params\"][\"file\"]).read()} if here else {})\n";

#define BROWSER_OPENS "{\"after\":0,\"text\":\"{\\\"id\\\":1,\\\"method\\\":\\\"Target.createTarget\\\"}\\n\"},{\"step\":0}," \
                      "{\"run\":[\"sh\",\"-c\",\"printf 'aä' >f\"],\"in\":\"@TASKGEN-ROOT@\",\"env\":[]},"
#define BROWSER_ASKS(what) "{\"after\":4,\"text\":\"{\\\"id\\\":2,\\\"method\\\":\\\"" what "\\\",\\\"params\\\":{\\\"file\\\":\\\"@TASKGEN-ROOT@/f\\\"}," \
                           "\\\"sessionId\\\":\\\"@TASKGEN-NAME@session page 0\\\"}\\n\"},{\"done\":0}"
static const struct {
    const char *decide, *what;
    int status;
    const char *said;
} browser_scripts[] = {
    {"{\"how\":\"reply\",\"step\":0,\"base64\":\"YcOk\",\"lines\":false}", BROWSER_OPENS BROWSER_ASKS("ask"), 0, "the fault does not show"},
    {"{\"how\":\"reply\",\"step\":0,\"base64\":\"Yg==\",\"lines\":false}", BROWSER_OPENS BROWSER_ASKS("ask"), 1, "the fault shows"},
    {"{\"how\":\"place\",\"step\":0,\"text\":\"aä\"}", BROWSER_OPENS BROWSER_ASKS("ask"), 1, "the fault shows"},
    {"{\"how\":\"place\",\"step\":0,\"text\":\"b\"}", BROWSER_OPENS BROWSER_ASKS("ask"), 0, "the fault does not show"},
    {"{\"how\":\"memory\",\"step\":0,\"bytes\":1000000}", BROWSER_OPENS BROWSER_ASKS("ask"), 1, "the tab was opened"},
};

START_TEST(browser_script_decides)
{
    struct arena a;
    struct error *err = NULL;
    struct buf script, said;
    int status = -1;
    arena_init(&a);
    buf_init(&script, 1 << 20);
    buf_init(&said, 1 << 16);
    buf_addf(&script, "import json\nRECORD = json.loads(r\"\"\"{\"driver\":\"cdp\",\"command\":[\"/usr/bin/python3\",\"-c\",");
    json_write_string(&script, bytes_of_string(fake_browser));
    buf_addf(&script, "],\"expected\":\"e\",\"observed\":\"o\",\"decide\":%s,\"wire\":[%s]}\"\"\")\n%s", browser_scripts[_i].decide,
             browser_scripts[_i].what, report_script_python);
    must(subprocess_run((const char *const[]){"/usr/bin/python3", NULL}, buf_bytes(&script), 20000, 1 << 16, &said, NULL, &status, &err), err);
    ck_assert_msg(WIFEXITED(status) && WEXITSTATUS(status) == browser_scripts[_i].status && strstr(buf_string(&said), browser_scripts[_i].said),
                  "status %d: %s", WEXITSTATUS(status), buf_string(&said));
    buf_release(&script);
    buf_release(&said);
    arena_release(&a);
}
END_TEST

/* A script is ASCII, whatever the target said, and Python's own; what has no record has none, and is told so. */
START_TEST(script_of_one_finding)
{
    const struct report_source source = {store, "taskgen.db", NULL};
    const struct report_options none = {.sources = &source, .source_count = 1, .ops = ops};
    struct report_options both = none, unknown = none, without = none;
    both.signature = "9f3a";
    unknown.signature = "ffff";
    without.signature = "0000000000000005";
    static const struct {
        const char *part;
    } rows[] = {{"wants a SIGNATURE"}, {"2 findings"}, {"0 findings"}, {"has no script"}};
    const struct report_options *options[] = {&none, &both, &unknown, &without};
    struct buf text;

    buf_init(&text, 1 << 20);
    for (size_t i = 0; i < 4; i++) {
        struct error *err = NULL;
        ck_assert_int_eq(report_find("script")->write(options[i], &text, &err), ERR_INPUT);
        ck_assert_msg(strstr(err->text, rows[i].part) && !strchr(err->text, '\n'), "%s", err->text);
        error_free(err);
    }
    struct bytes script = written("script", false, "9f3a2b1c00000001");
    for (size_t i = 0; i < script.len; i++)
        ck_assert_msg(script.data[i] == '\n' || (script.data[i] >= ' ' && script.data[i] < 0x7f), "byte %zu", i);
    ck_assert(bytes_find(script, BYTES_LITERAL("\\u202e"), 0) > 0);
    ck_assert(bytes_find(script, BYTES_LITERAL("\\ud83d\\ude00"), 0) > 0);
    buf_release(&text);
}
END_TEST

START_TEST(too_small_a_buffer)
{
    const struct report_source source = {store, "taskgen.db", NULL};
    struct report_options o = {.sources = &source, .source_count = 1, .ops = ops};
    struct error *err = NULL;
    struct buf small;

    buf_init(&small, 40);
    for (size_t i = 0; report_at(i); i++) {
        buf_clear(&small);
        o.signature = strcmp(report_at(i)->name, "script") ? NULL : "9f3a2b1c00000001";
        ck_assert_int_eq(report_at(i)->write(&o, &small, &err), ERR_LIMIT);
        error_free(err);
        err = NULL;
    }
    buf_release(&small);
}
END_TEST

static const char *wrapped(const char *text, unsigned indent, unsigned width)
{
    buf_clear(&out);
    report_wrapped(&out, text, indent, width);
    return buf_string(&out);
}

START_TEST(words)
{
    ck_assert_str_eq(wrapped("", 2, 40), "\n");
    ck_assert_str_eq(wrapped("a b", 2, 40), "  a b\n");
    ck_assert_str_eq(wrapped("a\n\nb\n", 1, 40), " a\n\n b\n");
    ck_assert_str_eq(wrapped("twelve chars and more of them", 0, 21), "twelve chars and more\nof them\n");
    ck_assert_str_eq(wrapped("éééééééééé éééééééééé é", 0, 21), "éééééééééé éééééééééé\né\n");
    ck_assert_str_eq(wrapped("0123456789012345678901234567890", 0, 20), "01234567890123456789\n01234567890\n");
    ck_assert_str_eq(wrapped("a\tb\x1b\x7f\xc3", 0, 40), "a\\x09b\\x1b\\x7f\\xc3\n");
    buf_clear(&out);
    report_time(&out, NOW_MS + 999);
    ck_assert_str_eq(buf_string(&out), "2026-03-01T12:00:00Z");
    buf_clear(&out);
    report_time(&out, INT64_MAX);
    report_time(&out, 0);
    report_time(&out, -5);
    ck_assert_uint_le(out.len, 40); /* whatever it says, it does not crash */
}
END_TEST

static void fill(TCase *tests)
{
    tcase_add_checked_fixture(tests, set_up, tear_down);
    tcase_add_test(tests, golden_text);
    tcase_add_test(tests, golden_json);
    tcase_add_test(tests, golden_csv);
    tcase_add_test(tests, golden_markdown);
    tcase_add_test(tests, golden_junit);
    tcase_add_test(tests, golden_sarif);
    tcase_add_test(tests, golden_html);
    tcase_add_test(tests, golden_summary);
    tcase_add_test(tests, golden_series);
    tcase_add_test(tests, for_ci);
    tcase_add_test(tests, nothing_reaches_the_terminal);
    tcase_add_test(tests, chooses_findings);
    tcase_add_test(tests, json_keeps_the_bytes);
    tcase_add_loop_test(tests, browser_script_decides, 0, sizeof browser_scripts / sizeof *browser_scripts);
    tcase_add_loop_test(tests, shell_script_decides, 0, sizeof shell_scripts / sizeof *shell_scripts);
    tcase_add_test(tests, script_of_one_finding);
    tcase_add_test(tests, too_small_a_buffer);
    tcase_add_test(tests, words);
}

int main(void)
{
    return unit_main("report", fill);
}
