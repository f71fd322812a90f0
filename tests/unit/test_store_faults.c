/* corpus/store: what is not a database, what is damaged, who else writes, no room, no permission, older and
 * newer schemas. */
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>

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

static void both_fail(int code, const char *part)
{
    struct store *s = NULL;
    FAILS(code, part, store_open(db_path, STORE_READ, &settings, &s, err));
    FAILS(code, part, store_open(db_path, STORE_WRITE, &settings, &s, err));
    ck_assert_ptr_null(s);
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

static void make_full(void)
{
    struct store *s = opened(STORE_WRITE);
    int64_t run = a_run(s, 1, "g");
    for (uint64_t i = 0; i < 300; i++) {
        uint64_t features[3] = {i, i / 2, i + 1000};
        struct task *t = a_task(1, i, 1 + i % 4);
        put(s, run, t, i % 2 ? EXECUTION_FAILED : EXECUTION_PASSED, "[\"a\"]", features, 3);
        task_free(t);
    }
    for (int i = 0; i < 20; i++) {
        char signature[17];
        bool grew;
        snprintf(signature, sizeof signature, "%016d", i);
        struct finding f = a_finding(signature);
        OK(store_put_finding(s, run, &f, &grew, err));
    }
    store_close(s);
}

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
    struct bytes text;
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
        status = store_pick(s, &rng, &a, &text, err);
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

/* ---- no room, no permission ---- */

/* Writes until it is refused, which must happen, in one line; then everything else still answers. */
static int fill_up(struct store *s, int64_t run)
{
    static char steps[20001];
    memset(steps, 'x', sizeof steps - 1);
    for (uint64_t i = 0; i < 2000; i++) {
        struct task *t = a_task(1, i, 1);
        struct error *err = NULL;
        size_t fresh;
        struct store_execution e = {.run = run,
                                    .task = t,
                                    .outcome = EXECUTION_FAILED,
                                    .steps = steps,
                                    .features = &i,
                                    .feature_count = 1};
        int status = store_put_execution(s, &e, &fresh, &err);
        task_free(t);
        if (status < 0) {
            ck_assert_msg(status == ERR_OUTPUT && strstr(err->text, "cannot write '") &&
                              !strchr(err->text, '\n'),
                          "%s", err->text);
            error_free(err);
            return (int)i;
        }
    }
    ck_abort_msg("the disk was never full");
}

static void no_room(void (*make_room)(void))
{
    OK(settings_set(&settings, "loop.batch", "10", err));
    struct store *s = opened(STORE_WRITE);
    int64_t run = a_run(s, 1, "g");
    struct finding f = a_finding(A);
    bool grew;
    OK(store_put_finding(s, run, &f, &grew, err));
    int put_before = fill_up(s, run);
    ck_assert_int_gt(put_before, 10);
    struct store_totals totals;
    OK(store_totals(s, &totals, err));
    ck_assert_int_ge(totals.executions, put_before / 10 * 10 - 10);
    ck_assert_int_eq(totals.findings, 1);
    /* With room again it goes on where the file stands: a feature of the lost batch is new once more. */
    make_room();
    struct task *t = a_task(2, 0, 1);
    uint64_t next = (uint64_t)totals.features, known = next - 1;
    ck_assert_uint_eq(put(s, run, t, EXECUTION_PASSED, NULL, &next, 1), 1);
    ck_assert_uint_eq(put(s, run, t, EXECUTION_PASSED, NULL, &known, 1), 0);
    OK(store_flush(s, err));
    store_close(s);
    expect_intact();
    ck_assert_int_eq(outside("SELECT count(*) FROM feature"), totals.features + 1);
    task_free(t);
}

static void raise_limit(void)
{
    struct rlimit limit;
    getrlimit(RLIMIT_FSIZE, &limit);
    limit.rlim_cur = limit.rlim_max;
    setrlimit(RLIMIT_FSIZE, &limit);
}

START_TEST(file_size_limit)
{
    struct rlimit limit;
    signal(SIGXFSZ, SIG_IGN);
    getrlimit(RLIMIT_FSIZE, &limit);
    limit.rlim_cur = 1 << 20;
    ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &limit), 0);
    no_room(raise_limit);
}
END_TEST

/* A small disk of our own, in a mount namespace of our own: nothing is left of it. False where that is not
 * permitted. */
static bool small_disk(const char *where)
{
    return unshare(CLONE_NEWNS) == 0 && mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0 &&
           mount("tmpfs", where, "tmpfs", 0, "size=2m") == 0;
}

static void grow_disk(void)
{
    ck_assert_int_eq(mount("tmpfs", dir, "tmpfs", MS_REMOUNT, "size=64m"), 0);
}

START_TEST(full_disk)
{
    if (!small_disk(dir))
        return; /* file_size_limit says the same, less well */
    no_room(grow_disk);
    ck_assert_int_eq(umount2(dir, MNT_DETACH), 0);
}
END_TEST

/* The thread that commits in time has nobody to tell: the next caller hears it. */
START_TEST(full_disk_in_the_background)
{
    if (!small_disk(dir))
        return;
    OK(settings_set(&settings, "loop.batch-ms", "20", err));
    struct store *s = opened(STORE_WRITE);
    int64_t run = a_run(s, 1, "g");
    char filler[600], *block = xcalloc(1, 4096);
    snprintf(filler, sizeof filler, "%s/filler", dir);
    FILE *f = fopen(filler, "w");
    ck_assert_ptr_nonnull(f);
    while (fwrite(block, 1, 4096, f) == 4096 && fflush(f) == 0)
        continue;
    fclose(f);
    free(block);
    static char steps[100001];
    memset(steps, 'x', sizeof steps - 1);
    struct task *t = a_task(1, 0, 1);
    put(s, run, t, EXECUTION_FAILED, steps, NULL, 0);
    for (int i = 0; i < 200; i++) {
        usleep(10000);
        struct error *err = NULL;
        int status = store_flush(s, &err);
        if (status < 0) {
            ck_assert_int_eq(status, ERR_OUTPUT);
            ck_assert_ptr_nonnull(strstr(err->text, "full"));
            error_free(err);
            break;
        }
        ck_assert_int_lt(i, 199);
    }
    ck_assert_int_eq(unlink(filler), 0);
    put(s, run, t, EXECUTION_FAILED, steps, NULL, 0);
    OK(store_flush(s, err));
    store_close(s);
    ck_assert_int_eq(outside("SELECT count(*) FROM exec"), 1);
    task_free(t);
    ck_assert_int_eq(umount2(dir, MNT_DETACH), 0);
}
END_TEST

static void use_read_only(void)
{
    struct store *s = NULL;
    FAILS(ERR_OUTPUT, "cannot write '", store_open(db_path, STORE_WRITE, &settings, &s, err));
    s = opened(STORE_READ); /* where not even the reader's own files can be made */
    struct store_totals totals;
    OK(store_totals(s, &totals, err));
    ck_assert_int_eq(totals.executions, 300);
    store_close(s);
}

START_TEST(read_only)
{
    char name[64];
    snprintf(name, sizeof name, "odd?name#%%41.db");
    if (geteuid() == 0 && !small_disk(dir))
        return; /* root is asked for no permission */
    snprintf(db_path, sizeof db_path, "%s/%s", dir, name);
    make_full();
    if (geteuid() == 0) {
        ck_assert_int_eq(mount("tmpfs", dir, "tmpfs", MS_REMOUNT | MS_RDONLY, NULL), 0);
        use_read_only();
        ck_assert_int_eq(umount2(dir, MNT_DETACH), 0);
    } else {
        ck_assert_int_eq(chmod(dir, 0555), 0);
        use_read_only();
        ck_assert_int_eq(chmod(dir, 0755), 0);
    }
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
    tcase_add_test(tests, migration);
    tcase_add_test(tests, from_the_first_version);
    tcase_add_test(tests, migration_by_a_reader);
    tcase_add_test(tests, second_writer);
    tcase_add_test(tests, lock_file_is_left);
    tcase_add_test(tests, lock_is_taken_by_one);
    tcase_add_test(tests, held_from_outside);
    tcase_add_test(tests, file_size_limit);
    tcase_add_test(tests, full_disk);
    tcase_add_test(tests, full_disk_in_the_background);
    tcase_add_test(tests, read_only);
}

int main(void)
{
    return unit_main("store_faults", fill);
}
