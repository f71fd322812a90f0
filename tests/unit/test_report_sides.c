/* corpus/report: targets side by side, from two databases (one of a code sandbox with two targets, one of a browser), against golden files in
 * tests/data/report; and what becomes of a finding that both know. */
#include <string.h>

#include "base/utf8.h"
#include "corpus/store_internal.h"
#include "report_case.h"

static struct report_source sources[2];
static unsigned serial;

struct kind {
    const char *domain, *workflow, *mutators; /* mutators: one blank between; NULL */
    enum execution_outcome outcome;
    enum execution_ending ending;
    const char *op;
    int count;
};

static struct task *task_of(const struct kind *k)
{
    char path[32];
    snprintf(path, sizeof path, "%u", serial++);
    struct task *t = sample_task(path, "x");
    t->domain = k->domain;
    t->workflow = k->workflow;
    for (const char *m = k->mutators; m && *m;) {
        size_t n = strcspn(m, " ");
        struct json *one = json_add(t->mutations, json_new(&t->arena, JSON_OBJECT));
        json_set(&t->arena, one, "mutator", json_string(&t->arena, bytes_of(m, n)));
        m += n + (m[n] == ' ');
    }
    task_identify(t);
    return t;
}

static void put(struct store *s, int64_t run, const struct kind *k)
{
    for (int i = 0; i < k->count; i++) {
        struct error *err = NULL;
        size_t grown;
        struct task *t = task_of(k);
        struct store_execution e = {.run = run, .task = t, .outcome = k->outcome, .executed = k->outcome != EXECUTION_SKIPPED,
                                    .skip_reason = k->outcome == EXECUTION_SKIPPED ? "browser" : NULL,
                                    .why = k->outcome == EXECUTION_FAILED ? "step s1: found \x1b[1m<i>, expected 3" : NULL, .ns = 2000000,
                                    .ending = k->ending, .ending_op = k->op, .steps = "[]"};
        must(store_put_execution(s, &e, &grown, &err), err);
        task_free(t);
    }
}

static int64_t run_on(struct store *s, const char *target)
{
    const struct store_run run = {.verb = "fuzz", .command = "taskgen fuzz", .target = target, .grammar = "g", .seed = 1, .settings = "{}"};
    struct error *err = NULL;
    int64_t id;
    must(store_run_begin(s, &run, &id, &err), err);
    return id;
}

static void end_run(struct store *s, int64_t run, const char *identity)
{
    struct error *err = NULL;
    now_ns += INT64_C(90000000000);
    must(store_run_end(s, run, identity, &err), err);
}

static void find(struct store *s, int64_t run, const char *signature, const char *primitive, enum finding_state state, int times)
{
    char text[100];
    bool grew;
    struct error *err = NULL;
    snprintf(text, sizeof text, "sandbox/%s/check/run: d", primitive);
    struct finding f = {.text = text, .layer = "sandbox", .primitive = primitive, .check = "check", .op = "run", .detail = "d",
                        .title = "it <b>breaks</b>", .evidence = "e & e", .target = "t", .identity = "i", .state = state, .n_failed = 3, .n_run = 5,
                        .first_ms = NOW_MS, .last_ms = NOW_MS, .times_seen = 1, .task = "{}", .task_steps = 1};
    memcpy(f.signature, signature, 17);
    for (int i = 0; i < times; i++)
        must(store_put_finding(s, run, &f, &grew, &err), err);
}

static void fill_code(struct store *s)
{
    static const struct kind on_box[] = {
        {"process", "fork-bomb", NULL, EXECUTION_FAILED, ENDING_OUT_OF_MEMORY, "run", 3},
        {"process", "fork-bomb", NULL, EXECUTION_PASSED, ENDING_WELL, NULL, 9},
        {"process", "background", "kill-server process-spawn", EXECUTION_PASSED, ENDING_TIMED_OUT, "wait", 2},
        {"filesystem", "copy", "null-byte null-byte", EXECUTION_FAILED, ENDING_DIED, "write", 1},
        {"filesystem", "copy", "null-byte", EXECUTION_FAILED, ENDING_SILENT, "read", 1},
        {"filesystem", "copy", NULL, EXECUTION_HARNESS, ENDING_WELL, NULL, 1},
        {"filesystem", "copy", NULL, EXECUTION_PASSED, ENDING_WELL, NULL, 200},
        {"browser", "fill-form", NULL, EXECUTION_SKIPPED, ENDING_WELL, NULL, 4},
    };
    static const struct kind on_other = {"filesystem", "copy", NULL, EXECUTION_PASSED, ENDING_WELL, NULL, 5};
    static const char other[] = "mcp:npx -y a-server-with-a-rather-long-name@1.2.3 --root {root} --option value --another-option another-value";
    struct error *err = NULL;
    int64_t run = run_on(s, "exec:box --"), second = run_on(s, other);
    for (size_t i = 0; i < sizeof on_box / sizeof *on_box; i++)
        put(s, run, &on_box[i]);
    put(s, second, &on_other);
    find(s, run, "00000000000000a1", "memory", FINDING_CONFIRMED, 3);
    find(s, run, "00000000000000a2", "path", FINDING_FLAKY, 1);
    find(s, second, "00000000000000a2", "path", FINDING_NEW, 2);
    must(store_run_refused(s, second, &err), err);
    end_run(s, run, "box 1.0");
    end_run(s, second, "a-server \x1b[31m 1.2.3");
}

static void fill_browser(struct store *s)
{
    static const struct kind kinds[] = {
        {"browser", "fill-form", NULL, EXECUTION_PASSED, ENDING_WELL, NULL, 30},
        {"browser", "fill-form", "many-tabs", EXECUTION_FAILED, ENDING_PAGE_CRASHED, "tab-open", 2},
        {"browser", "scrape", "many-tabs", EXECUTION_FAILED, ENDING_LOST, "navigate", 1},
        {"process", "fork-bomb", NULL, EXECUTION_SKIPPED, ENDING_WELL, NULL, 7},
    };
    int64_t run = run_on(s, "cdp:chromium");
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        put(s, run, &kinds[i]);
    find(s, run, "00000000000000a2", "path", FINDING_CONFIRMED, 4);
    find(s, run, "00000000000000a3", "browser", FINDING_CONFIRMED, 1);
    end_run(s, run, "Chromium 130");
}

static void set_up(void)
{
    report_begin();
    serial = 0;
    sources[0] = (struct report_source){report_store("code.db"), "code.db", NULL};
    sources[1] = (struct report_source){report_store("browser.db"), "my browser.db", NULL};
    fill_code(sources[0].store);
    fill_browser(sources[1].store);
}

static void tear_down(void)
{
    store_close(sources[0].store);
    store_close(sources[1].store);
    report_end();
}

static struct bytes written(const char *format, unsigned width, bool workflows)
{
    const struct report_options o = {.sources = sources, .source_count = 2, .ops = ops, .width = width, .workflows = workflows};
    struct error *err = NULL;
    buf_clear(&out);
    must(report_find(format)->write(&o, &out, &err), err);
    return buf_bytes(&out);
}

START_TEST(golden_text)
{
    compare_golden("sides-text", written("text", 80, true));
}
END_TEST

START_TEST(golden_markdown)
{
    compare_golden("sides-markdown", written("markdown", 0, false));
}
END_TEST

START_TEST(golden_html)
{
    compare_golden("sides-html", written("html", 0, false));
}
END_TEST

START_TEST(golden_summary)
{
    compare_golden("sides-summary", written("summary", 0, false));
}
END_TEST

START_TEST(golden_csv)
{
    compare_golden("sides-csv", written("csv", 0, false));
}
END_TEST

/* Nothing is longer than the terminal is wide but what is there to be pasted. */
START_TEST(fits_the_terminal)
{
    for (unsigned width = 80; width <= 140; width += 20) {
        struct bytes text = written("text", width, _i);
        while (text.len) {
            ptrdiff_t newline = bytes_find(text, BYTES_LITERAL("\n"), 0);
            size_t end = newline < 0 ? text.len : (size_t)newline, at = 0, n = 0;
            while (at < end) {
                utf8_next(text, &at);
                n++;
            }
            bool pasted = bytes_find(bytes_slice(text, 0, end), BYTES_LITERAL("replay:"), 0) >= 0;
            ck_assert_msg(n <= width || pasted, "%zu of %u: %.*s", n, width, (int)end, text.data);
            ck_assert_msg(!end || text.data[end - 1] != ' ', "ends with a blank: %.*s", (int)end, text.data);
            text = bytes_slice(text, end + 1, text.len);
        }
    }
}
END_TEST

/* Counts that a reader adds up are those of the databases. */
START_TEST(adds_up)
{
    struct arena a;
    struct json *all = NULL;
    int64_t ran = 0, perished = 0, by_workflow = 0;
    arena_init(&a);
    ck_assert_int_eq(json_read(&a, written("summary", 0, false), NULL, "report", &all, NULL, NULL), 0);
    for (const struct json *t = json_get(all, "targets")->first; t; t = t->next) {
        int64_t n = 0;
        ck_assert(json_as_integer(json_get(json_get(t, "tasks"), "ran"), &n));
        ran += n;
        ck_assert(json_as_integer(json_get(json_get(t, "tasks"), "perished"), &n));
        perished += n;
        for (const struct json *w = json_get(t, "workflows")->first; w; w = w->next) {
            ck_assert(json_as_integer(json_get(w, "ran"), &n));
            by_workflow += n;
        }
    }
    ck_assert_int_eq(ran, 216 + 5 + 33);
    ck_assert_int_eq(by_workflow, ran);
    ck_assert_int_eq(perished, 6);
    ck_assert_uint_eq(json_get(all, "findings")->count, 3);
    arena_release(&a);
}
END_TEST

/* A finding that two databases know is one, and a script is made of it. */
START_TEST(known_to_both)
{
    struct report_options o = {.sources = sources, .source_count = 2, .ops = ops, .signature = "00000000000000a2"};
    struct error *err = NULL;
    struct arena a;
    struct json *list = NULL;
    buf_clear(&out);
    must(report_find("json")->write(&o, &out, &err), err);
    arena_init(&a);
    ck_assert_int_eq(json_read(&a, buf_bytes(&out), NULL, "report", &list, NULL, NULL), 0);
    ck_assert_uint_eq(list->count, 1);
    const struct json *one = json_at(list, 0);
    ck_assert(bytes_equal_string(json_as_text(json_get(one, "state")), "confirmed"));
    ck_assert(bytes_equal_string(json_as_text(json_get(one, "database")), "my browser.db"));
    ck_assert_uint_eq(json_get(one, "seen_on")->count, 3);
    ck_assert_int_eq(report_find("script")->write(&o, &out, &err), ERR_INPUT);
    ck_assert_msg(strstr(err->text, "has no script"), "%s", err->text);
    error_free(err);
    arena_release(&a);
}
END_TEST

/* Runs of a taskgen that did not write down how sessions end count as ran, not as having ended well. */
START_TEST(nobody_wrote_it_down)
{
    struct error *err = NULL;
    store_close(sources[0].store);
    sources[0].store = report_store("old.db");
    int64_t run = run_on(sources[0].store, "demo");
    static const struct kind kind = {"filesystem", "copy", NULL, EXECUTION_FAILED, ENDING_WELL, NULL, 4};
    put(sources[0].store, run, &kind);
    must(store_flush(sources[0].store, &err), err);
    sqlite3 *db;
    struct buf path;
    buf_init(&path, 4096);
    buf_addf(&path, "%s/old.db", folder);
    ck_assert_int_eq(sqlite3_open(buf_string(&path), &db), SQLITE_OK);
    ck_assert_int_eq(sqlite3_exec(db, "UPDATE run SET endings = 0", NULL, NULL, NULL), SQLITE_OK);
    sqlite3_close(db);
    buf_release(&path);
    struct bytes text = written("text", 80, false);
    ck_assert_msg(bytes_find(text, BYTES_LITERAL("Of 4 runs nobody wrote down how they ended"), 0) > 0, "%.*s", BYTES_ARG(text));
    ck_assert(bytes_find(text, BYTES_LITERAL("filesystem    A            4       0       4          -         -"), 0) > 0);
}
END_TEST

static void fill(TCase *tests)
{
    tcase_add_checked_fixture(tests, set_up, tear_down);
    tcase_add_test(tests, golden_text);
    tcase_add_test(tests, golden_markdown);
    tcase_add_test(tests, golden_html);
    tcase_add_test(tests, golden_summary);
    tcase_add_test(tests, golden_csv);
    tcase_add_loop_test(tests, fits_the_terminal, 0, 2);
    tcase_add_test(tests, adds_up);
    tcase_add_test(tests, known_to_both);
    tcase_add_test(tests, nobody_wrote_it_down);
}

int main(void)
{
    return unit_main("report sides", fill);
}
