/* The runner and browsers, against a server that speaks as those of browsers do (tests/data/mcp/page_server.py): tabs that take memory, that
 * are refused, that are lost; and the control call. */
#include <stdio.h>

#include "base/error.h"
#include "exec/oracle/check.h"
#include "exec/runner.h"
#include "oracle_case.h"
#include "session_fixture.h"

#define PAGES "mcp:/usr/bin/python3 " TASKGEN_SOURCE_DIR "/tests/data/mcp/page_server.py "

static struct session_fixture f;
static struct task *task;
static struct execution e;

static void set_up(void)
{
    session_set_up(&f);
    task = NULL;
}

static void tear_down(void)
{
    task_free(task);
    session_tear_down(&f);
}

static void run(const char *way, const char *steps)
{
    struct error *err = NULL;
    char *spec = strings_printf(PAGES "%s", way);
    const char *text = arena_printf(&f.arena, "{\"format\":\"taskgen/task/1\",\"instruction\":\"test\",\"steps\":[%s]}", steps);
    session_target_new(&f, spec);
    free(spec);
    ck_assert_msg(task_read(f.ops, bytes_of_string(text), "test", &task, &err) == 0, "%s", err ? err->text : "");
    ck_assert_msg(runner_execute(f.target, task, &f.arena, NULL, &e, &err) == 0, "%s", err ? err->text : "");
    ck_assert(!e.harness);
}

/* "sandbox/browser/tab-flood/tab-open: …" of the first verdict of that check; "". */
static const char *said(const char *check)
{
    struct verdicts v = {.arena = &f.arena};
    struct buf text;
    char key[17];
    oracle_judge(&e, &v);
    for (size_t i = 0; i < v.count; i++) {
        if (strcmp(v.items[i].check, check) != 0)
            continue;
        buf_init(&text, 4096);
        verdict_signature(&v.items[i], &text, key);
        const char *kept = arena_string(&f.arena, buf_bytes(&text));
        buf_release(&text);
        return kept;
    }
    return "";
}

#define OPEN(id, repeat) "{\"id\":\"" id "\",\"op\":\"tab-open\",\"args\":{\"url\":\"http://a/\"},\"repeat\":" repeat "}"
#define CLOSE(from)      "{\"id\":\"c" from "\",\"op\":\"tab-close\",\"args\":{\"tab\":{\"$from\":\"" from "\",\"at\":\"/tab\"}}}"

START_TEST(flood)
{
    ck_assert_int_eq(settings_set(&f.settings, "budget.memory", "96M", NULL), 0);
    run("references heavy", OPEN("s1", "20"));
    size_t sent = 0;
    while (sent < e.count && e.observations[sent].outcome.class == OUTCOME_OK)
        sent++;
    ck_assert_uint_ge(sent, 5);
    ck_assert_uint_lt(sent, 12);
    ck_assert_str_eq(e.observations[sent].outcome.skip_reason, "budget.flood is used up");
    ck_assert(!e.executed && !e.skip_reason); /* not for want of something: it says what the target does */
    ck_assert_uint_eq(e.tabs.budget, 72 << 20);
    ck_assert(e.tabs.listed);
    ck_assert_uint_eq(e.tabs.open, sent + 1);
    ck_assert_str_eq(said("tab-flood"), "sandbox/browser/tab-flood/tab-open: tabs take more than a stated budget of memory, and none is refused");
}
END_TEST

START_TEST(refused)
{
    run("positions full", OPEN("s1", "5"));
    ck_assert_int_eq(e.observations[4].outcome.class, OUTCOME_TOOL_ERROR);
    ck_assert_uint_eq(e.tabs.open, 3);
    ck_assert_str_eq(said("tab-flood"), "");
    ck_assert(e.control.made && e.control.answered);
    ck_assert_str_eq(e.control.op, "tab-open"); /* which is refused, in words */
}
END_TEST

START_TEST(lost)
{
    run("references lossy", OPEN("s1", "5"));
    ck_assert_uint_eq(e.tabs.open, 3);
    ck_assert_str_eq(said("tab-flood"), "sandbox/browser/tab-flood/tab-open: tabs that were acknowledged are not there");
}
END_TEST

START_TEST(control)
{
    run("references", OPEN("s1", "1") "," OPEN("s2", "1") ",{\"id\":\"x\",\"op\":\"click\",\"args\":{\"selector\":\"#missing\"}},"
                                                          "{\"id\":\"l\",\"op\":\"evaluate\",\"args\":{\"script\":\"log\"}}," CLOSE("s1") "," CLOSE("s2"));
    /* After the refusal a tab of ours was opened, asked and closed, and the one before is current again. */
    struct bytes log = json_as_text(json_get(e.observations[3].outcome.result, "value"));
    ck_assert(bytes_find(log, BYTES_LITERAL("new_page \"\" evaluate_script close_page \"\" select_page"), 0) > 0);
    ck_assert(e.control.made && e.control.answered);
    ck_assert_str_eq(e.control.op, "evaluate");
    ck_assert_uint_eq(e.tabs.open, 1);
    ck_assert(e.executed && !e.target_died);
}
END_TEST

START_TEST(missing_ops)
{
    run("references", "{\"id\":\"s1\",\"op\":\"screenshot\",\"args\":{}}");
    ck_assert_uint_eq(e.count, 0);
    ck_assert_str_eq(e.skip_reason, "screenshot");
    ck_assert(target_lacks(f.target, "screenshot") && !target_lacks(f.target, "browser"));
}
END_TEST

static void fill(TCase *tests)
{
    tcase_add_checked_fixture(tests, set_up, tear_down);
    tcase_set_timeout(tests, 120);
    tcase_add_test(tests, flood);
    tcase_add_test(tests, refused);
    tcase_add_test(tests, lost);
    tcase_add_test(tests, control);
    tcase_add_test(tests, missing_ops);
}

int main(void)
{
    return unit_main("runner_page", fill);
}
