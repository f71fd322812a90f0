/* The loop against real targets: what is counted, what becomes a finding, and that it ends when it should. */
#include <pthread.h>

#include "base/clock.h"
#include "grammar/domain.h"
#include "loop_case.h"
#include "oracle_case.h"

static struct loop_options options;
static int64_t findings_told, confirmed_told, executions_told;

static void set_up(void)
{
    loop_set_up();
    findings_told = confirmed_told = executions_told = 0;
}

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void on_finding(void *user, const struct finding *found)
{
    (void)user;
    pthread_mutex_lock(&lock);
    findings_told += found->state == FINDING_NEW;
    confirmed_told += found->state == FINDING_CONFIRMED;
    pthread_mutex_unlock(&lock);
}

static void on_executed(void *user, const struct task *t, const struct execution *e, const char *why)
{
    (void)user;
    (void)t;
    (void)why;
    pthread_mutex_lock(&lock);
    executions_told += e->count > 0;
    pthread_mutex_unlock(&lock);
}

static struct loop_options loop_for(const char *spec)
{
    struct error *err = NULL;
    int64_t run = 0;
    session_target_new(&f, spec);
    struct store_run begun = {
        .verb = "run", .command = "test", .target = spec, .grammar = "", .settings = "{}"};
    ck_assert_msg(store_run_begin(store, &begun, &run, &err) == 0, "%s", err ? err->text : "");
    return (struct loop_options){.target = f.target,
                                 .store = store,
                                 .run = run,
                                 .settings = &f.settings,
                                 .ops = f.ops,
                                 .confirm = true,
                                 .workers = 2,
                                 .finding = on_finding,
                                 .executed = on_executed};
}

static struct task *task_of(const char *steps)
{
    struct task *task;
    struct error *err = NULL;
    const char *text = arena_printf(
        &f.arena, "{\"format\":\"taskgen/task/1\",\"instruction\":\"t\",\"steps\":[%s]}", steps);
    ck_assert_msg(task_read(f.ops, bytes_of_string(text), "test", &task, &err) == 0, "%s",
                  err ? err->text : "");
    return task;
}

#define UPLOAD_AND_BACK                                                                                      \
    "{\"id\":\"s1\",\"op\":\"upload\",\"args\":{\"path\":\"a\",\"content\":{\"$bytes\":\"/wCA\"}}},"         \
    "{\"id\":\"s2\",\"op\":\"download\",\"args\":{\"path\":\"a\"}}"

START_TEST(given_tasks)
{
    if (!possible)
        return;
    struct loop_progress total;
    struct error *err = NULL;
    options = loop_for("demo:download-reencodes");
    struct task *tasks[] = {
        task_of("{\"id\":\"s1\",\"op\":\"write\",\"args\":{\"path\":\"a\",\"content\":\"x\"}}"),
        task_of(UPLOAD_AND_BACK),
        task_of("{\"id\":\"s1\",\"op\":\"tab-open\",\"args\":{}}"),
        task_of(UPLOAD_AND_BACK),
        task_of("{\"id\":\"s1\",\"op\":\"read\",\"args\":{\"path\":\"nowhere\"}}"),
    };
    options.tasks = tasks;
    options.task_count = 5;
    ck_assert_msg(loop_run(&options, &total, &err) == 0, "%s", err ? err->text : "");
    ck_assert_int_eq(total.executions, 5);
    ck_assert_int_eq(total.executed, 4);
    ck_assert_int_eq(total.skipped, 1);
    ck_assert_int_eq(total.failed, 1);
    ck_assert_int_eq(total.passed, 3);
    ck_assert_int_eq(total.harness, 0);
    ck_assert_int_eq(total.calls, 6);
    ck_assert_int_eq(total.findings, 1);
    ck_assert_int_eq(total.confirmed, 1);
    ck_assert_int_eq(total.interface_findings, 1);
    ck_assert_int_eq(total.sandbox_findings, 0);
    ck_assert(total.features > 0 && total.corpus > 0);
    ck_assert_int_eq(total.end, LOOP_END_DONE);
    ck_assert(total.given == 5 && total.generated == 0 && total.mutated == 0);
    ck_assert(total.last_feature_ms >= 0 && total.last_feature_ms <= total.elapsed_ms);
    ck_assert(total.last_finding_ms >= 0 && total.last_finding_ms <= total.elapsed_ms); /* what is new is decided behind what is wrong */
    ck_assert_int_eq(findings_told, 1);
    ck_assert_int_eq(confirmed_told, 1);
    ck_assert_int_eq(executions_told, 4);

    struct finding *found;
    size_t count;
    ck_assert_int_eq(store_findings(store, NULL, &f.arena, &found, &count, NULL), 0);
    ck_assert_uint_eq(count, 1);
    ck_assert_int_eq(found->state, FINDING_CONFIRMED);
    ck_assert_str_eq(
        found->text,
        "interface/encoding/binary-as-text/download: reply different where bytes were decoded as text");
    ck_assert(found->n_failed == 5 && found->n_run == 5 && found->times_seen == 2 && found->task_steps == 2);
    struct store_totals stored;
    ck_assert_int_eq(store_totals(store, &stored, NULL), 0);
    ck_assert(stored.executions == 5 && stored.passed == 3 && stored.skipped == 1);

    /* It shows again in fresh sessions, and not on a target without the fault. */
    int failed = 0, runs = 0;
    ck_assert_int_eq(
        loop_replay(f.target, tasks[1], found->signature, 2, &f.settings, NULL, &failed, &runs, &err), 0);
    ck_assert(failed == 2 && runs == 2);
    target_free(f.target);
    f.target = NULL;
    session_target_new(&f, "demo:none");
    ck_assert_int_eq(
        loop_replay(f.target, tasks[1], found->signature, 2, &f.settings, NULL, &failed, &runs, &err), 0);
    ck_assert(failed == 0 && runs == 2);
    for (size_t i = 0; i < 5; i++)
        task_free(tasks[i]);
}
END_TEST

static void *stop_soon(void *flag)
{
    clock_sleep_ms(700);
    atomic_store((atomic_int *)flag, 1);
    return NULL;
}

/* A step that waits for long does not hold up the end. */
START_TEST(stop_is_honoured)
{
    if (!possible)
        return;
    struct loop_progress total;
    struct error *err = NULL;
    atomic_int stop = 0;
    pthread_t thread;
    options = loop_for("exec:");
    struct task *tasks[] = {task_of("{\"id\":\"s1\",\"op\":\"run\",\"args\":{\"language\":\"sh\",\"script\":"
                                    "\"sleep 60\"},\"timeout_ms\":60000}"),
                            task_of("{\"id\":\"s1\",\"op\":\"idle\",\"args\":{\"ms\":60000}}")};
    options.tasks = tasks;
    options.task_count = 2;
    options.stop = &stop;
    ck_assert_int_eq(pthread_create(&thread, NULL, stop_soon, &stop), 0);
    int64_t start = clock_monotonic_ns();
    ck_assert_msg(loop_run(&options, &total, &err) == 0, "%s", err ? err->text : "");
    int64_t ms = (clock_monotonic_ns() - start) / 1000000;
    pthread_join(thread, NULL);
    ck_assert_msg(ms < 700 + 4000, "%lld ms", (long long)ms);
    ck_assert_int_eq(total.executions, 0);
    ck_assert_int_eq(total.findings, 0);
    ck_assert_int_eq(total.end, LOOP_END_STOP);
    ck_assert(total.last_feature_ms == -1 && total.last_finding_ms == -1 && total.given == 0);
    task_free(tasks[0]);
    task_free(tasks[1]);
}
END_TEST

/* So many executions and not one more, also with two workers. */
START_TEST(runs_are_counted)
{
    if (!possible)
        return;
    struct loop_progress total;
    struct error *err = NULL;
    options = loop_for("exec:");
    struct task *tasks[5];
    for (int i = 0; i < 5; i++)
        tasks[i] = task_of("{\"id\":\"s1\",\"op\":\"run\",\"args\":{\"argv\":[\"true\"]}}");
    options.tasks = tasks;
    options.task_count = 5;
    options.runs = 3;
    ck_assert_msg(loop_run(&options, &total, &err) == 0, "%s", err ? err->text : "");
    ck_assert_int_eq(total.executions, 3);
    ck_assert_int_eq(total.given, 3);
    ck_assert_int_eq(total.end, LOOP_END_RUNS);
    options.runs = 6;
    ck_assert_int_eq(loop_run(&options, &total, &err), 0);
    ck_assert_int_eq(total.executions, 5);
    ck_assert_int_eq(total.end, LOOP_END_DONE);
    for (int i = 0; i < 5; i++)
        task_free(tasks[i]);
}
END_TEST

/* What is new puts the end off; that nothing is brings it. */
START_TEST(ends_when_nothing_is_new)
{
    if (!possible)
        return;
    struct loop_progress total;
    struct error *err = NULL;
    options = loop_for("exec:");
    struct task *tasks[] = {task_of("{\"id\":\"s1\",\"op\":\"idle\",\"args\":{\"ms\":400}},"
                                    "{\"id\":\"s2\",\"op\":\"run\",\"args\":{\"argv\":[\"true\"]}}"),
                            task_of("{\"id\":\"s1\",\"op\":\"idle\",\"args\":{\"ms\":60000}}")};
    options.tasks = tasks;
    options.task_count = 2;
    options.workers = 1;
    options.stable_ms = 1500;
    options.time_ms = 30000;
    ck_assert_msg(loop_run(&options, &total, &err) == 0, "%s", err ? err->text : "");
    ck_assert_int_eq(total.executions, 1);
    ck_assert_int_eq(total.end, LOOP_END_STABLE);
    ck_assert_int_ge(total.last_feature_ms, 400);
    ck_assert_msg(total.elapsed_ms >= total.last_feature_ms + 1500, "%lld ms", (long long)total.elapsed_ms);
    task_free(tasks[0]);
    task_free(tasks[1]);
}
END_TEST

START_TEST(target_that_is_none)
{
    if (!possible)
        return;
    struct loop_progress total;
    struct error *err = NULL;
    options = loop_for("mcp:false");
    struct task *tasks[] = {task_of("{\"id\":\"s1\",\"op\":\"read\",\"args\":{\"path\":\"a\"}}")};
    options.tasks = tasks;
    options.task_count = 1;
    ck_assert_int_eq(loop_run(&options, &total, &err), ERR_TARGET);
    ck_assert(err && !strchr(err->text, '\n'));
    error_free(err);
    task_free(tasks[0]);
}
END_TEST

static void fill(TCase *tests)
{
    tcase_add_checked_fixture(tests, set_up, loop_tear_down);
    tcase_add_test(tests, given_tasks);
    tcase_add_test(tests, stop_is_honoured);
    tcase_add_test(tests, runs_are_counted);
    tcase_add_test(tests, ends_when_nothing_is_new);
    tcase_add_test(tests, target_that_is_none);
}

int main(void)
{
    return unit_main("loop", fill);
}
