/* exec/reduce.h against real targets: a planted failure is reduced to its core, whoever is stopped goes on from the
 * smallest task so far, and what does not show is left alone. */
#include "exec/reduce.h"
#include "loop_case.h"
#include "oracle_case.h"

/* Twenty-five steps; what matters are s4, s11 and s18: a file that there is, another mode, another content. */
static const char *const planted[] = {
    "mkdir {\"path\":\"d\"}", "write {\"path\":\"d/a\",\"content\":\"one\"}", "list {\"path\":\"d\"}",
    "write {\"path\":\"run.sh\",\"content\":\"echo 1\"}", "stat {\"path\":\"d/a\"}",
    "append {\"path\":\"d/a\",\"content\":\"two\"}", "read {\"path\":\"d/a\"}",
    "upload {\"path\":\"blob\",\"content\":{\"$bytes\":\"AAEC/w==\"}}", "download {\"path\":\"blob\"}",
    "run {\"argv\":[\"true\"]}", "chmod {\"path\":\"run.sh\",\"mode\":493}", "copy {\"path\":\"d/a\",\"to\":\"d/b\"}",
    "read {\"path\":\"d/b\"}", "move {\"path\":\"d/b\",\"to\":\"c\"}", "list {\"path\":\".\"}",
    "edit {\"path\":\"d/a\",\"old\":\"one\",\"new\":\"three\"}", "read {\"path\":\"d/a\"}",
    "write {\"path\":\"run.sh\",\"content\":\"echo 2\"}", "run {\"argv\":[\"sh\",\"-c\",\"echo hi\"]}",
    "stat {\"path\":\"blob\"}", "write {\"path\":\"e\",\"content\":\"x\"}", "remove {\"path\":\"e\"}",
    "list {\"path\":\"d\"}", "read {\"path\":\"c\"}", "run {\"argv\":[\"ls\"]}",
};
enum { PLANTED = sizeof planted / sizeof *planted };

static struct task *planted_task(void)
{
    struct buf text;
    struct error *err = NULL;
    struct task *task;
    buf_init(&text, 1 << 20);
    buf_add_string(&text, "{\"format\":\"taskgen/task/1\",\"instruction\":\"t\",\"steps\":[");
    for (int i = 0; i < PLANTED; i++) {
        const char *space = strchr(planted[i], ' ');
        buf_addf(&text, "%s{\"id\":\"s%d\",\"op\":\"%.*s\",\"args\":%s}", i ? "," : "", i + 1, (int)(space - planted[i]),
                 planted[i], space);
    }
    buf_add_string(&text, "]}");
    ck_assert_msg(task_read(f.ops, buf_bytes(&text), "planted", &task, &err) == 0, "%s", err ? err->text : "");
    buf_release(&text);
    return task;
}

static struct finding the_finding(void)
{
    struct finding *found;
    size_t count;
    ck_assert_int_eq(store_findings(store, NULL, &f.arena, &found, &count, NULL), 0);
    ck_assert_uint_eq(count, 1);
    return *found;
}

/* Finds the planted failure, and gives it back as it was stored. */
static struct finding met(void)
{
    struct error *err = NULL;
    struct loop_progress total;
    int64_t run = 0;
    session_target_new(&f, "demo:mode-lost");
    struct store_run begun = {.verb = "run", .command = "test", .target = "demo:mode-lost", .grammar = "", .settings = "{}"};
    ck_assert_int_eq(store_run_begin(store, &begun, &run, &err), 0);
    struct task *task = planted_task();
    struct loop_options o = {.target = f.target, .store = store, .run = run, .settings = &f.settings, .ops = f.ops,
                             .confirm = true, .workers = 1, .tasks = &task, .task_count = 1};
    ck_assert_msg(loop_run(&o, &total, &err) == 0, "%s", err ? err->text : "");
    task_free(task);
    struct finding found = the_finding();
    ck_assert_str_eq(found.text, "sandbox/permission/metadata-lost/write: an existing file has another mode afterwards");
    ck_assert(found.state == FINDING_CONFIRMED && found.task_steps == PLANTED && found.shrunk == SHRUNK_NOT);
    return found;
}

static struct reduce_options options(void)
{
    return (struct reduce_options){
        .target = f.target, .store = store, .settings = &f.settings, .ops = f.ops, .time_ms = 600000};
}

static struct reduce_result reduced(const struct reduce_options *o, const char *signature, bool again)
{
    struct reduce_result r;
    struct error *err = NULL;
    ck_assert_msg(reduce_finding(o, signature, again, &r, &err) == 0, "%s", err ? err->text : "");
    return r;
}

static void expect_core(const struct finding *found)
{
    struct task *task;
    ck_assert_int_eq(found->task_steps, 3);
    ck_assert_int_eq(task_read(f.ops, bytes_of_string(found->task), "core", &task, NULL), 0);
    static const char *const core[] = {"write", "chmod", "write"};
    ck_assert_uint_eq(task->step_count, 3);
    for (size_t i = 0; i < 3; i++)
        ck_assert_str_eq(task->steps[i].op->name, core[i]);
    task_free(task);
}

START_TEST(planted_failure)
{
    if (!possible)
        return;
    struct finding before = met();
    struct reduce_options o = options();
    struct reduce_result r = reduced(&o, before.signature, false);
    printf("25 steps to %lld in %lld sessions\n", (long long)r.steps, (long long)r.runs);
    ck_assert_int_eq(r.end, REDUCE_WHOLE);
    ck_assert(r.steps_before == PLANTED && r.steps == 3 && r.runs <= 200);
    struct finding after = the_finding();
    expect_core(&after);
    ck_assert_int_eq(after.shrunk, SHRUNK_WHOLE);
    ck_assert_int_eq(after.state, FINDING_CONFIRMED);
    ck_assert(after.n_failed == 5 && after.n_run == 5 && after.times_seen == before.times_seen);
    /* The same again costs nothing, unless it is wanted. */
    ck_assert_int_eq(reduced(&o, before.signature, false).runs, 0);
    ck_assert(reduced(&o, before.signature, true).runs > 0);
    /* A longer task that is seen later does not come back. */
    bool grew;
    before.state = FINDING_NEW;
    ck_assert_int_eq(store_put_finding(store, 0, &before, &grew, NULL), 0);
    after = the_finding();
    expect_core(&after);
    ck_assert_int_eq(after.shrunk, SHRUNK_WHOLE);
}
END_TEST

/* Stopped over and over, after a few sessions each time, it gets there all the same. */
START_TEST(goes_on_from_the_best)
{
    if (!possible)
        return;
    struct finding before = met();
    struct reduce_options o = options();
    int64_t steps = PLANTED;
    for (int round = 0; round < 20 && the_finding().shrunk != SHRUNK_WHOLE; round++) {
        o.time_ms = 200 + 300 * round;
        struct reduce_result r = reduced(&o, before.signature, false);
        struct finding now = the_finding();
        ck_assert_int_eq(r.steps_before, steps);
        ck_assert_int_eq(now.task_steps, r.steps);
        ck_assert(r.steps <= steps);
        if (r.end == REDUCE_TIME)
            ck_assert_int_eq(now.shrunk, r.steps < PLANTED ? SHRUNK_PART : SHRUNK_NOT);
        steps = r.steps;
    }
    struct finding after = the_finding();
    expect_core(&after);
    /* A number of sessions that is used up is an end, too. */
    ck_assert_int_eq(settings_set(&f.settings, "shrink.runs", "3", NULL), 0);
    struct reduce_result r = reduced(&o, before.signature, true);
    ck_assert(r.end == REDUCE_RUNS && r.runs == 3);
    atomic_int stop = 1;
    o.stop = &stop;
    r = reduced(&o, before.signature, true);
    ck_assert(r.end == REDUCE_STOPPED && r.runs == 0);
}
END_TEST

/* Of a finding that showed in four of five sessions a smaller task must show it twice, like any other, and may fail to twice before it is
 * turned down. Here each shows it always or never, so that the sessions can be counted. */
START_TEST(flaky)
{
    enum { SHOWS = 2, TRIES = 2 };
    if (!possible)
        return;
    struct finding before = met();
    enum finding_state state;
    ck_assert_int_eq(store_retested(store, before.signature, 4, 5, &state, NULL), 0);
    ck_assert_int_eq(the_finding().n_failed, 4);
    struct reduce_options o = options();
    ck_assert_int_eq(settings_set(&f.settings, "shrink.runs", "2000", NULL), 0);
    struct reduce_result r = reduced(&o, before.signature, false);
    ck_assert_int_eq(r.end, REDUCE_WHOLE);
    ck_assert(r.accepted > 0);
    ck_assert_int_eq(r.runs, SHOWS * (1 + r.accepted) + TRIES * (r.candidates - r.accepted));
    struct finding after = the_finding();
    expect_core(&after);
}
END_TEST

START_TEST(does_not_show)
{
    if (!possible)
        return;
    struct finding before = met();
    target_free(f.target);
    f.target = NULL;
    session_target_new(&f, "demo:none");
    struct reduce_options o = options();
    struct reduce_result r = reduced(&o, before.signature, false);
    ck_assert(r.end == REDUCE_NOT_SHOWN && r.steps == PLANTED && r.accepted == 0);
    struct finding after = the_finding();
    ck_assert_str_eq(after.task, before.task);
    ck_assert_int_eq(after.shrunk, SHRUNK_NOT);
    struct error *err = NULL;
    ck_assert_int_eq(reduce_finding(&o, "00000000000000aa", false, &r, &err), ERR_INPUT);
    ck_assert_msg(strstr(err->text, "no finding has the signature '00000000000000aa'"), "%s", err->text);
    error_free(err);
}
END_TEST

static void fill(TCase *tests)
{
    tcase_add_checked_fixture(tests, loop_set_up, loop_tear_down);
    tcase_add_test(tests, planted_failure);
    tcase_add_test(tests, goes_on_from_the_best);
    tcase_add_test(tests, flaky);
    tcase_add_test(tests, does_not_show);
}

int main(void)
{
    return unit_main("reduce", fill);
}
