/* corpus/store: runs, executions, the corpus, findings, counters, batches, readers, threads. */
#include <pthread.h>
#include <sys/stat.h>

#include "base/clock.h"
#include "corpus/store_internal.h"
#include "store_case.h"

#define A "00000000000000aa"
#define B "00000000000000bb"

/* ---- runs and executions ---- */

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
        OK(store_count(s, "mutator", name, 2, i % 2, err));
        OK(store_count(s, "mutator", name, 1, 1, err));
    }
    OK(store_count(s, "domain", "m00", 9, 9, err));
    OK(store_counts(s, "mutator", &a, &list, &count, err));
    ck_assert_uint_eq(count, 80);
    for (size_t i = 0; i < 40; i++) {
        ck_assert_str_eq(list[2 * i].name, list[2 * i + 1].name);
        ck_assert_int_eq(list[2 * i].count, 3);
        ck_assert_int_eq(list[2 * i + 1].count, 1 + (int64_t)i % 2);
    }
    OK(store_counts(s, "none", &a, &list, &count, err));
    ck_assert_uint_eq(count, 0);
    arena_release(&a);
    store_close(s);
}
END_TEST

START_TEST(picks)
{
    struct store *s = opened(STORE_WRITE);
    struct arena a;
    arena_init(&a);
    struct rng rng;
    rng_seed(&rng, 1, 1);
    struct bytes text = BYTES_NONE;
    FAILS(ERR_LIMIT, "is empty", store_pick(s, &rng, &a, &text, err));
    int64_t run = a_run(s, 1, "g");
    enum { MEMBERS = 8 };
    struct task *tasks[MEMBERS];
    int times[MEMBERS] = {0};
    for (uint64_t i = 0; i < MEMBERS; i++) {
        uint64_t feature = i + 1;
        tasks[i] = a_task(1, i, 1);
        put(s, run, tasks[i], EXECUTION_PASSED, NULL, &feature, 1);
    }
    for (int i = 0; i < 400; i++) {
        OK(store_pick(s, &rng, &a, &text, err));
        struct task *t = NULL;
        OK(task_read(ops, text, "pick", &t, err));
        int which = 0;
        while (which < MEMBERS && strcmp(tasks[which]->id, t->id) != 0)
            which++;
        ck_assert_int_lt(which, MEMBERS);
        ck_assert_uint_eq(t->index, (uint64_t)which);
        times[which]++;
        task_free(t);
    }
    for (int i = 0; i < MEMBERS; i++) {
        ck_assert_int_gt(times[i], 20);
        task_free(tasks[i]);
    }
    /* Of two the quicker one: the slowest is taken only when it is drawn twice, 6 of 400 times. */
    OK(store_flush(s, err));
    outside_do("UPDATE exec SET ns = 1000000000 WHERE id = (SELECT exec FROM corpus WHERE number = 3)");
    int slow = 0;
    for (int i = 0; i < 400; i++) {
        OK(store_pick(s, &rng, &a, &text, err));
        slow += bytes_find(text, BYTES_LITERAL("Do 2 of 1."), 0) > 0;
    }
    ck_assert_int_gt(slow, 0);
    ck_assert_int_lt(slow, 20);
    /* A gap, which somebody made by hand, is stepped over. */
    outside_do("DELETE FROM corpus WHERE number < 8");
    for (int i = 0; i < 20; i++) {
        OK(store_pick(s, &rng, &a, &text, err));
        ck_assert(bytes_find(text, BYTES_LITERAL("Do 7 of 1."), 0) > 0);
    }
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

/* ---- findings ---- */

static struct finding only(struct store *s, struct arena *a, const char *prefix)
{
    struct finding *list = NULL;
    size_t count = 0;
    OK(store_findings(s, prefix, a, &list, &count, err));
    ck_assert_uint_eq(count, 1);
    return list[0];
}

START_TEST(finding_round_trip)
{
    struct store *s = opened(STORE_WRITE);
    struct arena a;
    arena_init(&a);
    int64_t run = a_run(s, 1, "g");
    struct finding f = a_finding(A);
    f.state = FINDING_FLAKY;
    f.n_failed = 2;
    f.n_run = 5;
    f.times_seen = 4;
    f.first_ms = 1000;
    f.last_ms = 2000;
    f.client_illegal = f.suppressed = true;
    f.evidence = "na\xc3\xafve \xff\xfe 'quoted' \"and\" \x01 %s\nline";
    bool grew = false;
    OK(store_put_finding(s, run, &f, &grew, err));
    ck_assert(grew);
    struct finding g = only(s, &a, NULL);
    ck_assert_str_eq(g.signature, f.signature);
    ck_assert_str_eq(g.text, f.text);
    ck_assert_str_eq(g.layer, f.layer);
    ck_assert_str_eq(g.primitive, f.primitive);
    ck_assert_str_eq(g.check, f.check);
    ck_assert_str_eq(g.op, f.op);
    ck_assert_str_eq(g.detail, f.detail);
    ck_assert_str_eq(g.title, f.title);
    ck_assert_str_eq(g.evidence, f.evidence);
    ck_assert_str_eq(g.target, f.target);
    ck_assert_str_eq(g.identity, f.identity);
    ck_assert_int_eq(g.state, FINDING_FLAKY);
    ck_assert_int_eq(g.n_failed, 2);
    ck_assert_int_eq(g.n_run, 5);
    ck_assert_int_eq(g.times_seen, 4);
    ck_assert_int_eq(g.first_ms, 1000);
    ck_assert_int_eq(g.last_ms, 2000);
    ck_assert_str_eq(g.task, f.task);
    ck_assert_int_eq(g.task_steps, 3);
    ck_assert(g.client_illegal && g.suppressed);
    /* NULL strings are empty ones, no times are now, no run is none. */
    struct finding none = {.times_seen = 1};
    memcpy(none.signature, B, 17);
    OK(store_put_finding(s, 0, &none, &grew, err));
    OK(store_put_finding(s, 0, &none, &grew, err));
    g = only(s, &a, "00000000000000b");
    ck_assert_str_eq(g.text, "");
    ck_assert_str_eq(g.task, "");
    ck_assert_int_gt(g.first_ms, 1600000000000);
    ck_assert_int_eq(outside("SELECT count(*) FROM sighting"), 1);
    arena_release(&a);
    store_close(s);
    expect_intact();
}
END_TEST

START_TEST(finding_seen_again)
{
    struct store *s = opened(STORE_WRITE);
    struct arena a;
    arena_init(&a);
    int64_t run = a_run(s, 1, "g"), run2 = a_run(s, 2, "g");
    bool grew = false, known = true;
    enum finding_state state = FINDING_FIXED;
    OK(store_find(s, A, &known, &state, err));
    ck_assert(!known);
    struct finding f = a_finding(A);
    f.client_illegal = true;
    OK(store_put_finding(s, run, &f, &grew, err));
    ck_assert(grew);
    OK(store_find(s, A, &known, &state, err));
    ck_assert(known && state == FINDING_NEW);
    /* A settled state replaces, and counts no sighting when told so. */
    f.state = FINDING_CONFIRMED;
    f.n_failed = 4;
    f.n_run = 5;
    f.times_seen = 0;
    OK(store_put_finding(s, run, &f, &grew, err));
    ck_assert(!grew);
    /* New leaves state and rates, adds up; a larger task does not replace, unless it is the first lawful one. */
    struct finding again = a_finding(A);
    again.task_steps = 4;
    again.client_illegal = true;
    again.task = "{}";
    again.title = "of the larger task";
    again.n_failed = again.n_run = 1;
    again.times_seen = 3;
    OK(store_put_finding(s, run2, &again, &grew, err));
    ck_assert(!grew);
    struct finding g = only(s, &a, A);
    ck_assert_int_eq(g.state, FINDING_CONFIRMED);
    ck_assert_int_eq(g.n_failed, 4);
    ck_assert_int_eq(g.n_run, 5);
    ck_assert_int_eq(g.times_seen, 4);
    ck_assert_str_eq(g.task, "{\"t\":1}");
    ck_assert_str_eq(g.title, "It escapes");
    ck_assert(g.client_illegal);
    again.client_illegal = false;
    OK(store_put_finding(s, run2, &again, &grew, err));
    g = only(s, &a, A);
    ck_assert(!g.client_illegal); /* it shows without the client's fault, too */
    ck_assert_str_eq(g.title, "of the larger task");
    again.client_illegal = true; /* and is not given up for a smaller one of that kind */
    again.task_steps = 1;
    OK(store_put_finding(s, run2, &again, &grew, err));
    ck_assert_str_eq(only(s, &a, A).task, "{}");
    again.client_illegal = false;
    /* Same steps, fewer bytes; then fewer steps, more bytes; then the same once more. */
    again.task_steps = 3;
    OK(store_put_finding(s, run2, &again, &grew, err));
    ck_assert_str_eq(only(s, &a, A).task, "{}");
    ck_assert_str_eq(only(s, &a, A).title, "of the larger task");
    again.task_steps = 2;
    again.task = "{\"longer\":true}";
    again.target = "other";
    OK(store_put_finding(s, run2, &again, &grew, err));
    again.task = "{\"longer\":null}";
    OK(store_put_finding(s, run2, &again, &grew, err));
    again.task = "";
    again.task_steps = 0; /* no task is no smaller task */
    OK(store_put_finding(s, run2, &again, &grew, err));
    g = only(s, &a, A);
    ck_assert_str_eq(g.task, "{\"longer\":true}");
    ck_assert_int_eq(g.task_steps, 2);
    ck_assert_str_eq(g.target, "other");
    ck_assert_int_eq(outside("SELECT times FROM sighting WHERE run = 2"), 21);
    ck_assert_int_eq(outside("SELECT times FROM sighting WHERE run = 1"), 1);
    arena_release(&a);
    store_close(s);
}
END_TEST

/* Nothing is waited for: what is pending goes with it. */
/* A task that was made smaller stays until one with fewer steps comes. */
START_TEST(finding_made_smaller)
{
    struct store *s = opened(STORE_WRITE);
    struct arena a;
    bool grew;
    arena_init(&a);
    struct finding f = a_finding(A);
    f.task = "{\"long\":\"long\"}";
    f.task_steps = 5;
    f.client_illegal = true;
    OK(store_put_finding(s, 0, &f, &grew, err));
    ck_assert_int_eq(only(s, &a, A).shrunk, SHRUNK_NOT);
    struct finding smaller = f;
    smaller.task = "{\"clearer, if longer\":\"because that is so\"}";
    smaller.title = "another title";
    smaller.client_illegal = false;
    OK(store_put_shrunk(s, &smaller, SHRUNK_PART, err));
    struct finding g = only(s, &a, A);
    ck_assert_str_eq(g.task, smaller.task);
    ck_assert_str_eq(g.title, "another title");
    ck_assert(g.shrunk == SHRUNK_PART && !g.client_illegal && g.times_seen == f.times_seen && g.last_ms >= f.last_ms);
    smaller.task = NULL;
    OK(store_put_shrunk(s, &smaller, SHRUNK_WHOLE, err));
    OK(store_put_finding(s, 0, &f, &grew, err)); /* fewer bytes only */
    g = only(s, &a, A);
    ck_assert(g.shrunk == SHRUNK_WHOLE && strcmp(g.task, f.task) != 0);
    f.task_steps = 4;
    f.client_illegal = false;
    OK(store_put_finding(s, 0, &f, &grew, err));
    g = only(s, &a, A);
    ck_assert(g.shrunk == SHRUNK_NOT && strcmp(g.task, f.task) == 0);
    FAILS(ERR_INPUT, "has no finding " B, (memcpy(smaller.signature, B, 17), store_put_shrunk(s, &smaller, SHRUNK_PART, err)));
    store_close(s);
    arena_release(&a);
}
END_TEST

/* Two findings that other rules make one: what was seen adds up, the worse state and the smaller task stay, and every name that
 * ever found one of them still does. */
START_TEST(finding_renamed)
{
    static const char C[] = "00000000000000cc", D[] = "00000000000000dd";
    struct store *s = opened(STORE_WRITE);
    int64_t run = a_run(s, 1, "g");
    struct arena a;
    bool grew, merged;
    arena_init(&a);
    struct finding f = a_finding(A), g = a_finding(B);
    f.task = "{\"a\":1}";
    f.task_steps = 2;
    f.times_seen = 3;
    f.state = FINDING_FLAKY;
    f.n_failed = 1;
    f.client_illegal = false;
    f.raw = "as it was said";
    f.title = "of the smaller one";
    g.task = "{\"b\":1}";
    g.task_steps = 9;
    g.times_seen = 4;
    g.state = FINDING_CONFIRMED;
    g.n_failed = 5;
    g.client_illegal = true;
    OK(store_put_finding(s, run, &f, &grew, err));
    OK(store_put_finding(s, run, &g, &grew, err));

    struct finding to = f;
    memcpy(to.signature, C, 17);
    to.text = "l/p/c/o: new";
    to.detail = "new";
    OK(store_rename(s, A, &to, &merged, err));
    ck_assert(!merged);
    struct finding h = only(s, &a, A);
    ck_assert_str_eq(h.signature, C);
    ck_assert_str_eq(h.text, "l/p/c/o: new");
    ck_assert_str_eq(h.detail, "new");
    ck_assert_str_eq(h.raw, "as it was said");
    ck_assert(h.state == FINDING_FLAKY && h.times_seen == 3);
    ck_assert_str_eq(only(s, &a, C).signature, C);

    memcpy(to.signature, B, 17);
    OK(store_rename(s, C, &to, &merged, err));
    ck_assert(merged);
    static const char *const names[] = {A, B, C, "00000000000000c"};
    for (int i = 0; i < 4; i++) {
        h = only(s, &a, names[i]);
        ck_assert_str_eq(h.signature, B);
    }
    ck_assert(h.state == FINDING_CONFIRMED && h.n_failed == 5 && h.times_seen == 7 && h.task_steps == 2 && !h.client_illegal);
    ck_assert_str_eq(h.title, "of the smaller one");
    ck_assert_int_eq(outside("SELECT sum(times) FROM sighting"), 7);
    const char **aliases;
    size_t count;
    OK(store_aliases(s, B, &a, &aliases, &count, err));
    ck_assert_uint_eq(count, 2);
    ck_assert_str_eq(aliases[0], A);
    ck_assert_str_eq(aliases[1], C);

    /* Back at a name it had. */
    memcpy(to.signature, A, 17);
    OK(store_rename(s, B, &to, &merged, err));
    ck_assert(!merged);
    OK(store_aliases(s, A, &a, &aliases, &count, err));
    ck_assert_uint_eq(count, 2);
    ck_assert_str_eq(only(s, &a, B).signature, A);
    FAILS(ERR_INPUT, "has no finding 00000000000000dd", store_rename(s, D, &to, &merged, err));
    store_close(s);
    expect_intact();
    arena_release(&a);
}
END_TEST

START_TEST(finding_is_committed_at_once)
{
    OK(settings_set(&settings, "loop.batch-ms", "1h", err));
    struct store *s = opened(STORE_WRITE);
    int64_t run = a_run(s, 1, "g");
    struct task *t = a_task(1, 0, 1);
    bool grew;
    put(s, run, t, EXECUTION_FAILED, NULL, NULL, 0);
    ck_assert_int_eq(outside("SELECT count(*) FROM exec"), 0);
    struct finding f = a_finding(A);
    OK(store_put_finding(s, run, &f, &grew, err));
    ck_assert_int_eq(outside("SELECT count(*) FROM exec"), 1);
    ck_assert_int_eq(outside("SELECT count(*) FROM finding"), 1);
    enum finding_state state;
    OK(store_retested(s, A, 3, 5, &state, err));
    ck_assert_int_eq(outside("SELECT state = 'confirmed' FROM finding"), 1);
    task_free(t);
    store_close(s);
}
END_TEST

static const struct {
    enum finding_state old;
    int n_failed, n_run;
    enum finding_state wanted;
} retests[] = {
    {FINDING_CONFIRMED, 0, 5, FINDING_FIXED},
    {FINDING_CONFIRMED, 0, 1, FINDING_CONFIRMED},
    {FINDING_CONFIRMED, 0, 4, FINDING_CONFIRMED},
    {FINDING_CONFIRMED, 5, 5, FINDING_CONFIRMED},
    {FINDING_REGRESSED, 0, 4, FINDING_REGRESSED},
    {FINDING_CONFIRMED, 1, 5, FINDING_CONFIRMED},
    {FINDING_CONFIRMED, 0, 0, FINDING_CONFIRMED},
    {FINDING_FIXED, 0, 5, FINDING_FIXED},
    {FINDING_FIXED, 1, 5, FINDING_REGRESSED},
    {FINDING_FIXED, 0, 0, FINDING_FIXED},
    {FINDING_REGRESSED, 0, 5, FINDING_FIXED},
    {FINDING_REGRESSED, 5, 5, FINDING_REGRESSED},
    {FINDING_NEW, 3, 5, FINDING_CONFIRMED},
    {FINDING_NEW, 2, 5, FINDING_FLAKY},
    {FINDING_NEW, 0, 5, FINDING_UNCONFIRMED},
    {FINDING_NEW, 1, 1, FINDING_NEW},
    {FINDING_NEW, 0, 1, FINDING_NEW},
    {FINDING_NEW, 3, 3, FINDING_CONFIRMED},
    {FINDING_UNCONFIRMED, 5, 5, FINDING_CONFIRMED},
    {FINDING_UNCONFIRMED, 1, 5, FINDING_FLAKY},
    {FINDING_UNCONFIRMED, 0, 5, FINDING_UNCONFIRMED},
    {FINDING_FLAKY, 0, 5, FINDING_FLAKY},
    {FINDING_FLAKY, 4, 5, FINDING_CONFIRMED},
    {FINDING_FLAKY, 1, 5, FINDING_FLAKY},
};

START_TEST(retested)
{
    struct store *s = opened(STORE_WRITE);
    struct arena a;
    arena_init(&a);
    int64_t run = a_run(s, 1, "g");
    for (unsigned i = 0; i < sizeof retests / sizeof *retests; i++) {
        char signature[17];
        bool grew;
        enum finding_state state = FINDING_NEW;
        snprintf(signature, sizeof signature, "%016x", i);
        struct finding f = a_finding(signature);
        f.state = retests[i].old;
        f.n_failed = 9;
        f.n_run = 9;
        OK(store_put_finding(s, run, &f, &grew, err));
        OK(store_retested(s, signature, retests[i].n_failed, retests[i].n_run, &state, err));
        ck_assert_msg(state == retests[i].wanted, "row %u: %s", i, finding_state_name(state));
        struct finding g = only(s, &a, signature);
        ck_assert_int_eq(g.state, state);
        ck_assert_int_eq(g.n_run, retests[i].n_run ? retests[i].n_run : 9);
        ck_assert_int_eq(g.n_failed, retests[i].n_run ? retests[i].n_failed : 9);
    }
    arena_release(&a);
    store_close(s);
}
END_TEST

START_TEST(findings_in_order)
{
    static const enum finding_state states[] = {FINDING_FIXED,       FINDING_NEW,       FINDING_CONFIRMED,
                                                FINDING_UNCONFIRMED, FINDING_REGRESSED, FINDING_FLAKY,
                                                FINDING_CONFIRMED,   FINDING_CONFIRMED};
    static const int times[] = {90, 1, 5, 99, 1, 70, 6, 5};
    struct store *s = opened(STORE_WRITE);
    struct arena a;
    arena_init(&a);
    for (int i = 0; i < 8; i++) {
        char signature[17];
        bool grew;
        snprintf(signature, sizeof signature, "abcdef000000000%d", i);
        struct finding f = a_finding(signature);
        f.state = states[i];
        f.times_seen = times[i];
        f.detail = i == 2 ? "should: a recommendation" : f.detail;
        OK(store_put_finding(s, 0, &f, &grew, err));
    }
    struct finding *list = NULL;
    size_t count = 0;
    static const char *const all[] = {NULL, "", "a", "ABCDEF"};
    for (int p = 0; p < 4; p++) {
        OK(store_findings(s, all[p], &a, &list, &count, err));
        ck_assert_uint_eq(count, 8);
        char order[9] = "";
        for (size_t i = 0; i < count; i++)
            order[i] = list[i].signature[15];
        ck_assert_str_eq(order, "46725130"); /* 2 is but a recommendation */
    }
    static const char *const none[] = {"b", "%", "_", "abcdef0000000003x", "*", "'", "abcdef0000000009"};
    for (int p = 0; p < 7; p++) {
        OK(store_findings(s, none[p], &a, &list, &count, err));
        ck_assert_uint_eq(count, 0);
    }
    ck_assert_str_eq(only(s, &a, "abcdef0000000003").signature, "abcdef0000000003");
    struct store_totals totals;
    OK(store_totals(s, &totals, err));
    ck_assert_int_eq(totals.findings, 7);
    ck_assert_int_eq(totals.confirmed, 3);
    arena_release(&a);
    store_close(s);
}
END_TEST

/* ---- batches, readers, threads ---- */

START_TEST(batches)
{
    OK(settings_set(&settings, "loop.batch", "3", err));
    OK(settings_set(&settings, "loop.batch-ms", "1h", err));
    struct store *s = opened(STORE_WRITE);
    int64_t run = a_run(s, 1, "g");
    struct task *t = a_task(1, 0, 1);
    for (int i = 1; i <= 7; i++) {
        put(s, run, t, EXECUTION_PASSED, NULL, NULL, 0);
        ck_assert_int_eq(outside("SELECT count(*) FROM exec"), i / 3 * 3);
    }
    OK(store_flush(s, err));
    ck_assert_int_eq(outside("SELECT count(*) FROM exec"), 7);
    OK(store_flush(s, err));
    put(s, run, t, EXECUTION_PASSED, NULL, NULL, 0);
    store_close(s);
    ck_assert_int_eq(outside("SELECT count(*) FROM exec"), 8);
    task_free(t);
}
END_TEST

/* No further call comes, and it is committed all the same. */
START_TEST(batch_does_not_wait)
{
    OK(settings_set(&settings, "loop.batch-ms", "50", err));
    struct store *s = opened(STORE_WRITE);
    int64_t run = a_run(s, 1, "g");
    struct task *t = a_task(1, 0, 1);
    for (int round = 1; round <= 3; round++) {
        put(s, run, t, EXECUTION_PASSED, NULL, NULL, 0);
        for (int i = 0; i < 200 && outside("SELECT count(*) FROM exec") < round; i++)
            clock_sleep_ms(25);
        ck_assert_int_eq(outside("SELECT count(*) FROM exec"), round);
    }
    store_close(s);
    task_free(t);
}
END_TEST

START_TEST(reader_beside_writer)
{
    struct store *w = opened(STORE_WRITE);
    int64_t run = a_run(w, 1, "g");
    struct task *t = a_task(1, 0, 1);
    struct finding f = a_finding(A);
    struct arena a;
    bool grew;
    arena_init(&a);
    struct store *r = opened(STORE_READ);
    put(w, run, t, EXECUTION_PASSED, NULL, NULL, 0);
    struct store_totals totals;
    OK(store_totals(r, &totals, err));
    ck_assert_int_eq(totals.executions, 0);
    OK(store_put_finding(w, run, &f, &grew, err));
    OK(store_totals(r, &totals, err));
    ck_assert_int_eq(totals.executions, 1);
    ck_assert_str_eq(only(r, &a, "0").signature, A);
    /* It does not write. */
    int64_t id;
    size_t fresh;
    enum finding_state state;
    struct store_run another = {.verb = "x"};
    struct store_execution e = {.run = run, .task = t};
    FAILS(ERR_OUTPUT, "reading only", store_run_begin(r, &another, &id, err));
    FAILS(ERR_OUTPUT, "reading only", store_put_execution(r, &e, &fresh, err));
    FAILS(ERR_OUTPUT, "reading only", store_put_finding(r, run, &f, &grew, err));
    FAILS(ERR_OUTPUT, "reading only", store_retested(r, A, 1, 1, &state, err));
    FAILS(ERR_OUTPUT, "reading only", store_count(r, "a", "b", 1, 1, err));
    OK(store_flush(r, err));
    store_close(r);
    store_close(w);
    store_close(NULL);
    task_free(t);
    arena_release(&a);
}
END_TEST

enum { THREADS = 4, EACH = 150 };

struct worker {
    struct store *s;
    int64_t run;
    unsigned number;
    pthread_t thread;
};

static void *work(void *argument)
{
    struct worker *w = argument;
    struct arena a;
    struct rng rng;
    arena_init(&a);
    rng_seed(&rng, 3, w->number);
    for (unsigned i = 0; i < EACH; i++) {
        struct task *t = a_task(w->number, i, 1);
        uint64_t features[3] = {rng_below(&rng, 500), 1000 + i, 1000000 * (w->number + 1) + i};
        put(w->s, w->run, t, i % 2 ? EXECUTION_FAILED : EXECUTION_PASSED, "[]", features, 3);
        OK(store_count(w->s, "domain", "all", 1, 0, err));
        struct bytes text;
        OK(store_pick(w->s, &rng, &a, &text, err));
        if (i % 10 == 0) {
            struct finding f = a_finding(i % 20 ? A : B);
            bool grew;
            OK(store_put_finding(w->s, w->run, &f, &grew, err));
            struct store_totals totals;
            OK(store_totals(w->s, &totals, err));
        }
        task_free(t);
    }
    arena_release(&a);
    return NULL;
}

START_TEST(threads)
{
    OK(settings_set(&settings, "loop.batch-ms", "1", err));
    struct store *s = opened(STORE_WRITE);
    struct worker workers[THREADS];
    int64_t run = a_run(s, 1, "g");
    for (unsigned i = 0; i < THREADS; i++) {
        workers[i] = (struct worker){.s = s, .run = run, .number = i};
        ck_assert_int_eq(pthread_create(&workers[i].thread, NULL, work, &workers[i]), 0);
    }
    for (unsigned i = 0; i < THREADS; i++)
        pthread_join(workers[i].thread, NULL);
    store_close(s);
    ck_assert_int_eq(outside("SELECT count(*) FROM exec"), THREADS * EACH);
    ck_assert_int_eq(outside("SELECT count(*) FROM feature WHERE hash >= 1000000"), THREADS * EACH);
    ck_assert_int_eq(outside("SELECT count(*) FROM feature WHERE hash BETWEEN 1000 AND 999999 AND count = 4"),
                     EACH);
    ck_assert_int_eq(outside("SELECT sum(count) FROM feature WHERE hash < 1000"), THREADS * EACH);
    ck_assert_int_eq(outside("SELECT tried FROM counter"), THREADS * EACH);
    ck_assert_int_eq(outside("SELECT sum(times_seen) FROM finding"), THREADS * EACH / 10);
    ck_assert_int_eq(outside("SELECT count(*) FROM finding"), 2);
    expect_intact();
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
    tcase_add_test(tests, next_index);
    tcase_add_test(tests, parents);
    tcase_add_test(tests, skips_and_counters);
    tcase_add_test(tests, picks);
    tcase_add_test(tests, bad_ids_cost_nothing);
    tcase_add_test(tests, finding_round_trip);
    tcase_add_test(tests, finding_seen_again);
    tcase_add_test(tests, finding_made_smaller);
    tcase_add_test(tests, finding_renamed);
    tcase_add_test(tests, finding_is_committed_at_once);
    tcase_add_test(tests, retested);
    tcase_add_test(tests, findings_in_order);
    tcase_add_test(tests, batches);
    tcase_add_test(tests, batch_does_not_wait);
    tcase_add_test(tests, reader_beside_writer);
    tcase_add_test(tests, threads);
}

int main(void)
{
    return unit_main("store", fill);
}
