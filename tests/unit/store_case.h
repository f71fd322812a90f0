/* For the tests of the store: a fresh directory, tasks that differ, opening in one line, looking in from
 * outside. */
#ifndef TESTS_UNIT_STORE_CASE_H
#define TESTS_UNIT_STORE_CASE_H

#include <sqlite3.h>
#include <stdio.h>
#include <unistd.h>

#include "base/fs.h"
#include "corpus/store.h"
#include "unit.h"

static struct settings settings;
static char *dir;
static struct ops *ops;
static char db_path[512];

static inline void store_set_up(void)
{
    struct error *err = NULL;
    settings_defaults(&settings);
    dir = fs_fresh_dir("test-store", &err);
    ck_assert_msg(dir != NULL, "%s", err ? err->text : "?");
    snprintf(db_path, sizeof db_path, "%s/t.db", dir);
    ck_assert_msg(ops_load(TASKGEN_SOURCE_DIR "/domains/ops.xml", &ops, &err) == 0, "%s",
                  err ? err->text : "?");
}

static inline void store_tear_down(void)
{
    ck_assert_int_eq(fs_remove_tree(dir, NULL), 0);
    free(dir);
    ops_free(ops);
}

static inline const char *text_of(const struct error *err)
{
    return err ? err->text : "no message";
}

/* Must succeed. */
#define OK(expression)                                                                                       \
    do {                                                                                                     \
        struct error *ok_err_ = NULL, **err = &ok_err_;                                                      \
        int ok_status_ = (expression);                                                                       \
        ck_assert_msg(ok_status_ == 0, "%s: %d: %s", #expression, ok_status_, text_of(ok_err_));             \
    } while (0)

/* Must fail with the code and a message of one line that holds `part`. */
#define FAILS(code_, part, expression)                                                                       \
    do {                                                                                                     \
        struct error *fails_err_ = NULL, **err = &fails_err_;                                                \
        int fails_status_ = (expression);                                                                    \
        ck_assert_msg(fails_status_ == (code_), "%s: %d: %s", #expression, fails_status_,                    \
                      text_of(fails_err_));                                                                  \
        ck_assert_ptr_nonnull(fails_err_);                                                                   \
        ck_assert_int_eq(fails_err_->code, (code_));                                                         \
        ck_assert_msg(strstr(fails_err_->text, part) && !strchr(fails_err_->text, '\n'), "%s",               \
                      fails_err_->text);                                                                     \
        error_free(fails_err_);                                                                              \
    } while (0)

static inline struct store *opened(enum store_mode mode)
{
    struct store *s = NULL;
    OK(store_open(db_path, mode, &settings, &s, err));
    return s;
}

static inline int64_t a_run(struct store *s, uint64_t seed, const char *grammar)
{
    int64_t id = 0;
    struct store_run run = {.verb = "fuzz",
                            .command = "taskgen fuzz",
                            .target = "demo",
                            .grammar = grammar,
                            .seed = seed,
                            .settings = "{}"};
    OK(store_run_begin(s, &run, &id, err));
    ck_assert_int_gt(id, 0);
    return id;
}

/* A task of `steps` steps that no other number gives. */
static inline struct task *a_task(uint64_t seed, uint64_t index, unsigned steps)
{
    struct task *t = task_new();
    t->domain = "filesystem";
    t->workflow = "copy";
    t->seed = seed;
    t->index = index;
    t->derivation = "";
    t->grammar_hash = "";
    t->instruction = arena_printf(&t->arena, "Do %llu of %llu.", (unsigned long long)index,
                                  (unsigned long long)seed);
    for (unsigned i = 0; i < steps; i++) {
        struct json *args = json_new(&t->arena, JSON_OBJECT);
        json_set(&t->arena, args, "path", json_text(&t->arena, "a.txt"));
        task_add_step(t, ops_find(ops, "stat"), args);
    }
    task_identify(t);
    return t;
}

static inline size_t put(struct store *s, int64_t run, const struct task *t, enum execution_outcome outcome,
                         const char *steps, const uint64_t *features, size_t count)
{
    size_t fresh = SIZE_MAX;
    struct store_execution e = {.run = run,
                                .task = t,
                                .outcome = outcome,
                                .executed = true,
                                .ns = 5,
                                .steps = steps,
                                .features = features,
                                .feature_count = count};
    OK(store_put_execution(s, &e, &fresh, err));
    return fresh;
}

/* One number, through a connection of its own, as another program would see it; -1 when there is none. */
static inline int64_t outside_of(const char *file, const char *sql)
{
    sqlite3 *db = NULL;
    sqlite3_stmt *statement = NULL;
    int64_t value = -1;
    ck_assert_int_eq(sqlite3_open_v2(file, &db, SQLITE_OPEN_READWRITE, NULL), SQLITE_OK);
    sqlite3_busy_timeout(db, 5000);
    ck_assert_msg(sqlite3_prepare_v2(db, sql, -1, &statement, NULL) == SQLITE_OK, "%s: %s", sql,
                  sqlite3_errmsg(db));
    if (sqlite3_step(statement) == SQLITE_ROW)
        value = sqlite3_column_int64(statement, 0);
    sqlite3_finalize(statement);
    sqlite3_close(db);
    return value;
}

static inline int64_t outside(const char *sql)
{
    return outside_of(db_path, sql);
}

static inline void outside_do(const char *sql)
{
    sqlite3 *db = NULL;
    ck_assert_int_eq(sqlite3_open(db_path, &db), SQLITE_OK);
    ck_assert_msg(sqlite3_exec(db, sql, NULL, NULL, NULL) == SQLITE_OK, "%s: %s", sql, sqlite3_errmsg(db));
    sqlite3_close(db);
}

static inline void expect_intact(void)
{
    ck_assert_int_eq(
        outside("SELECT (SELECT group_concat(integrity_check) FROM pragma_integrity_check) = 'ok'"), 1);
    ck_assert_int_eq(outside("SELECT count(*) FROM pragma_foreign_key_check"), 0);
}

static inline struct finding a_finding(const char *signature)
{
    struct finding f = {.text = "sandbox/path/escape/write: x",
                        .layer = "sandbox",
                        .primitive = "path",
                        .check = "escape",
                        .op = "write",
                        .detail = "x",
                        .title = "It escapes",
                        .evidence = "sent, seen",
                        .target = "demo",
                        .identity = "leakybox 1",
                        .state = FINDING_NEW,
                        .times_seen = 1,
                        .task = "{\"t\":1}",
                        .task_steps = 3};
    snprintf(f.signature, sizeof f.signature, "%s", signature);
    return f;
}

/* Reading and writing both say so. */
static inline void both_fail(int code, const char *part)
{
    struct store *s = NULL;
    FAILS(code, part, store_open(db_path, STORE_READ, &settings, &s, err));
    FAILS(code, part, store_open(db_path, STORE_WRITE, &settings, &s, err));
    ck_assert_ptr_null(s);
}

/* A database with something in each table. */
static inline void make_full(void)
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

/* The one finding whose signature begins so. */
static inline struct finding only(struct store *s, struct arena *a, const char *prefix)
{
    struct finding *list = NULL;
    size_t count = 0;
    OK(store_findings(s, prefix, a, &list, &count, err));
    ck_assert_uint_eq(count, 1);
    return list[0];
}

#endif
