/* The exec driver: everything a command can do to whoever waits for it, jobs in the background, budgets, and being stopped. */
#include <pthread.h>
#include <sys/resource.h>

#include "exec_case.h"

START_TEST(deadlines)
{
    if (!start_kind(_i))
        return;
    static const char *const stubborn[] = {
        "echo begun; sleep 65431",
        "trap '' TERM INT HUP; echo begun; while :; do sleep 65431; done",
        "echo begun; sleep 65431 & wait",
        "echo begun; while :; do :; done",
    };
    for (size_t i = 0; i < sizeof stubborn / sizeof *stubborn; i++) {
        struct json *args = fixture_json(&f, "{\"language\":\"sh\"}");
        json_set(&f.arena, args, "script", json_text(&f.arena, stubborn[i]));
        f.call = fixture_call(&f, "run", args);
        f.call.timeout_ms = 1000;
        int64_t before = fixture_ms();
        session_calls(f.session, (struct call *[]){&f.call}, 1);
        ck_assert_int_eq(f.call.outcome.class, OUTCOME_TIMEOUT);
        ASSERT_BYTES(result_bytes(&f, "stdout"), "begun\n");
        ASSERT_BYTES(f.call.outcome.message, "no end within 1000 ms");
        ck_assert(!f.call.outcome.has_exit && f.call.outcome.replies == 0);
        ck_assert_int_lt(fixture_ms() - before, 10000);
        ck_assert_int_ge(f.call.outcome.ns / 1000000, 1000);
    }
    ck_assert_int_eq(fixture_count("65431"), 0);
    ck_assert_str_eq(sh_out(&f, "echo still"), "still\n");
}
END_TEST

START_TEST(cancelling)
{
    if (!start_kind(_i))
        return;
    f.call = fixture_call(
        &f, "run", fixture_json(&f, "{\"language\":\"sh\",\"script\":\"echo begun; exec sleep 65432\"}"));
    f.call.cancel_after_ms = 900;
    int64_t before = fixture_ms();
    session_calls(f.session, (struct call *[]){&f.call}, 1);
    ck_assert_int_lt(fixture_ms() - before, 10000);
    ck_assert_int_eq(f.call.outcome.class, OUTCOME_OK);
    ck_assert_int_eq(f.call.outcome.exit, 137);
    ASSERT_BYTES(f.call.outcome.message, "cancelled after 900 ms");
    ASSERT_BYTES(result_bytes(&f, "stdout"), "begun\n");
    ck_assert_int_eq(fixture_count("65432"), 0);
}
END_TEST

/* A child in the background keeps the pipes: the call is over soon after its process, and the child is seen.
 */
START_TEST(children_that_stay)
{
    if (!start_kind(0))
        return;
    int64_t before = fixture_ms();
    const char *out = sh_out(
        &f, "(trap '' HUP; sleep 2; echo very late; sleep 0.2; echo later; exec sleep 65433) & echo now");
    ck_assert_str_eq(out, "now\n");
    ck_assert_int_lt(fixture_ms() - before, 1900);
    struct process_info info[4];
    ck_assert_uint_ge(session_processes(f.session, info, 4), 1);
    for (int i = 0;
         i < 200 && (session_processes(f.session, info, 4) != 1 || strcmp(info[0].name, "sleep") != 0); i++)
        clock_sleep_ms(50);
    ck_assert_str_eq(sh_out(&f, "echo next"), "next\n");
    ck_assert_uint_eq(session_processes(f.session, info, 4), 1); /* it could write: its pipe was not closed */
    ck_assert_str_eq(info[0].command, "sleep 65433");
    ck_assert_uint_eq(session_end(f.session, info, 4), 1);
    ck_assert_int_eq(do_call(&f, "run", "{\"argv\":[\"true\"]}"), OUTCOME_SKIPPED);
    session_close(f.session);
    f.session = NULL;
    ck_assert_int_eq(fixture_count("65433"), 0);
}
END_TEST

START_TEST(floods)
{
    struct rusage before, after;
    settings_set(&f.settings, "exec.max-reply", "1M", NULL);
    if (!start_kind(_i))
        return;
    getrusage(RUSAGE_SELF, &before);
    ASSERT_OK("run", "{\"language\":\"sh\",\"script\":\"head -c 536870912 /dev/zero; head -c 3000000 "
                     "/dev/zero >&2; echo end\"}");
    getrusage(RUSAGE_SELF, &after);
    ck_assert(f.call.outcome.truncated);
    ck_assert_uint_eq(f.call.outcome.bytes_out, 536870912 + 3000000 + 4);
    ck_assert_uint_eq(result_bytes(&f, "stdout").len, 1 << 20);
    ck_assert_uint_eq(result_bytes(&f, "stderr").len, 1 << 20);
    ck_assert_int_lt(after.ru_maxrss - before.ru_maxrss, 64 << 10);
    f.call = fixture_call(&f, "run", fixture_json(&f, "{\"argv\":[\"yes\"]}")); /* without end */
    f.call.timeout_ms = 500;
    session_calls(f.session, (struct call *[]){&f.call}, 1);
    ck_assert_int_eq(f.call.outcome.class, OUTCOME_TIMEOUT);
    ck_assert(f.call.outcome.truncated);
}
END_TEST

/* Many files, each within the limit: the session is stopped before the disk is full. */
START_TEST(disks_that_fill)
{
    settings_set(&f.settings, "budget.disk", "1M", NULL);
    if (!start_kind(_i))
        return;
    f.call = fixture_call(&f, "run",
                          fixture_json(&f, "{\"language\":\"sh\",\"script\":\"i=0; while [ $i -lt 200 ]; do "
                                           "head -c 1000000 /dev/zero > f$i; i=$((i+1)); done; sleep 20\"}"));
    int64_t before = fixture_ms();
    session_calls(f.session, (struct call *[]){&f.call}, 1);
    ck_assert_int_lt(fixture_ms() - before, 15000);
    ck_assert_int_eq(f.call.outcome.class, OUTCOME_HARNESS);
    ASSERT_BYTES(f.call.outcome.message, "the disk is filling up");
    char *base = xstrdup(f.session->base);
    session_close(f.session);
    f.session = NULL;
    ck_assert_int_eq(access(base, F_OK), -1);
    free(base);
}
END_TEST

START_TEST(jobs)
{
    if (!start_kind(_i))
        return;
    sh_out(&f, "mkfifo go");
    ASSERT_OK("start", "{\"language\":\"sh\",\"script\":\"echo one; read x < go; echo two; exit 5\"}");
    int64_t pid = result_integer(&f, "pid");
    ck_assert_int_gt(pid, 1);
    const char *job = arena_printf(&f.arena, "{\"pid\":%lld}", (long long)pid);
    for (int i = 0; i < 100; i++, clock_sleep_ms(20)) {
        ASSERT_OK("poll", job);
        if (result_bytes(&f, "stdout").len)
            break;
    }
    ASSERT_BYTES(result_bytes(&f, "stdout"), "one\n");
    ck_assert(json_as_bool(json_get(f.call.outcome.result, "running"), false));
    ck_assert_ptr_null(json_get(f.call.outcome.result, "exit"));
    ck_assert_int_eq(do_call(&f, "wait", arena_printf(&f.arena, "{\"pid\":%lld,\"ms\":100}", (long long)pid)),
                     OUTCOME_TOOL_ERROR);
    ck_assert_int_eq(f.call.outcome.code, ETIMEDOUT);
    ck_assert_uint_ge(session_processes(f.session, NULL, 0), 1);
    sh_out(&f, "echo x > go");
    ASSERT_OK("wait", job);
    ck_assert_int_eq(result_integer(&f, "exit"), 5);
    ASSERT_BYTES(result_bytes(&f, "stdout"), "one\ntwo\n");
    ASSERT_OK("poll", job);
    ck_assert(!json_as_bool(json_get(f.call.outcome.result, "running"), true));
    ck_assert_int_eq(result_integer(&f, "exit"), 5);
    ck_assert_int_eq(do_call(&f, "signal", job), OUTCOME_TOOL_ERROR);
    ck_assert_int_eq(f.call.outcome.code, ESRCH);
}
END_TEST

START_TEST(signals_to_jobs)
{
    if (!start_kind(_i))
        return;
    ASSERT_OK("start", "{\"argv\":[\"sleep\",\"65434\"]}");
    long long pid = (long long)result_integer(&f, "pid");
    ASSERT_OK("signal", arena_printf(&f.arena, "{\"pid\":%lld,\"signal\":\"STOP\"}", pid));
    ck_assert_int_eq(do_call(&f, "wait", arena_printf(&f.arena, "{\"pid\":%lld,\"ms\":100}", pid)),
                     OUTCOME_TOOL_ERROR);
    ASSERT_OK("signal", arena_printf(&f.arena, "{\"pid\":%lld,\"signal\":\"KILL\"}", pid));
    ASSERT_OK("wait", arena_printf(&f.arena, "{\"pid\":%lld}", pid));
    ck_assert_int_eq(result_integer(&f, "exit"), 137);
    ck_assert_int_eq(fixture_count("65434"), 0);
    static const char *const strangers[] = {"{\"pid\":1}", "{\"pid\":-1}", "{\"pid\":999999}",
                                            "{\"pid\":\"x\"}", "{}"};
    for (size_t i = 0; i < sizeof strangers / sizeof *strangers; i++) {
        ck_assert_int_eq(do_call(&f, "signal", strangers[i]), OUTCOME_TOOL_ERROR);
        ck_assert_int_eq(f.call.outcome.code, ESRCH);
        ck_assert_int_eq(do_call(&f, "poll", strangers[i]), OUTCOME_TOOL_ERROR);
    }
    ck_assert_int_eq(do_call(&f, "signal", arena_printf(&f.arena, "{\"pid\":%lld,\"signal\":\"SEGV\"}", pid)),
                     OUTCOME_SKIPPED);
    /* A job that nobody reads is not held up by it. */
    ASSERT_OK("start", "{\"language\":\"sh\",\"script\":\"head -c 500000 /dev/zero; touch written\"}");
    for (int i = 0; i < 200 && do_call(&f, "stat", "{\"path\":\"written\"}") != OUTCOME_OK; i++)
        clock_sleep_ms(20);
    ASSERT_OK("stat", "{\"path\":\"written\"}");
}
END_TEST

static atomic_int stop;

static void *stop_soon(void *unused)
{
    clock_sleep_ms(300);
    atomic_store(&stop, 1);
    return unused;
}

START_TEST(stopping)
{
    if (!start_kind(_i))
        return;
    struct call calls[2], *list[2] = {&calls[0], &calls[1]};
    calls[0] = fixture_call(&f, "run", fixture_json(&f, "{\"argv\":[\"sleep\",\"65436\"]}"));
    calls[1] = fixture_call(&f, "idle", fixture_json(&f, "{\"ms\":15000}"));
    pthread_t thread;
    atomic_store(&stop, 0);
    session_stop_with(f.session, &stop);
    int64_t before = fixture_ms();
    pthread_create(&thread, NULL, stop_soon, NULL);
    session_calls(f.session, list, 2);
    pthread_join(thread, NULL);
    ck_assert_int_lt(fixture_ms() - before, 10000);
    ck_assert_int_eq(calls[0].outcome.class, OUTCOME_HARNESS);
    ck_assert_int_eq(calls[1].outcome.class, OUTCOME_HARNESS);
    ASSERT_BYTES(calls[0].outcome.message, "interrupted");
}
END_TEST

START_TEST(budgets)
{
    settings_set(&f.settings, "budget.calls", "4", NULL);
    settings_set(&f.settings, "budget.bytes", "1000", NULL);
    settings_set(&f.settings, "budget.rate", "10", NULL);
    if (!start_kind(0))
        return;
    int64_t before = fixture_ms();
    ASSERT_OK("run", "{\"argv\":[\"true\"]}");
    ASSERT_OK("run", "{\"argv\":[\"true\"]}");
    ASSERT_OK("run", "{\"argv\":[\"true\"]}");
    ck_assert_int_ge(fixture_ms() - before, 200);
    char big[1100];
    memset(big, 'x', sizeof big - 1);
    big[sizeof big - 1] = '\0';
    ck_assert_int_eq(do_call(&f, "write", arena_printf(&f.arena, "{\"path\":\"a\",\"content\":\"%s\"}", big)),
                     OUTCOME_SKIPPED);
    ck_assert_str_eq(f.call.outcome.skip_reason, "budget.bytes is used up");
    ASSERT_OK("run", "{\"argv\":[\"true\"]}");
    ck_assert_int_eq(do_call(&f, "run", "{\"argv\":[\"true\"]}"), OUTCOME_SKIPPED);
    ck_assert_str_eq(f.call.outcome.skip_reason, "budget.calls is used up");
}
END_TEST

START_TEST(bombs)
{
    if (!start_kind(_i))
        return;
    f.call = fixture_call(
        &f, "run", fixture_json(&f, "{\"language\":\"bash\",\"script\":\"b() { b | b & }; b; sleep 1\"}"));
    f.call.timeout_ms = 3000;
    session_calls(f.session, (struct call *[]){&f.call}, 1);
    /* The agent shares the limit: what cannot be started now is our trouble, not the target's. */
    enum outcome_class class = do_call(&f, "run", "{\"argv\":[\"true\"]}");
    ck_assert(class == OUTCOME_OK || class == OUTCOME_HARNESS);
    int64_t before = fixture_ms();
    session_close(f.session);
    f.session = NULL;
    ck_assert_int_lt(fixture_ms() - before, 30000);
    ck_assert_int_eq(fixture_count("b | b & }"), 0);
}
END_TEST

static void fill(TCase *tests)
{
    tcase_add_checked_fixture(tests, set_up, tear_down);
    tcase_add_loop_test(tests, deadlines, 0, SPECS);
    tcase_add_loop_test(tests, cancelling, 0, SPECS);
    tcase_add_test(tests, children_that_stay);
    tcase_add_loop_test(tests, floods, 0, SPECS);
    tcase_add_loop_test(tests, disks_that_fill, 0, SPECS);
    tcase_add_loop_test(tests, jobs, 0, SPECS);
    tcase_add_loop_test(tests, signals_to_jobs, 0, SPECS);
    tcase_add_loop_test(tests, stopping, 0, SPECS);
    tcase_add_test(tests, budgets);
    tcase_add_loop_test(tests, bombs, 0, SPECS);
}

int main(void)
{
    return unit_main("exec_limits", fill);
}
