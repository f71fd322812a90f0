/* The loop on a target in this process, as bench/loop runs it: the whole way of a task, with nothing that is started. What is stored
 * is what was counted, nothing is found on a target without a fault, and a fault is found. */
#include <errno.h>
#include <stdio.h>

#include "../../bench/loop/echo.h"
#include "base/fs.h"
#include "exec/loop.h"
#include "unit.h"

static struct settings settings;
static struct ops *ops;
static struct domain *domain;
static const struct domain *domains[1];
static struct generate_options generate;
static struct target *target;
static struct store *store;
static char *directory;

static void set_up(void)
{
    struct error *err = NULL;
    char file[4200];
    settings_defaults(&settings);
    settings_set(&settings, "loop.mutate-ramp", "0", NULL);
    ck_assert_int_eq(ops_load(TASKGEN_SOURCE_DIR "/domains/ops.xml", &ops, &err), 0);
    int status = domain_load(TASKGEN_SOURCE_DIR "/bench/loop/echo.xml", ops, generate_recipes(), &domain, &err);
    ck_assert_msg(status == 0, "%s", err ? err->text : "");
    domains[0] = domain;
    generate = (struct generate_options){.domains = domains, .domain_count = 1, .settings = &settings};
    ck_assert_int_eq(echo_target_new(&settings, ops, 0, &target, &err), 0);
    directory = fs_fresh_dir("test-loop-echo", NULL);
    snprintf(file, sizeof file, "%s/t.db", directory);
    ck_assert_int_eq(store_open(file, STORE_WRITE, &settings, &store, &err), 0);
}

static void tear_down(void)
{
    store_close(store);
    target_free(target);
    domain_free(domain);
    ops_free(ops);
    ck_assert_int_eq(fs_remove_tree(directory, NULL), 0);
    free(directory);
}

/* What is read lacks its last byte. */
static void cut_reads(struct session *s, struct call *const *calls, size_t count)
{
    driver_echo.calls(s, calls, count);
    for (size_t i = 0; i < count; i++) {
        struct json *content = json_get(calls[i]->outcome.result, "content");
        if (content && content->text.len)
            calls[i]->outcome.raw = content->text = bytes_slice(content->text, 0, content->text.len - 1);
    }
}

static struct loop_progress run_loop(bool feed_back, double mutate, int64_t count)
{
    struct error *err = NULL;
    struct loop_progress total;
    struct store_run run = {.verb = "fuzz", .command = "test", .target = "echo", .grammar = "", .settings = "{}"};
    struct loop_options o = {.target = target,
                             .store = store,
                             .generate = &generate,
                             .settings = &settings,
                             .ops = ops,
                             .seed = 3,
                             .count = count,
                             .mutate = mutate,
                             .feed_back = feed_back,
                             .confirm = true,
                             .shrink = true,
                             .workers = 2};
    ck_assert_int_eq(store_run_begin(store, &run, &o.run, &err), 0);
    ck_assert_msg(loop_run(&o, &total, &err) == 0, "%s", err ? err->text : "");
    return total;
}

START_TEST(calm_tasks_pass)
{
    struct loop_progress total = run_loop(false, 0, 60);
    ck_assert_int_eq(total.executions, 60);
    ck_assert_int_eq(total.executed, 60);
    ck_assert_int_eq(total.passed, 60);
    ck_assert_int_eq(total.calls, 5 * 60);
    ck_assert_int_eq(total.findings, 0);
    ck_assert(total.features > 0 && total.corpus > 0);
    ck_assert_str_eq(target_identity(target), "echo, in this process");
}
END_TEST

START_TEST(mutants_too_and_all_is_stored)
{
    struct loop_progress total = run_loop(true, 1, 300);
    struct store_totals stored;
    ck_assert_int_eq(total.executions, 300);
    ck_assert_int_eq(total.harness, 0);
    ck_assert_int_eq(total.findings, 0);
    ck_assert_int_eq(store_totals(store, &stored, NULL), 0);
    ck_assert_int_eq(stored.executions, 300 + total.trimmed);
    ck_assert_int_ge(stored.passed, total.passed);
    ck_assert_int_le(stored.passed, total.passed + total.trimmed);
    ck_assert_int_eq(stored.corpus, total.corpus);
    ck_assert_int_eq(stored.findings, 0);
}
END_TEST

START_TEST(a_fault_is_found)
{
    struct driver faulty = driver_echo;
    struct target_options o = {.spec = "echo", .driver = &faulty, .settings = &settings, .ops = ops};
    faulty.calls = cut_reads;
    target_free(target);
    ck_assert_int_eq(target_new(&o, &target, NULL), 0);
    struct loop_progress total = run_loop(false, 0, 20);
    ck_assert(total.failed > 0);
    ck_assert(total.confirmed > 0);
    struct store_totals stored;
    ck_assert_int_eq(store_totals(store, &stored, NULL), 0);
    ck_assert_int_eq(stored.confirmed, total.confirmed);
}
END_TEST

/* Wherever in the calls of ours the budget ends, that is no silence of the target's: of a refused step, and at the end. */
START_TEST(used_up_budget_is_no_silence)
{
    static const char text[] = "{\"format\":\"taskgen/task/1\",\"instruction\":\"t\",\"steps\":["
                               "{\"id\":\"s1\",\"op\":\"read\",\"args\":{\"path\":\"nowhere\"}}]}";
    struct arena a;
    struct task *task;
    int wrote_only = 0;
    arena_init(&a);
    ck_assert_int_eq(task_read(ops, bytes_of_string(text), "test", &task, NULL), 0);
    for (int calls = 1; calls < 10; calls++) {
        struct execution e;
        struct verdicts verdicts = {.arena = &a};
        settings_set(&settings, "budget.calls", arena_printf(&a, "%d", calls), NULL);
        ck_assert_int_eq(runner_execute(target, task, &a, NULL, &e, NULL), 0);
        ck_assert_msg(!e.control.made || e.control.answered, "%d calls: %s", calls, e.control.what);
        wrote_only += e.control.made && !strcmp(e.control.op, "write");
        oracle_judge(&e, &verdicts);
        ck_assert_uint_eq(verdicts.count, 0);
    }
    ck_assert_int_gt(wrote_only, 0);
    task_free(task);
    arena_release(&a);
}
END_TEST

static struct outcome call_with(struct session *s, struct arena *a, const char *op, const char *path, const char *content)
{
    struct call call = {
        .op = ops_find(ops, op), .args = json_new(a, JSON_OBJECT), .timeout_ms = 1000, .cancel_after_ms = -1, .arena = a};
    json_set(a, call.args, "path", json_text(a, path));
    if (content)
        json_set(a, call.args, "content", json_text(a, content));
    session_calls(s, (struct call *[]){&call}, 1);
    return call.outcome;
}

static bool reads(struct session *s, struct arena *a, const char *path, const char *content)
{
    struct outcome o = call_with(s, a, "read", path, NULL);
    return o.class == OUTCOME_OK && bytes_equal_string(json_as_text(json_get(o.result, "content")), content);
}

/* A session in this process is one: opened again it has its files, one beside it has them too, the next has none. */
START_TEST(sessions_in_process)
{
    struct session *s, *beside;
    struct arena a;
    struct error *err = NULL;
    struct process_info left;
    arena_init(&a);
    ck_assert_int_eq(session_open(target, &s, &err), 0);
    ck_assert(session_alive(s));
    ck_assert(!session_root_visible(s));
    ck_assert(session_supports(s, "write:bytes") && !session_supports(s, "run:sh") && !session_supports(s, "stage"));
    ck_assert_int_eq(call_with(s, &a, "write", "./a", "one").class, OUTCOME_OK);
    ck_assert_int_eq(call_with(s, &a, "append", "b/../a", " two").class, OUTCOME_OK);
    ck_assert(reads(s, &a, "a", "one two"));
    ck_assert_int_eq(call_with(s, &a, "read", "b", NULL).code, ENOENT);
    ck_assert_int_eq(call_with(s, &a, "read", "../a", NULL).code, EACCES);
    ck_assert_int_eq(call_with(s, &a, "write", "a/b", "").code, ENOTDIR);
    ck_assert_int_eq(call_with(s, &a, "run", "a", NULL).class, OUTCOME_SKIPPED);
    ck_assert_int_eq(session_reopen(s, &err), 0);
    ck_assert(reads(s, &a, "a", "one two"));
    ck_assert_int_eq(session_open_beside(s, &beside, &err), 0);
    ck_assert(reads(beside, &a, "a", "one two"));
    session_close(beside);
    ck_assert_uint_eq(session_end(s, &left, 1), 0);
    ck_assert(!session_alive(s));
    session_close(s);
    ck_assert_int_eq(session_open(target, &s, &err), 0);
    ck_assert_int_eq(call_with(s, &a, "read", "a", NULL).code, ENOENT);
    session_close(s);
    arena_release(&a);
}
END_TEST

static void fill(TCase *tests)
{
    tcase_add_checked_fixture(tests, set_up, tear_down);
    tcase_set_timeout(tests, 60);
    tcase_add_test(tests, calm_tasks_pass);
    tcase_add_test(tests, mutants_too_and_all_is_stored);
    tcase_add_test(tests, a_fault_is_found);
    tcase_add_test(tests, used_up_budget_is_no_silence);
    tcase_add_test(tests, sessions_in_process);
}

int main(void)
{
    return unit_main("loop_echo", fill);
}
