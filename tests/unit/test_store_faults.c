/* corpus/store: what is not a database, what is damaged, statements that fail. */
#include <sys/stat.h>

#include "corpus/store_internal.h"
#include "store_case.h"

#define A "00000000000000aa"

static void write_db(const void *data, size_t len)
{
    OK(fs_write(db_path, bytes_of(data, len), err));
}

static void read_db(struct buf *out)
{
    buf_init(out, 1 << 26);
    OK(fs_read(db_path, 1 << 26, out, err));
}

/* ---- what is there instead of a database ---- */

START_TEST(not_a_database)
{
    static const char text[] = "This is somebody's letter, and it must stay as it is.\n";
    struct buf after;
    write_db(text, sizeof text - 1);
    both_fail(ERR_INPUT, "t.db' is not a database");
    read_db(&after);
    ASSERT_BYTES(buf_bytes(&after), text);
    buf_release(&after);
    /* Long garbage, and garbage behind SQLite's magic. */
    uint8_t noise[8192];
    struct rng rng;
    rng_seed(&rng, 1, 2);
    rng_fill(&rng, noise, sizeof noise);
    write_db(noise, sizeof noise);
    both_fail(ERR_INPUT, "is not a database");
    memcpy(noise, "SQLite format 3", 16);
    write_db(noise, sizeof noise);
    both_fail(ERR_INPUT, "t.db'");
    /* No litter but the file itself. */
    char beside[600];
    snprintf(beside, sizeof beside, "%s-lock", db_path);
    ck_assert_int_lt(access(beside, F_OK), 0);
}
END_TEST

START_TEST(somebody_elses_database)
{
    struct buf before, after;
    outside_do("CREATE TABLE exec(a); INSERT INTO exec VALUES (1)");
    read_db(&before);
    both_fail(ERR_INPUT, "is not a database of taskgen");
    read_db(&after);
    ck_assert(bytes_equal(buf_bytes(&before), buf_bytes(&after)));
    buf_release(&before);
    buf_release(&after);
    outside_do("PRAGMA application_id = 1; PRAGMA user_version = 1");
    both_fail(ERR_INPUT, "is not a database of taskgen");
    outside_do("PRAGMA application_id = 1952933230");
    both_fail(ERR_INPUT, "is damaged: ");
}
END_TEST

START_TEST(nothing_there)
{
    struct store *s = NULL;
    FAILS(ERR_INPUT, "t.db': No such file", store_open(db_path, STORE_READ, &settings, &s, err));
    ck_assert_int_lt(access(db_path, F_OK), 0); /* and it was not made */
    FAILS(ERR_INPUT, "needs a file name", store_open("", STORE_WRITE, &settings, &s, err));
    char path[600];
    snprintf(path, sizeof path, "%s/none/t.db", dir);
    FAILS(ERR_OUTPUT, "No such file", store_open(path, STORE_WRITE, &settings, &s, err));
    snprintf(path, sizeof path, "%s/new/", dir);
    FAILS(ERR_OUTPUT, "No such file", store_open(path, STORE_WRITE, &settings, &s, err));
    /* An empty file is as good as none for a writer. */
    write_db("", 0);
    FAILS(ERR_INPUT, "is not a database of taskgen", store_open(db_path, STORE_READ, &settings, &s, err));
    store_close(opened(STORE_WRITE));
    store_close(opened(STORE_READ));
}
END_TEST

START_TEST(not_a_file)
{
    snprintf(db_path, sizeof db_path, "%s", dir);
    both_fail(ERR_INPUT, "is a directory");
    snprintf(db_path, sizeof db_path, "%s/fifo", dir);
    ck_assert_int_eq(mkfifo(db_path, 0600), 0);
    both_fail(ERR_INPUT, "is not a regular file"); /* without waiting for somebody at its other end */
    snprintf(db_path, sizeof db_path, "%s/fifo/t.db", dir);
    struct store *s = NULL;
    FAILS(ERR_INPUT, "Not a directory", store_open(db_path, STORE_READ, &settings, &s, err));
    FAILS(ERR_OUTPUT, "Not a directory", store_open(db_path, STORE_WRITE, &settings, &s, err));
}
END_TEST

/* Names that mean something to SQLite mean files here. */
START_TEST(odd_names)
{
    static const char *const names[] = {":memory:", "file:x?mode=memory", "a b%20c#d?e", "'quoted\"",
                                        "n\xc3\xa4m\xff"};
    ck_assert_int_eq(chdir(dir), 0);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        struct store *s = NULL;
        struct stat st;
        OK(store_open(names[i], STORE_WRITE, &settings, &s, err));
        a_run(s, 1, "g");
        store_close(s);
        ck_assert_int_eq(stat(names[i], &st), 0);
        ck_assert_int_gt(st.st_size, 4096);
        OK(store_open(names[i], STORE_READ, &settings, &s, err));
        store_close(s);
    }
    ck_assert_int_eq(chdir("/"), 0);
}
END_TEST

/* A link and what it points to are one database, with one lock. */
START_TEST(over_a_link)
{
    char link_path[600];
    struct store *s = opened(STORE_WRITE), *again = NULL;
    snprintf(link_path, sizeof link_path, "%s/link.db", dir);
    ck_assert_int_eq(symlink("t.db", link_path), 0);
    FAILS(ERR_OUTPUT, "another taskgen", store_open(link_path, STORE_WRITE, &settings, &again, err));
    store_close(s);
    OK(store_open(link_path, STORE_WRITE, &settings, &again, err));
    store_close(again);
}
END_TEST

/* ---- damage ---- */

/* Uses everything; returns the first failure. A damaged database may well be read and written without anybody
 * noticing. */
static int use_all(enum store_mode mode)
{
    struct store *s = NULL;
    struct error *trouble = NULL, **err = &trouble;
    struct arena a;
    struct rng rng;
    arena_init(&a);
    rng_seed(&rng, 1, 1);
    int status = store_open(db_path, mode, &settings, &s, err);
    struct finding *findings = NULL;
    struct store_count *counts = NULL;
    struct store_totals totals;
    struct store_picked picked;
    size_t count, fresh;
    uint64_t next, features[2] = {5, 77777};
    bool grew;
    int64_t id = 0;
    if (!status)
        status = store_findings(s, NULL, &a, &findings, &count, err);
    if (!status)
        status = store_totals(s, &totals, err);
    if (!status)
        status = store_skips(s, &a, &counts, &count, err);
    for (int i = 0; i < 20 && !status; i++)
        status = mode == STORE_WRITE ? store_pick(s, &rng, &a, &picked, err) : store_weigh(s, i + 1, &a, &picked, err);
    if (!status)
        status = store_next_index(s, 1, "g", "demo", &next, err);
    if (!status && mode == STORE_WRITE) {
        struct store_run run = {.seed = 1, .grammar = "g"};
        struct task *t = a_task(1, 999, 1);
        struct finding f = a_finding(A);
        status = store_run_begin(s, &run, &id, err);
        struct store_execution e = {.run = id,
                                    .task = t,
                                    .outcome = EXECUTION_FAILED,
                                    .steps = "[]",
                                    .features = features,
                                    .feature_count = 2};
        if (!status)
            status = store_put_execution(s, &e, &fresh, err);
        if (!status)
            status = store_put_finding(s, id, &f, &grew, err);
        task_free(t);
    }
    store_close(s);
    ck_assert(status == 0 ? trouble == NULL : trouble && trouble->code == status);
    if (trouble) {
        ck_assert_msg(status == ERR_INPUT || status == ERR_LIMIT, "%d: %s", status, trouble->text);
        ck_assert_msg(strstr(trouble->text, "t.db") && !strchr(trouble->text, '\n'), "%s", trouble->text);
    }
    error_free(trouble);
    arena_release(&a);
    return status;
}

START_TEST(damaged)
{
    enum { ROUNDS = 150 };
    struct buf whole;
    struct rng rng;
    int noticed = 0;
    rng_seed(&rng, 8, 8);
    make_full();
    read_db(&whole);
    uint8_t *copy = xmalloc(whole.len);
    for (int round = 0; round < ROUNDS; round++) {
        size_t len = round % 3 ? whole.len : rng_below(&rng, whole.len);
        memcpy(copy, whole.data, whole.len);
        for (uint64_t n = 1 + rng_below(&rng, 40); n && round % 3; n--) {
            size_t at = rng_below(&rng, len - 16);
            rng_fill(&rng, copy + at, 1 + rng_below(&rng, 16));
        }
        write_db(copy, len);
        noticed += use_all(round % 2 ? STORE_READ : STORE_WRITE) < 0;
        char beside[600];
        static const char *const endings[] = {"-wal", "-shm"};
        for (int i = 0; i < 2; i++) {
            snprintf(beside, sizeof beside, "%s%s", db_path, endings[i]);
            unlink(beside);
        }
    }
    ck_assert_int_gt(noticed, ROUNDS / 4);
    free(copy);
    buf_release(&whole);
}
END_TEST

START_TEST(newer)
{
    store_close(opened(STORE_WRITE));
    _Static_assert(STORE_SCHEMA < 99, "99 is to be newer");
    outside_do("PRAGMA user_version = 99; CREATE TABLE later(a)");
    both_fail(ERR_INPUT, "was made by a newer taskgen: its schema has version 99, expected at most ");
    ck_assert_int_eq(outside("SELECT count(*) FROM later"), 0);
    outside_do("PRAGMA user_version = -1");
    both_fail(ERR_INPUT, "is damaged: its schema has version -1");
}
END_TEST

/* What a connection is set to cannot be seen from outside. */
START_TEST(pragmas_of_the_writer)
{
    static const char *const pragmas[] = {"PRAGMA synchronous", "PRAGMA foreign_keys"};
    struct store *s = opened(STORE_WRITE);
    for (int i = 0; i < 2; i++) {
        sqlite3_stmt *statement = NULL;
        ck_assert_int_eq(sqlite3_prepare_v2(s->db, pragmas[i], -1, &statement, NULL), SQLITE_OK);
        ck_assert_int_eq(sqlite3_step(statement), SQLITE_ROW);
        ck_assert_int_eq(sqlite3_column_int(statement, 0), 1);
        sqlite3_finalize(statement);
    }
    store_close(s);
}
END_TEST

/* A statement that fails in the middle of an execution takes the batch with it, in memory too. */
START_TEST(failed_statement)
{
    OK(settings_set(&settings, "loop.batch-ms", "1h", err));
    struct store *s = opened(STORE_WRITE);
    int64_t run = a_run(s, 1, "g");
    struct task *t = a_task(1, 5, 1), *parent = a_task(1, 6, 1);
    uint64_t features[2] = {1, 2}, next;
    size_t fresh;
    ck_assert_uint_eq(put(s, run, t, EXECUTION_PASSED, NULL, features, 1), 1);
    struct store_execution e = {
        .run = 999, .task = t, .parent = parent->id, .features = features, .feature_count = 2};
    FAILS(ERR_OUTPUT, "FOREIGN KEY", store_put_execution(s, &e, &fresh, err));
    struct store_totals totals;
    OK(store_totals(s, &totals, err));
    ck_assert_int_eq(totals.executions, 0);
    ck_assert_int_eq(totals.features, 0);
    OK(store_next_index(s, 1, "g", "demo", &next, err));
    ck_assert_uint_eq(next, 0);
    ck_assert_uint_eq(put(s, run, t, EXECUTION_PASSED, NULL, features, 2), 2);
    OK(store_next_index(s, 1, "g", "demo", &next, err));
    ck_assert_uint_eq(next, 6);
    store_close(s);
    ck_assert_int_eq(outside("SELECT count(*) FROM exec"), 1);
    expect_intact();
    task_free(t);
    task_free(parent);
}
END_TEST

static void fill(TCase *tests)
{
    tcase_add_checked_fixture(tests, store_set_up, store_tear_down);
    tcase_add_test(tests, not_a_database);
    tcase_add_test(tests, somebody_elses_database);
    tcase_add_test(tests, nothing_there);
    tcase_add_test(tests, not_a_file);
    tcase_add_test(tests, odd_names);
    tcase_add_test(tests, over_a_link);
    tcase_add_test(tests, damaged);
    tcase_add_test(tests, newer);
    tcase_add_test(tests, pragmas_of_the_writer);
    tcase_add_test(tests, failed_statement);
}

int main(void)
{
    return unit_main("store faults", fill);
}
