/* corpus/store: settings, runs, executions, features, the corpus, counters. */
#include "base/clock.h"
#include "corpus/store_internal.h"
#include "store_case.h"

#define A "00000000000000aa"
#define B "00000000000000bb"

START_TEST(settings_of_the_file)
{
    store_close(opened(STORE_WRITE));
    ck_assert_int_eq(outside("SELECT user_version FROM pragma_user_version"), STORE_SCHEMA);
    ck_assert_int_eq(outside("SELECT application_id FROM pragma_application_id"), 0x7467656e);
    ck_assert_int_eq(outside("SELECT journal_mode = 'wal' FROM pragma_journal_mode"), 1);
    ck_assert_int_eq(
        outside("SELECT count(*) FROM pragma_table_list WHERE schema = 'main' AND type = 'table' "
                "AND name NOT LIKE 'sqlite%' AND strict = 0"),
        0);
    /* Closed well, nothing lies beside it. */
    char beside[600];
    static const char *const endings[] = {"-lock", "-wal", "-shm"};
    for (int i = 0; i < 3; i++) {
        snprintf(beside, sizeof beside, "%s%s", db_path, endings[i]);
        ck_assert_msg(access(beside, F_OK) < 0, "%s is left", beside);
    }
}
END_TEST

START_TEST(run_is_kept_at_once)
{
    struct store *s = opened(STORE_WRITE);
    struct store_run run = {.verb = "run",
                            .command = "taskgen run 'a b'",
                            .target = "mcp:x",
                            .grammar = "g",
                            .seed = UINT64_MAX,
                            .settings = "{\"a\":1}"};
    int64_t id = 0;
    OK(store_run_begin(s, &run, &id, err));
    ck_assert_int_eq(
        outside("SELECT count(*) FROM run WHERE verb = 'run' AND command = 'taskgen run ''a b''' AND target "
                "= 'mcp:x' "
                "AND grammar = 'g' AND seed = -1 AND settings = '{\"a\":1}' AND begun_ms > 1600000000000 "
                "AND ended_ms IS NULL AND identity IS NULL"),
        1);
    OK(store_run_end(s, id, "thing 1.0", err));
    ck_assert_int_eq(
        outside("SELECT count(*) FROM run WHERE identity = 'thing 1.0' AND ended_ms >= begun_ms"), 1);
    ck_assert_int_eq(outside("SELECT count(*) FROM stat"), 1);
    store_close(s);
}
END_TEST

START_TEST(executions_and_features)
{
    static const uint64_t first[] = {0x0100000000000001, 0xff00000000000002, 0x0100000000000001, 0};
    static const uint64_t second[] = {0xff00000000000002, 0x0100000000000003};
    struct store *s = opened(STORE_WRITE);
    int64_t run = a_run(s, 1, "g");
    struct task *t = a_task(1, 0, 2), *u = a_task(1, 1, 1), *v = a_task(1, 2, 1);
    ck_assert_uint_eq(put(s, run, t, EXECUTION_PASSED, "[]", first, 4), 3);
    ck_assert_uint_eq(put(s, run, t, EXECUTION_PASSED, "[]", first, 4), 0);
    ck_assert_uint_eq(put(s, run, u, EXECUTION_FAILED, "[1]", second, 2), 1);
    ck_assert_uint_eq(put(s, run, v, EXECUTION_HARNESS, NULL, NULL, 0), 0);
    OK(store_flush(s, err));
    ck_assert_int_eq(outside("SELECT count(*) FROM exec"), 4);
    ck_assert_int_eq(outside("SELECT group_concat(times) = '2,1,1' FROM task"), 1);
    ck_assert_int_eq(outside("SELECT count FROM feature WHERE hash = 0x0100000000000001"), 2);
    ck_assert_int_eq(outside("SELECT count FROM feature WHERE hash = 0xff00000000000002"), 3);
    ck_assert_int_eq(outside("SELECT count FROM feature WHERE hash = 0"), 2);
    ck_assert_int_eq(outside("SELECT first_exec FROM feature WHERE hash = 0x0100000000000003"), 3);
    ck_assert_int_eq(outside("SELECT domain FROM feature WHERE hash = 0xff00000000000002"), 255);
    ck_assert_int_eq(outside("SELECT count(*) FROM corpus"), 2);
    ck_assert_int_eq(outside("SELECT count(*) FROM task_feature"), 3 + 2);
    ck_assert_int_eq(outside("SELECT count(*) FROM task WHERE json IS NOT NULL"), 2);
    ck_assert_int_eq(outside("SELECT count(*) FROM trace WHERE keep"), 2);
    struct store_totals totals;
    OK(store_totals(s, &totals, err));
    ck_assert_int_eq(totals.runs, 1);
    ck_assert_int_eq(totals.executions, 4);
    ck_assert_int_eq(totals.executed, 3);
    ck_assert_int_eq(totals.passed, 2);
    ck_assert_int_eq(totals.failed, 1);
    ck_assert_int_eq(totals.harness, 1);
    ck_assert_int_eq(totals.skipped, 0);
    ck_assert_int_eq(totals.tasks, 3);
    ck_assert_int_eq(totals.corpus, 2);
    ck_assert_int_eq(totals.features, 4);
    store_close(s);
    /* What was known stays known. */
    s = opened(STORE_WRITE);
    run = a_run(s, 1, "g");
    ck_assert_uint_eq(put(s, run, v, EXECUTION_PASSED, "[]", second, 2), 0);
    store_close(s);
    ck_assert_int_eq(outside("SELECT count FROM feature WHERE hash = 0xff00000000000002"), 4);
    expect_intact();
    task_free(t);
    task_free(u);
    task_free(v);
}
END_TEST

/* Many features, seen in a random order, against a plain count. */
START_TEST(feature_counts_are_exact)
{
    enum { KINDS = 5000, ROUNDS = 400, EACH = 60 };
    static int64_t seen[KINDS];
    memset(seen, 0, sizeof seen);
    struct rng rng;
    rng_seed(&rng, 5, 5);
    struct store *s = opened(STORE_WRITE);
    int64_t run = a_run(s, 1, "g"), wanted = 0;
    for (int round = 0; round < ROUNDS; round++) {
        uint64_t features[EACH];
        size_t fresh = 0;
        char mine[KINDS] = {0};
        for (int i = 0; i < EACH; i++) {
            uint64_t kind = rng_below(&rng, 1 + rng_below(&rng, KINDS));
            features[i] = kind << 40 | kind; /* the low bits are all that a table may see */
            if (!mine[kind]) {
                mine[kind] = 1;
                fresh += !seen[kind]++;
            }
        }
        wanted += (int64_t)fresh;
        struct task *t = a_task(1, (uint64_t)round, 1);
        ck_assert_uint_eq(put(s, run, t, EXECUTION_PASSED, "[]", features, EACH), fresh);
        task_free(t);
        if (round == ROUNDS / 2) {
            store_close(s);
            s = opened(STORE_WRITE);
        }
    }
    store_close(s);
    ck_assert_int_gt(wanted, 2000);
    ck_assert_int_eq(outside("SELECT count(*) FROM feature"), wanted);
    for (int kind = 0; kind < KINDS; kind += 37) {
        char sql[100];
        snprintf(sql, sizeof sql, "SELECT coalesce(max(count), 0) FROM feature WHERE hash = (%d << 40 | %d)",
                 kind, kind);
        ck_assert_int_eq(outside(sql), seen[kind]);
    }
}
END_TEST

/* How often a known feature was seen is written with a batch, but not with every one. */
START_TEST(counts_come_within_a_second)
{
    OK(settings_set(&settings, "loop.batch", "1", err));
    int64_t now = 1000000000000;
    clock_fake(&now);
    struct store *s = opened(STORE_WRITE);
    int64_t run = a_run(s, 1, "g");
    struct task *t = a_task(1, 0, 1);
    uint64_t feature = 5;
    put(s, run, t, EXECUTION_PASSED, NULL, &feature, 1);
    put(s, run, t, EXECUTION_PASSED, NULL, &feature, 1);
    ck_assert_int_eq(outside("SELECT count FROM feature"), 1);
    now += 1000000000;
    put(s, run, t, EXECUTION_PASSED, NULL, &feature, 1);
    ck_assert_int_eq(outside("SELECT count FROM feature"), 3);
    put(s, run, t, EXECUTION_PASSED, NULL, &feature, 1);
    OK(store_flush(s, err));
    ck_assert_int_eq(outside("SELECT count FROM feature"), 4);
    put(s, run, t, EXECUTION_PASSED, NULL, &feature, 1);
    store_close(s);
    ck_assert_int_eq(outside("SELECT count FROM feature"), 5);
    clock_fake(NULL);
    task_free(t);
}
END_TEST

START_TEST(steps_are_kept_within_bounds)
{
    OK(settings_set(&settings, "store.keep-failed", "1K", err));
    struct store *s = opened(STORE_WRITE);
    int64_t run = a_run(s, 1, "g");
    char steps[101];
    memset(steps, 'x', 100);
    steps[100] = 0;
    uint64_t one = 1;
    struct task *t = a_task(1, 0, 1);
    put(s, run, t, EXECUTION_FAILED, steps, &one, 1); /* 1: kept for good */
    put(s, run, t, EXECUTION_PASSED, steps, &one, 1); /* 2: not kept */
    for (int i = 3; i <= 25; i++) {
        put(s, run, t, EXECUTION_FAILED, steps, &one, 1);
        if (i == 20) { /* the sum is known after opening, too */
            store_close(s);
            s = opened(STORE_WRITE);
        }
    }
    OK(store_flush(s, err));
    ck_assert_int_eq(outside("SELECT count(*) FROM trace"), 1 + 10);
    ck_assert_int_eq(outside("SELECT keep FROM trace WHERE exec = 1"), 1);
    ck_assert_int_eq(outside("SELECT min(exec) FROM trace WHERE NOT keep"), 16);
    char big[4096];
    memset(big, 'y', sizeof big - 1);
    big[sizeof big - 1] = 0;
    put(s, run, t, EXECUTION_FAILED, big, &one, 1); /* more than all that may be kept */
    store_close(s);
    ck_assert_int_eq(outside("SELECT count(*) FROM trace"), 1);
    task_free(t);
}
END_TEST

static const char *made_steps(void *made)
{
    ++*(int *)made;
    return "[\"made\"]";
}

/* The record of steps is asked for only when it is kept. */
START_TEST(steps_are_made_when_they_are_kept)
{
    struct store *s = opened(STORE_WRITE);
    int made = 0;
    uint64_t one = 1;
    size_t fresh;
    struct task *t = a_task(1, 0, 1);
    struct store_execution e = {.run = a_run(s, 1, "g"),
                                .task = t,
                                .executed = true,
                                .outcome = EXECUTION_PASSED,
                                .make_steps = made_steps,
                                .make_user = &made,
                                .features = &one,
                                .feature_count = 1};
    OK(store_put_execution(s, &e, &fresh, err));
    ck_assert_int_eq(made, 1);
    OK(store_put_execution(s, &e, &fresh, err));
    ck_assert_int_eq(made, 1);
    e.outcome = EXECUTION_FAILED;
    OK(store_put_execution(s, &e, &fresh, err));
    ck_assert_int_eq(made, 2);
    store_close(s);
    ck_assert_int_eq(outside("SELECT count(*) FROM trace WHERE steps = '[\"made\"]'"), 2);
    task_free(t);
}
END_TEST

START_TEST(next_index)
{
    struct store *s = opened(STORE_WRITE);
    uint64_t next = 99;
    OK(store_next_index(s, 7, "g", "demo", &next, err));
    ck_assert_uint_eq(next, 0);
    int64_t run = a_run(s, 7, "g");
    static const uint64_t order[] = {0, 2, 1, 5, 3};
    for (int i = 0; i < 5; i++) {
        struct task *t = a_task(7, order[i], 1);
        put(s, run, t, EXECUTION_PASSED, NULL, NULL, 0);
        task_free(t);
    }
    /* A mutant and a task with another seed (it came from a file) do not count. */
    struct task *mutant = a_task(7, 100, 1), *foreign = a_task(8, 200, 1);
    size_t fresh;
    struct store_execution e = {.run = run, .task = mutant, .parent = foreign->id};
    OK(store_put_execution(s, &e, &fresh, err));
    put(s, run, foreign, EXECUTION_PASSED, NULL, NULL, 0);
    task_free(mutant);
    OK(store_next_index(s, 7, "g", "demo", &next, err));
    ck_assert_uint_eq(next, 6);
    OK(store_next_index(s, 7, "g", NULL, &next, err));
    ck_assert_uint_eq(next, 6);
    OK(store_next_index(s, 7, "h", "demo", &next, err));
    ck_assert_uint_eq(next, 0);
    OK(store_next_index(s, 8, "g", "demo", &next, err));
    ck_assert_uint_eq(next, 0);
    OK(store_next_index(s, 7, "g", "other", &next, err));
    ck_assert_uint_eq(next, 0);
    store_close(s);
    /* A later run goes on; large numbers are no less. */
    s = opened(STORE_WRITE);
    run = a_run(s, 7, "g");
    struct task *huge = a_task(7, UINT64_MAX, 1), *low = a_task(7, 3, 2);
    put(s, run, low, EXECUTION_PASSED, NULL, NULL, 0);
    OK(store_next_index(s, 7, "g", "demo", &next, err));
    ck_assert_uint_eq(next, 6);
    put(s, run, huge, EXECUTION_PASSED, NULL, NULL, 0);
    OK(store_next_index(s, 7, "g", "demo", &next, err));
    ck_assert(next == UINT64_MAX);
    task_free(huge);
    task_free(low);
    task_free(foreign);
    store_close(s);
    expect_intact();
}
END_TEST

/* The parent is stored first as a bare id, then it is executed itself. */
START_TEST(parents)
{
    struct store *s = opened(STORE_WRITE);
    int64_t run = a_run(s, 7, "g");
    struct task *parent = a_task(7, 0, 1), *child = a_task(7, 1, 2);
    struct store_totals totals;
    size_t fresh;
    struct store_execution e = {.run = run, .task = child, .parent = parent->id};
    OK(store_put_execution(s, &e, &fresh, err));
    OK(store_totals(s, &totals, err));
    ck_assert_int_eq(totals.tasks, 1);
    put(s, run, parent, EXECUTION_PASSED, NULL, NULL, 0);
    OK(store_put_execution(s, &e, &fresh, err));
    OK(store_totals(s, &totals, err));
    ck_assert_int_eq(totals.tasks, 2);
    store_close(s);
    ck_assert_int_eq(outside("SELECT count(*) FROM task"), 2);
    ck_assert_int_eq(
        outside(
            "SELECT count(*) FROM task c JOIN task p ON c.parent = p.id WHERE c.times = 2 AND p.times = 1 "
            "AND p.domain = 'filesystem' AND p.task_index = 0 AND p.parent IS NULL"),
        1);
    char sql[160];
    snprintf(sql, sizeof sql,
             "SELECT count(*) FROM task WHERE lower(hex(hash)) = '%s' AND parent IS NOT NULL", child->id);
    ck_assert_int_eq(outside(sql), 1);
    task_free(parent);
    task_free(child);
}
END_TEST

START_TEST(skips_and_counters)
{
    struct store *s = opened(STORE_WRITE);
    struct arena a;
    arena_init(&a);
    struct store_count *list = NULL;
    size_t count = 7, fresh;
    OK(store_skips(s, &a, &list, &count, err));
    ck_assert_uint_eq(count, 0);
    int64_t run = a_run(s, 1, "g");
    static const char *const reasons[] = {"run", "tab-open", "run", "link", NULL, "run", "tab-open"};
    for (size_t i = 0; i < 7; i++) {
        struct task *t = a_task(1, i, 1);
        struct store_execution e = {.run = run,
                                    .task = t,
                                    .outcome = reasons[i] ? EXECUTION_SKIPPED : EXECUTION_PASSED,
                                    .skip_reason = reasons[i] ? reasons[i] : "not skipped"};
        OK(store_put_execution(s, &e, &fresh, err));
        task_free(t);
    }
    OK(store_skips(s, &a, &list, &count, err));
    ck_assert_uint_eq(count, 3);
    ck_assert_str_eq(list[0].name, "run");
    ck_assert_int_eq(list[0].count, 3);
    ck_assert_str_eq(list[1].name, "tab-open");
    ck_assert_str_eq(list[2].name, "link");
    ck_assert_int_eq(list[2].count, 1);

    for (int i = 0; i < 40; i++) {
        char name[16];
        snprintf(name, sizeof name, "m%02d", i);
        OK(store_count(s, "mutator", name, 2, i % 2, 0, err));
        OK(store_count(s, "mutator", name, 1, 1, 0, err));
    }
    OK(store_count(s, "domain", "m00", 9, 9, 0, err));
    struct store_yield *yields;
    OK(store_count(s, "mutator", "m00", 0, 0, 7, err));
    OK(store_yields(s, "mutator", &a, &yields, &count, err));
    ck_assert_uint_eq(count, 40);
    for (size_t i = 0; i < 40; i++) {
        ck_assert_int_eq(yields[i].tried, 3);
        ck_assert_int_eq(yields[i].won, 1 + (int64_t)i % 2);
        ck_assert_int_eq(yields[i].ns, i ? 0 : 7);
    }
    ck_assert_str_eq(yields[39].name, "m39");
    OK(store_yields(s, "none", &a, &yields, &count, err));
    ck_assert_uint_eq(count, 0);
    arena_release(&a);
    store_close(s);
}
END_TEST

START_TEST(bad_ids_cost_nothing)
{
    static const char *const ids[] = {"", "0", "zz000000000000000000000000000000",
                                      "000000000000000000000000000000000"};
    OK(settings_set(&settings, "loop.batch-ms", "1h", err));
    struct store *s = opened(STORE_WRITE);
    int64_t run = a_run(s, 1, "g");
    struct task *t = a_task(1, 1, 1);
    size_t fresh;
    put(s, run, t, EXECUTION_PASSED, NULL, NULL, 0);
    for (int i = 0; i < 3; i++) {
        struct task *bad = task_copy(t);
        snprintf(bad->id, sizeof bad->id, "%s", ids[i]);
        struct store_execution e = {.run = run, .task = bad};
        FAILS(ERR_INPUT, "expected 32 hex digits", store_put_execution(s, &e, &fresh, err));
        task_free(bad);
    }
    for (int i = 0; i < 4; i++) {
        struct store_execution e = {.run = run, .task = t, .parent = ids[i]};
        FAILS(ERR_INPUT, "expected 32 hex digits", store_put_execution(s, &e, &fresh, err));
    }
    struct finding f = a_finding("00000000000000AA");
    bool grew;
    FAILS(ERR_INPUT, "expected 16 hex digits", store_put_finding(s, run, &f, &grew, err));
    enum finding_state state;
    FAILS(ERR_INPUT, "has no finding " B, store_retested(s, B, 1, 1, &state, err));
    store_close(s);
    ck_assert_int_eq(outside("SELECT count(*) FROM exec"),
                     1); /* the one of the batch that was open all the time */
    task_free(t);
}
END_TEST

static void fill(TCase *tests)
{
    tcase_add_checked_fixture(tests, store_set_up, store_tear_down);
    tcase_add_test(tests, settings_of_the_file);
    tcase_add_test(tests, run_is_kept_at_once);
    tcase_add_test(tests, executions_and_features);
    tcase_add_test(tests, feature_counts_are_exact);
    tcase_add_test(tests, counts_come_within_a_second);
    tcase_add_test(tests, steps_are_kept_within_bounds);
    tcase_add_test(tests, steps_are_made_when_they_are_kept);
    tcase_add_test(tests, next_index);
    tcase_add_test(tests, parents);
    tcase_add_test(tests, skips_and_counters);
    tcase_add_test(tests, bad_ids_cost_nothing);
}

int main(void)
{
    return unit_main("store", fill);
}
