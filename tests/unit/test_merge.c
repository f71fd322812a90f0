/* corpus/merge: unions, once and only once, whatever was merged before and in which order. */
#include <dirent.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "corpus/store_internal.h"
#include "store_case.h"

static char file_a[512], file_b[512], file_out[512];

static void set_up(void)
{
    store_set_up();
    snprintf(file_a, sizeof file_a, "%s/a.db", dir);
    snprintf(file_b, sizeof file_b, "%s/b.db", dir);
    snprintf(file_out, sizeof file_out, "%s/out.db", dir);
}

static struct store *open_file(const char *file)
{
    struct store *s = NULL;
    OK(store_open(file, STORE_WRITE, &settings, &s, err));
    return s;
}

static struct store_merged merged(const char *into, const char *from)
{
    struct store_merged m;
    struct store *s = open_file(into);
    OK(store_merge(s, from, &settings, &m, err));
    store_close(s);
    ck_assert_int_eq(outside_of(into, "SELECT count(*) FROM pragma_foreign_key_check"), 0);
    ck_assert_int_eq(outside_of(into, "SELECT (SELECT group_concat(integrity_check) FROM pragma_integrity_check) = 'ok'"), 1);
    return m;
}

/* Tasks [from, to) of the seed, executed in one run. Each shows a feature of its own, one it shares with its neighbour, and one that all
 * show; every fourth is a mutant of the one before. */
static int64_t fill_db(struct store *s, uint64_t seed, uint64_t from, uint64_t to)
{
    int64_t run = a_run(s, seed, "g");
    char parent[33] = "";
    for (uint64_t i = from; i < to; i++) {
        uint64_t features[3] = {(uint64_t)1 << 56 | (seed << 20) | (i + 1), (uint64_t)2 << 56 | (i / 2), (uint64_t)3 << 56};
        struct task *t = a_task(seed, i, 1 + (unsigned)(i % 3));
        size_t fresh;
        if (i % 4 == 3)
            task_note_mutation(t, "null-byte", "s1", "/args/path", "x", NULL);
        task_identify(t);
        struct store_execution e = {.run = run, .task = t, .parent = i % 4 == 3 ? parent : NULL, .outcome = i % 5 ? EXECUTION_PASSED : EXECUTION_FAILED,
                                    .executed = true, .ns = 100 + (int64_t)i, .steps = "[1]", .features = features, .feature_count = 3};
        OK(store_put_execution(s, &e, &fresh, err));
        memcpy(parent, t->id, sizeof parent);
        task_free(t);
    }
    OK(store_count(s, "mutator", "null-byte", 10, 2, 1000, err));
    return run;
}

static void see(struct store *s, int64_t run, const char *signature, enum finding_state state, int64_t steps, int64_t times)
{
    bool grew;
    struct finding f = a_finding(signature);
    f.state = state;
    f.n_failed = state == FINDING_CONFIRMED ? 5 : 1;
    f.n_run = 5;
    f.task_steps = steps;
    f.title = steps == 1 ? "short" : "long";
    f.times_seen = times;
    OK(store_put_finding(s, run, &f, &grew, err));
}

/* Everything that stands in the file, as one number. */
static uint64_t digest(const char *file)
{
    sqlite3 *db = NULL;
    sqlite3_stmt *tables, *rows;
    uint64_t all = 0;
    ck_assert_int_eq(sqlite3_open(file, &db), SQLITE_OK);
    ck_assert_int_eq(sqlite3_prepare_v2(db, "SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY 1", -1, &tables, NULL), SQLITE_OK);
    while (sqlite3_step(tables) == SQLITE_ROW) {
        char sql[200];
        uint64_t sum = 0;
        snprintf(sql, sizeof sql, "SELECT * FROM %s", (const char *)sqlite3_column_text(tables, 0));
        ck_assert_int_eq(sqlite3_prepare_v2(db, sql, -1, &rows, NULL), SQLITE_OK);
        while (sqlite3_step(rows) == SQLITE_ROW) {
            uint64_t row = 1;
            for (int i = 0; i < sqlite3_column_count(rows); i++) {
                const void *text = sqlite3_column_blob(rows, i);
                row = hash64_mix(row, hash64(bytes_of(text, (size_t)sqlite3_column_bytes(rows, i))));
            }
            sum += row;
        }
        sqlite3_finalize(rows);
        all = hash64_mix(all, sum);
    }
    sqlite3_finalize(tables);
    sqlite3_close(db);
    return all;
}

static void make_both(void)
{
    struct store *a = open_file(file_a), *b = open_file(file_b);
    int64_t run_a = fill_db(a, 1, 0, 40), run_b = fill_db(b, 2, 0, 30);
    fill_db(b, 1, 20, 60); /* half of it is what a has */
    see(a, run_a, "00000000000000aa", FINDING_CONFIRMED, 3, 4);
    see(b, run_b, "00000000000000aa", FINDING_FLAKY, 1, 3);
    see(b, run_b, "00000000000000bb", FINDING_CONFIRMED, 2, 1);
    store_close(a);
    store_close(b);
}

/* ---- sets ---- */

START_TEST(a_union_and_once_only)
{
    make_both();
    uint64_t before_a = digest(file_a), before_b = digest(file_b);
    struct store_merged m = merged(file_out, file_a);
    ck_assert(m.executions == 40 && m.runs == 1 && m.tasks == 40 && m.findings == 1);
    m = merged(file_out, file_b);
    ck_assert(m.executions == 70 && m.runs == 2 && m.tasks == 50 && m.findings == 1);
    ck_assert_int_eq(outside_of(file_out, "SELECT count(*) FROM exec"), 110);
    ck_assert_int_eq(outside_of(file_out, "SELECT sum(times) FROM task"), 110);
    ck_assert_int_eq(outside_of(file_out, "SELECT count(*) FROM task"), 90);
    ck_assert_int_eq(outside_of(file_out, "SELECT count FROM feature WHERE hash >> 56 = 3"), 110);
    ck_assert_int_eq(outside_of(file_out, "SELECT tried FROM counter WHERE kind = 'mutator'"), 30);
    ck_assert_int_eq(outside_of(file_out, "SELECT count(*) FROM task AS t JOIN task AS p ON p.id = t.parent WHERE t.seed = p.seed "
                                          "AND t.task_index = p.task_index + 1 AND t.mutators = 'null-byte'"),
                     outside_of(file_out, "SELECT count(*) FROM task WHERE parent IS NOT NULL"));
    ck_assert_int_gt(outside_of(file_out, "SELECT count(*) FROM task WHERE parent IS NOT NULL"), 20);
    /* Members with their features and their JSON. */
    ck_assert_int_eq(outside_of(file_out, "SELECT count(*) FROM corpus"), outside_of(file_out, "SELECT max(number) FROM corpus"));
    ck_assert_int_eq(outside_of(file_out, "SELECT count(*) FROM corpus JOIN task ON task.id = task WHERE json IS NULL"), 0);
    ck_assert_int_eq(outside_of(file_out, "SELECT count(*) FROM corpus WHERE (SELECT count(*) FROM task_feature AS f WHERE f.task = corpus.task) <> 3"), 0);
    /* Again, in any order: nothing moves, and the inputs never did. */
    uint64_t once = digest(file_out);
    m = merged(file_out, file_b);
    ck_assert(m.executions == 0 && m.features == 0 && m.members == 0 && m.findings == 0);
    merged(file_out, file_a);
    ck_assert_uint_eq(digest(file_out), once);
    ck_assert(digest(file_a) == before_a && digest(file_b) == before_b);
}
END_TEST

/* What came over another database is not taken twice. */
START_TEST(by_two_ways)
{
    char other[600];
    snprintf(other, sizeof other, "%s/other.db", dir);
    make_both();
    merged(file_out, file_a);
    merged(file_out, file_b);
    merged(other, file_b);
    merged(other, file_out);
    ck_assert_int_eq(outside_of(other, "SELECT count(*) FROM exec"), 110);
    ck_assert_int_eq(outside_of(other, "SELECT sum(times) FROM task"), 110);
    ck_assert_int_eq(outside_of(other, "SELECT count(*) FROM run"), 3);
    ck_assert_int_eq(outside_of(other, "SELECT times_seen FROM finding WHERE signature = '00000000000000aa'"), 7);
    ck_assert_int_eq(outside_of(other, "SELECT count(DISTINCT feature) FROM task_feature"), outside_of(file_out, "SELECT count(DISTINCT feature) FROM task_feature"));
    uint64_t once = digest(other);
    merged(other, file_a);
    ck_assert_uint_eq(digest(other), once);
}
END_TEST

/* A run that went on after it was merged. */
START_TEST(a_run_that_goes_on)
{
    struct store *a = open_file(file_a);
    int64_t run = fill_db(a, 1, 0, 10);
    see(a, run, "00000000000000aa", FINDING_CONFIRMED, 3, 2);
    OK(store_flush(a, err));
    merged(file_out, file_a); /* in use meanwhile */
    struct task *t = a_task(1, 77, 2);
    uint64_t feature = (uint64_t)1 << 56 | 77777;
    put(a, run, t, EXECUTION_PASSED, "[]", &feature, 1);
    see(a, run, "00000000000000aa", FINDING_CONFIRMED, 3, 3);
    fill_db(a, 1, 10, 14);
    store_close(a);
    struct store_merged m = merged(file_out, file_a);
    ck_assert(m.executions == 5 && m.runs == 1);
    ck_assert_int_eq(outside_of(file_out, "SELECT count(*) FROM exec WHERE run = 1"), 11);
    ck_assert_int_eq(outside_of(file_out, "SELECT next_index FROM run WHERE id = 1"), 78);
    ck_assert_int_eq(outside_of(file_out, "SELECT times_seen FROM finding"), 5);
    ck_assert_int_eq(outside_of(file_out, "SELECT times FROM sighting"), 5);
    ck_assert_int_eq(outside_of(file_out, "SELECT max(times) FROM task"), 1);
    task_free(t);
    uint64_t once = digest(file_out);
    merged(file_out, file_a);
    ck_assert_uint_eq(digest(file_out), once);
}
END_TEST

/* The database that was merged into goes on by itself. */
START_TEST(it_is_a_database_like_any)
{
    make_both();
    merged(file_out, file_a);
    struct store *s = open_file(file_out);
    uint64_t next;
    OK(store_next_index(s, 1, "g", "demo", &next, err));
    ck_assert_uint_eq(next, 39); /* 39 is a mutant's */
    struct store_merged m;
    OK(store_merge(s, file_b, &settings, &m, err));
    uint64_t known = (uint64_t)1 << 56 | 2 << 20 | 1, fresh = (uint64_t)1 << 56 | 999999;
    struct task *t = a_task(9, 1, 1);
    ck_assert_uint_eq(put(s, a_run(s, 9, "g"), t, EXECUTION_PASSED, "[]", (uint64_t[]){known, fresh}, 2), 1);
    task_free(t);
    store_close(s);
}
END_TEST

START_TEST(members_that_left_stay_out)
{
    struct store *a = open_file(file_a);
    uint64_t few[2] = {1, 2}, all[3] = {1, 2, 3};
    struct task *one = a_task(1, 1, 1), *other = a_task(1, 2, 1);
    int64_t run = a_run(a, 1, "g");
    put(a, run, one, EXECUTION_PASSED, "[]", few, 2);
    put(a, run, other, EXECUTION_PASSED, "[]", all, 3);
    store_close(a);
    merged(file_out, file_a);
    struct store *s = open_file(file_out);
    struct store_minimised m;
    OK(store_minimise(s, false, &m, err));
    store_close(s);
    ck_assert(m.members == 2 && m.needed == 1);
    merged(file_out, file_a);
    ck_assert_int_eq(outside_of(file_out, "SELECT count(*) FROM corpus"), 1);
    /* And to a third they go as what they are. */
    merged(file_b, file_out);
    ck_assert_int_eq(outside_of(file_b, "SELECT (SELECT count(*) FROM corpus) * 10 + (SELECT count(*) FROM retired)"), 11);
    task_free(one);
    task_free(other);
}
END_TEST

/* ---- findings ---- */

static struct finding finding_of(const char *file, const char *prefix, struct arena *a)
{
    struct store *s = open_file(file);
    struct finding f = only(s, a, prefix);
    store_close(s);
    return f;
}

START_TEST(findings_that_meet)
{
    struct arena arena;
    arena_init(&arena);
    make_both();
    for (int backwards = 0; backwards < 2; backwards++) {
        merged(file_out, backwards ? file_b : file_a);
        merged(file_out, backwards ? file_a : file_b);
        struct finding f = finding_of(file_out, "00000000000000aa", &arena);
        ck_assert(f.state == FINDING_CONFIRMED && f.n_failed == 5 && f.n_run == 5); /* the worse one, with its rate */
        ck_assert(f.task_steps == 1 && f.times_seen == 7);                          /* the smaller one, with its words */
        ck_assert_str_eq(f.title, "short");
        ck_assert_int_eq(unlink(file_out), 0);
    }
    arena_release(&arena);
}
END_TEST

/* One that was found fixed after anybody last saw it is fixed; one that was seen later is not. */
START_TEST(a_fixed_one)
{
    struct arena arena;
    enum finding_state state;
    arena_init(&arena);
    struct store *a = open_file(file_a);
    see(a, a_run(a, 1, "g"), "00000000000000aa", FINDING_CONFIRMED, 2, 1);
    store_close(a);
    merged(file_out, file_a);
    struct store *s = open_file(file_out);
    OK(store_retested(s, "00000000000000aa", 0, 5, &state, err));
    ck_assert_int_eq(state, FINDING_FIXED);
    store_close(s);
    merged(file_out, file_a);
    ck_assert_int_eq(finding_of(file_out, "00", &arena).state, FINDING_FIXED);
    usleep(5000);
    a = open_file(file_a);
    see(a, a_run(a, 1, "g"), "00000000000000aa", FINDING_CONFIRMED, 2, 1);
    store_close(a);
    merged(file_out, file_a);
    ck_assert_int_eq(finding_of(file_out, "00", &arena).state, FINDING_CONFIRMED);
    ck_assert_int_eq(finding_of(file_out, "00", &arena).times_seen, 2);
    arena_release(&arena);
}
END_TEST

/* One of them has another name for it by now. */
START_TEST(findings_by_other_names)
{
    for (int renamed_here = 0; renamed_here < 2; renamed_here++) {
        struct store *a = open_file(file_a), *b = open_file(file_b);
        see(a, a_run(a, 1, "g"), "00000000000000aa", FINDING_CONFIRMED, 2, 1);
        see(b, a_run(b, 2, "g"), "00000000000000aa", FINDING_CONFIRMED, 2, 1);
        struct finding to = a_finding("00000000000000cc");
        bool became_one;
        OK(store_rename(renamed_here ? a : b, "00000000000000aa", &to, &became_one, err));
        store_close(a);
        store_close(b);
        merged(file_out, file_a);
        merged(file_out, file_b);
        ck_assert_int_eq(outside_of(file_out, "SELECT count(*) FROM finding"), 1);
        ck_assert_int_eq(outside_of(file_out, "SELECT sum(times_seen) FROM finding"), 2);
        struct arena arena;
        arena_init(&arena);
        struct finding one = finding_of(file_out, "00000000000000aa", &arena), other = finding_of(file_out, "00000000000000cc", &arena);
        ck_assert_str_eq(one.signature, other.signature);
        arena_release(&arena);
        uint64_t once = digest(file_out);
        merged(file_out, file_b);
        merged(file_out, file_a);
        ck_assert_uint_eq(digest(file_out), once);
        ck_assert(!unlink(file_a) && !unlink(file_b) && !unlink(file_out));
    }
}
END_TEST

/* ---- what may go wrong ---- */

static int copies_left(void)
{
    int count = 0;
    DIR *d = opendir(dir);
    for (struct dirent *e; (e = readdir(d));)
        count += strstr(e->d_name, "-merge") != NULL;
    closedir(d);
    return count;
}

START_TEST(an_older_one_is_left_as_it_is)
{
    snprintf(db_path, sizeof db_path, "%s", file_a);
    outside_do(store_schema_steps[0].sql);
    outside_do("PRAGMA application_id = 0x7467656e; PRAGMA user_version = 1");
    outside_do("INSERT INTO run VALUES (1, 'fuzz', 'c', 't', 'i', 'g', 1, 1, '{}', 5, 6);"
               "INSERT INTO task VALUES (1, x'00112233445566778899aabbccddeeff', 'd', 'w', 'g', 1, 0, NULL, 1, '{}');"
               "INSERT INTO exec VALUES (1, 1, 1, 'passed', 1, NULL, 5, 5, 1);"
               "INSERT INTO feature(hash, count, first_exec) VALUES (7, 1, 1);"
               "INSERT INTO corpus VALUES (1, 1, 1); INSERT INTO task_feature VALUES (1, 7)");
    uint64_t before = digest(file_a);
    struct store_merged m = merged(file_out, file_a);
    ck_assert(m.runs == 1 && m.executions == 1 && m.tasks == 1 && m.members == 1 && m.features == 1);
    ck_assert_uint_eq(digest(file_a), before);
    ck_assert_int_eq(outside("SELECT user_version FROM pragma_user_version"), 1);
    uint64_t once = digest(file_out);
    merged(file_out, file_a);
    ck_assert_uint_eq(digest(file_out), once);
}
END_TEST

START_TEST(what_is_no_database)
{
    make_both();
    merged(file_out, file_a);
    uint64_t once = digest(file_out);
    struct store *s = open_file(file_out);
    struct store_merged m;
    char text[600], none[600];
    snprintf(text, sizeof text, "%s/text", dir);
    snprintf(none, sizeof none, "%s/none", dir);
    OK(fs_write(text, BYTES_LITERAL("this is no database, however long it may be: 0123456789 0123456789 0123456789 0123456789"), err));
    FAILS(ERR_INPUT, "is not a database", store_merge(s, text, &settings, &m, err));
    FAILS(ERR_INPUT, "No such file", store_merge(s, none, &settings, &m, err));
    snprintf(db_path, sizeof db_path, "%s", file_b);
    outside_do("PRAGMA user_version = 1000");
    FAILS(ERR_INPUT, "newer taskgen", store_merge(s, file_b, &settings, &m, err));
    outside_do("PRAGMA user_version = 0; PRAGMA application_id = 5");
    FAILS(ERR_INPUT, "not a database of taskgen", store_merge(s, file_b, &settings, &m, err));
    store_close(s);
    ck_assert_uint_eq(digest(file_out), once);
    ck_assert_int_eq(copies_left(), 0);
}
END_TEST

static void fill(TCase *tests)
{
    tcase_add_checked_fixture(tests, set_up, store_tear_down);
    tcase_add_test(tests, a_union_and_once_only);
    tcase_add_test(tests, by_two_ways);
    tcase_add_test(tests, a_run_that_goes_on);
    tcase_add_test(tests, it_is_a_database_like_any);
    tcase_add_test(tests, members_that_left_stay_out);
    tcase_add_test(tests, findings_that_meet);
    tcase_add_test(tests, a_fixed_one);
    tcase_add_test(tests, findings_by_other_names);
    tcase_add_test(tests, an_older_one_is_left_as_it_is);
    tcase_add_test(tests, what_is_no_database);
}

int main(void)
{
    return unit_main("merge", fill);
}
