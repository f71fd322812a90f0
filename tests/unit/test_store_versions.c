/* corpus/store: older and newer schemas, and who else writes. */
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <sys/wait.h>

#include "corpus/store_internal.h"
#include "store_case.h"

#define A "00000000000000aa"

/* ---- migration ---- */

static int open_as(const struct store_step *steps, int count, enum store_mode mode, struct store **s,
                   struct error **err)
{
    return store_open_steps(db_path, mode, &settings, steps, count, s, err);
}

START_TEST(migration)
{
    /* From what this program makes on, whatever version that is. */
    enum { NOW = STORE_SCHEMA };
    struct store_step steps[NOW + 3] = {0};
    memcpy(steps, store_schema_steps, sizeof store_schema_steps);
    const struct store_step later[3] = {
        {"ALTER TABLE run ADD COLUMN host TEXT NOT NULL DEFAULT 'here'"},
        {"CREATE TABLE label(run INTEGER, text TEXT) STRICT; INSERT INTO label SELECT id, host FROM run"},
        {"CREATE TABLE extra(a INTEGER) STRICT; INSERT INTO nowhere VALUES (1)"}};
    memcpy(steps + NOW, later, sizeof later);
    struct store *s = NULL;
    make_full();
    /* A step that fails leaves the version, the tables and the data of before. */
    FAILS(ERR_INPUT, "bringing its schema from version ", open_as(steps, NOW + 3, STORE_WRITE, &s, err));
    FAILS(ERR_INPUT, "bringing its schema from version ", open_as(steps, NOW + 3, STORE_READ, &s, err));
    ck_assert_int_eq(outside("SELECT user_version FROM pragma_user_version"), NOW);
    ck_assert_int_eq(outside("SELECT count(*) FROM sqlite_schema WHERE name IN ('label', 'extra')"), 0);
    store_close(opened(STORE_WRITE));
    /* Two steps at once, by a writer; and once only. */
    OK(open_as(steps, NOW + 2, STORE_WRITE, &s, err));
    a_run(s, 2, "g");
    store_close(s);
    ck_assert_int_eq(outside("SELECT user_version FROM pragma_user_version"), NOW + 2);
    ck_assert_int_eq(outside("SELECT count(*) FROM label WHERE text = 'here'"), 1);
    OK(open_as(steps, NOW + 2, STORE_WRITE, &s, err));
    store_close(s);
    ck_assert_int_eq(outside("SELECT count(*) FROM label"), 1);
    ck_assert_int_eq(outside("SELECT count(*) FROM exec"), 300);
    both_fail(ERR_INPUT, "newer taskgen: its schema has version ");
    expect_intact();
}
END_TEST

/* What the first version kept is all there in this one. */
START_TEST(from_the_first_version)
{
    struct store *s = NULL;
    outside_do(store_schema_steps[0].sql);
    outside_do("PRAGMA application_id = 0x7467656e; PRAGMA user_version = 1");
    outside_do("INSERT INTO finding VALUES ('00000000000000aa', 't', 'l', 'p', 'k', 'o', 'd', 'title', 'e', 'demo', 'i', "
               "'confirmed', 5, 5, 9, 1, 2, 0, 1, 3, '{}')");
    s = opened(STORE_WRITE);
    struct arena a;
    struct finding *found;
    size_t count;
    arena_init(&a);
    OK(store_findings(s, NULL, &a, &found, &count, err));
    ck_assert_uint_eq(count, 1);
    ck_assert_str_eq(found->title, "title");
    ck_assert(found->times_seen == 9 && found->suppressed && found->task_steps == 3 && found->shrunk == SHRUNK_NOT);
    arena_release(&a);
    store_close(s);
    expect_intact();
}
END_TEST

/* How sessions ended was not written down before, which is not the same as that they ended well. */
START_TEST(endings_of_before)
{
    struct store *s = NULL;
    struct store_side *sides;
    struct arena a;
    size_t count;
    for (int i = 0; i < 9; i++)
        outside_do(store_schema_steps[i].sql);
    outside_do("PRAGMA application_id = 0x7467656e; PRAGMA user_version = 9");
    outside_do("INSERT INTO run(verb, command, target, identity, grammar, seed, settings, begun_ms, ended_ms, key) "
               "VALUES ('fuzz', '', 'demo', 'one', 'g', 1, '{}', 5, 7, 'k')");
    s = opened(STORE_WRITE);
    int64_t run = a_run(s, 2, "g");
    OK(store_run_refused(s, run, err));
    OK(store_run_refused(s, run, err));
    OK(store_run_end(s, run, "two", err));
    store_close(s);
    s = opened(STORE_READ);
    arena_init(&a);
    OK(store_sides(s, &a, &sides, &count, err));
    ck_assert_uint_eq(count, 1);
    ck_assert(sides->runs == 2 && sides->runs_with_endings == 1 && sides->refused == 2 && sides->runs_open == 0);
    ck_assert(sides->first_ms == 5 && sides->last_ms > 7 && sides->identity_count == 2);
    ck_assert_str_eq(sides->identities[1], "two");
    arena_release(&a);
    store_close(s);
    expect_intact();
}
END_TEST

START_TEST(migration_by_a_reader)
{
    enum { NOW = STORE_SCHEMA };
    struct store_step steps[NOW + 1] = {0};
    memcpy(steps, store_schema_steps, sizeof store_schema_steps);
    steps[NOW] = (struct store_step){"CREATE TABLE label(a INTEGER) STRICT"};
    struct store *s = NULL, *w;
    make_full();
    w = opened(STORE_WRITE); /* an older taskgen is at it */
    FAILS(ERR_OUTPUT, "another taskgen", open_as(steps, NOW + 1, STORE_READ, &s, err));
    store_close(w);
    OK(open_as(steps, NOW + 1, STORE_READ, &s, err));
    struct store_totals totals;
    OK(store_totals(s, &totals, err));
    ck_assert_int_eq(totals.executions, 300);
    int64_t id;
    struct store_run run = {.verb = "x"};
    FAILS(ERR_OUTPUT, "reading only", store_run_begin(s, &run, &id, err));
    store_close(s);
    ck_assert_int_eq(outside("SELECT user_version FROM pragma_user_version"), NOW + 1);
}
END_TEST

/* ---- two writers ---- */

START_TEST(second_writer)
{
    struct store *first = opened(STORE_WRITE), *second = NULL;
    char message[100];
    snprintf(message, sizeof message, "t.db': another taskgen (process %ld) writes to it", (long)getpid());
    FAILS(ERR_OUTPUT, message, store_open(db_path, STORE_WRITE, &settings, &second, err));
    pid_t pid = fork();
    if (pid == 0) {
        struct error *err = NULL;
        int status = store_open(db_path, STORE_WRITE, &settings, &second, &err);
        _exit(status == ERR_OUTPUT && err && strstr(err->text, message) ? 0 : 1);
    }
    int ended = -1;
    ck_assert_int_eq(waitpid(pid, &ended, 0), pid);
    ck_assert_int_eq(ended, 0);
    /* The first does not notice, and readers are not in the way. */
    a_run(first, 1, "g");
    struct store *reader = opened(STORE_READ);
    store_close(first);
    second = opened(STORE_WRITE);
    store_close(second);
    store_close(reader);
}
END_TEST

/* What a killed writer leaves does not keep the next one out, whatever it says. */
START_TEST(lock_file_is_left)
{
    char lock[600];
    snprintf(lock, sizeof lock, "%s-lock", db_path);
    static const char *const texts[] = {"", "1\n", "not a number", "99999999999999999999999999999999"};
    for (int i = 0; i < 4; i++) {
        OK(fs_write(lock, bytes_of_string(texts[i]), err));
        store_close(opened(STORE_WRITE));
        ck_assert_int_lt(access(lock, F_OK), 0);
    }
    struct store *s = NULL;
    ck_assert_int_eq(symlink("/etc/passwd", lock), 0);
    FAILS(ERR_OUTPUT, "t.db-lock: ", store_open(db_path, STORE_WRITE, &settings, &s, err));
}
END_TEST

enum { LOCKERS = 4, LOCKINGS = 2000 };
static atomic_int holders, held;

static void *lock_often(void *argument)
{
    for (int i = 0; i < LOCKINGS; i++) {
        struct store s = {.path = db_path, .file = db_path, .lock_fd = -1};
        struct error *err = NULL;
        if (store_lock(&s, &err) == 0) {
            ck_assert_int_eq(atomic_fetch_add(&holders, 1), 0);
            atomic_fetch_add(&held, 1);
            sched_yield();
            atomic_fetch_sub(&holders, 1);
        } else {
            ck_assert_int_eq(err->code, ERR_OUTPUT);
        }
        error_free(err);
        store_unlock(&s);
    }
    return NULL;
}

/* The file is removed by the one who had it while others are about to take it: never do two have it. */
START_TEST(lock_is_taken_by_one)
{
    pthread_t threads[LOCKERS];
    for (int i = 0; i < LOCKERS; i++)
        ck_assert_int_eq(pthread_create(&threads[i], NULL, lock_often, NULL), 0);
    for (int i = 0; i < LOCKERS; i++)
        pthread_join(threads[i], NULL);
    ck_assert_int_gt(held, 0);
}
END_TEST

/* Somebody with the sqlite3 shell holds the database for a moment. */
START_TEST(held_from_outside)
{
    struct store *s = opened(STORE_WRITE);
    int64_t run = a_run(s, 1, "g");
    sqlite3 *other = NULL;
    ck_assert_int_eq(sqlite3_open(db_path, &other), SQLITE_OK);
    ck_assert_int_eq(sqlite3_exec(other, "BEGIN; SELECT * FROM run", NULL, NULL, NULL), SQLITE_OK);
    struct task *t = a_task(1, 0, 1);
    put(s, run, t, EXECUTION_PASSED, NULL, NULL, 0);
    OK(store_flush(s, err));
    ck_assert_int_eq(outside("SELECT count(*) FROM exec"), 1);
    sqlite3_close(other);
    store_close(s);
    task_free(t);
}
END_TEST

static void fill(TCase *tests)
{
    tcase_add_checked_fixture(tests, store_set_up, store_tear_down);
    tcase_add_test(tests, migration);
    tcase_add_test(tests, from_the_first_version);
    tcase_add_test(tests, endings_of_before);
    tcase_add_test(tests, migration_by_a_reader);
    tcase_add_test(tests, second_writer);
    tcase_add_test(tests, lock_file_is_left);
    tcase_add_test(tests, lock_is_taken_by_one);
    tcase_add_test(tests, held_from_outside);
}

int main(void)
{
    return unit_main("store versions", fill);
}
