/* How many executions a second the store takes, next to what SQLite takes when the same rows are written by
 * the barest loop: one INSERT for the task, one for the execution, the same transactions, the same pragmas.
 * Both run in turn on the same disk, round after round, because a figure alone says more about the disk than
 * about us; the ratio is what counts.
 *
 *     bench_store [EXECUTIONS a round, default 50000] [ROUNDS, default 5] [DIRECTORY, default a fresh one in
 * $TMPDIR]
 *
 * The executions are those of a campaign that is under way: a task each, 40 features each from a pool that is
 * known after a while, one execution in 500 brings one that is new, one in ten fails with a record of 2 KB.
 */
#include <inttypes.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/clock.h"
#include "base/fs.h"
#include "base/hash.h"
#include "corpus/store.h"

enum { FEATURES = 40, POOL = 3000, NEW_EVERY = 500, FAIL_EVERY = 10, STEPS_BYTES = 2048, ROUNDS_MAX = 99 };

static void die(const char *what, struct error *err)
{
    fprintf(stderr, "bench_store: %s%s%s\n", what, err ? ": " : "", err ? err->text : "");
    exit(1);
}

static uint64_t number(const char *text)
{
    char *end;
    uint64_t value = strtoull(text, &end, 10);
    if (*end || !value)
        die("expected a number above 0", NULL);
    return value;
}

/* The same executions for every round of a kind: index is all that they depend on. */
struct load {
    struct task *task;
    uint64_t features[FEATURES];
    char steps[STEPS_BYTES + 1];
};

static struct load *load_new(void)
{
    struct load *l = xcalloc(1, sizeof *l);
    struct error *err = NULL;
    struct ops *ops = NULL; /* lives as long as the program */
    if (ops_load(TASKGEN_SOURCE_DIR "/domains/ops.xml", &ops, &err) < 0)
        die("the vocabulary", err);
    struct task *t = l->task = task_new();
    t->domain = "filesystem";
    t->workflow = "rename-in-place";
    t->grammar_hash = "0123456789abcdef";
    t->derivation = "";
    t->instruction = "Write the notes, read them back, and tell how long they are.";
    for (int i = 0; i < 5; i++) {
        struct json *args = json_new(&t->arena, JSON_OBJECT);
        json_set(&t->arena, args, "path", json_text(&t->arena, "notes/today.txt"));
        task_add_step(t, ops_find(ops, "stat"), args);
    }
    task_identify(t);
    memset(l->steps, 'x', STEPS_BYTES);
    return l;
}

static void load_set(struct load *l, uint64_t index)
{
    struct rng rng;
    rng_seed(&rng, 1, index);
    l->task->index = index;
    hash128_hex(bytes_of(&index, sizeof index), l->task->id);
    for (int i = 0; i < FEATURES; i++) {
        uint64_t which = rng_below(&rng, 1 + rng_below(&rng, POOL));
        l->features[i] = (1 + which % 8) << 56 | (hash64_mix(which, 0) & 0xffffffffffffff);
    }
    if (index % NEW_EVERY == 0)
        l->features[0] = (uint64_t)9 << 56 | (hash64_mix(index, 1) & 0xffffffffffffff);
}

static double rate(uint64_t count, int64_t start_ns)
{
    return (double)count * 1e9 / (double)(clock_monotonic_ns() - start_ns);
}

/* ---- the store ---- */

static double run_store(struct store *s, int64_t run, struct load *l, uint64_t from, uint64_t count)
{
    int64_t start = clock_monotonic_ns();
    struct error *err = NULL;
    size_t fresh;
    for (uint64_t i = from; i < from + count; i++) {
        load_set(l, i);
        struct store_execution e = {.run = run,
                                    .task = l->task,
                                    .executed = true,
                                    .ns = 1000000,
                                    .steps = l->steps,
                                    .outcome = i % FAIL_EVERY ? EXECUTION_PASSED : EXECUTION_FAILED,
                                    .features = l->features,
                                    .feature_count = FEATURES};
        if (store_put_execution(s, &e, &fresh, &err) < 0)
            die("the store", err);
    }
    if (store_flush(s, &err) < 0)
        die("the store", err);
    return rate(count, start);
}

/* ---- the bare loop ---- */

struct bare {
    sqlite3 *db;
    sqlite3_stmt *task, *exec;
    int64_t batch;
};

static void bare_do(struct bare *b, const char *sql)
{
    if (sqlite3_exec(b->db, sql, NULL, NULL, NULL) != SQLITE_OK)
        die(sqlite3_errmsg(b->db), NULL);
}

static void bare_open(struct bare *b, const char *file, int64_t batch)
{
    b->batch = batch;
    if (sqlite3_open(file, &b->db) != SQLITE_OK)
        die(sqlite3_errmsg(b->db), NULL);
    bare_do(b, "PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL;"
               "CREATE TABLE task(id INTEGER PRIMARY KEY, hash BLOB UNIQUE, domain TEXT, workflow TEXT, "
               "grammar TEXT, seed INTEGER, "
               "task_index INTEGER) STRICT;"
               "CREATE TABLE exec(id INTEGER PRIMARY KEY, task INTEGER, outcome TEXT, executed INTEGER, "
               "at_ms INTEGER, ns INTEGER) STRICT;");
    if (sqlite3_prepare_v2(b->db, "INSERT INTO task VALUES (NULL, ?1, ?2, ?3, ?4, ?5, ?6)", -1, &b->task,
                           NULL) != SQLITE_OK ||
        sqlite3_prepare_v2(b->db, "INSERT INTO exec VALUES (NULL, ?1, ?2, 1, ?3, ?4)", -1, &b->exec, NULL) !=
            SQLITE_OK)
        die(sqlite3_errmsg(b->db), NULL);
}

static void bare_step(struct bare *b, sqlite3_stmt *statement)
{
    if (sqlite3_step(statement) != SQLITE_DONE || sqlite3_reset(statement) != SQLITE_OK)
        die(sqlite3_errmsg(b->db), NULL);
}

static double run_bare(struct bare *b, struct load *l, uint64_t from, uint64_t count)
{
    int64_t start = clock_monotonic_ns();
    for (uint64_t i = from; i < from + count; i++) {
        const struct task *t = l->task;
        load_set(l, i);
        if ((i - from) % (uint64_t)b->batch == 0)
            bare_do(b, i > from ? "COMMIT; BEGIN" : "BEGIN");
        sqlite3_bind_blob(b->task, 1, t->id, 16, SQLITE_STATIC);
        sqlite3_bind_text(b->task, 2, t->domain, -1, SQLITE_STATIC);
        sqlite3_bind_text(b->task, 3, t->workflow, -1, SQLITE_STATIC);
        sqlite3_bind_text(b->task, 4, t->grammar_hash, -1, SQLITE_STATIC);
        sqlite3_bind_int64(b->task, 5, (int64_t)t->seed);
        sqlite3_bind_int64(b->task, 6, (int64_t)t->index);
        bare_step(b, b->task);
        sqlite3_bind_int64(b->exec, 1, sqlite3_last_insert_rowid(b->db));
        sqlite3_bind_text(b->exec, 2, i % FAIL_EVERY ? "passed" : "failed", -1, SQLITE_STATIC);
        sqlite3_bind_int64(b->exec, 3, clock_wall_ms());
        sqlite3_bind_int64(b->exec, 4, 1000000);
        bare_step(b, b->exec);
    }
    bare_do(b, "COMMIT");
    return rate(count, start);
}

static void bare_close(struct bare *b)
{
    sqlite3_finalize(b->task);
    sqlite3_finalize(b->exec);
    sqlite3_close(b->db);
}

/* ---- both ---- */

static int compare_rates(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(double *values, uint64_t count)
{
    qsort(values, count, sizeof *values, compare_rates);
    return values[count / 2];
}

static double bytes_of_file(const char *file)
{
    struct stat st;
    return stat(file, &st) < 0 ? 0 : (double)st.st_size;
}

int main(int argc, char **argv)
{
    uint64_t count = argc > 1 ? number(argv[1]) : 50000, rounds = argc > 2 ? number(argv[2]) : 5;
    struct error *err = NULL;
    char *dir = fs_fresh_dir("bench-store", &err), store_file[4200], bare_file[4200];
    double stored[ROUNDS_MAX], bared[ROUNDS_MAX];
    if (!dir)
        die("no directory", err);
    if (rounds > ROUNDS_MAX)
        die("expected at most 99 rounds", NULL);
    snprintf(store_file, sizeof store_file, "%s/store.db", argc > 3 ? argv[3] : dir);
    snprintf(bare_file, sizeof bare_file, "%s/bare.db", argc > 3 ? argv[3] : dir);

    struct settings settings;
    settings_defaults(&settings);
    struct load *l = load_new();
    struct bare bare;
    struct store *s = NULL;
    struct store_run run = {.verb = "bench",
                            .command = "bench_store",
                            .target = "none",
                            .grammar = "g",
                            .seed = 1,
                            .settings = "{}"};
    int64_t id;
    bare_open(&bare, bare_file, settings_int(&settings, "loop.batch"));
    if (store_open(store_file, STORE_WRITE, &settings, &s, &err) < 0 ||
        store_run_begin(s, &run, &id, &err) < 0)
        die("the store", err);
    for (uint64_t i = 0; i < rounds; i++) {
        bared[i] = run_bare(&bare, l, i * count, count);
        stored[i] = run_store(s, id, l, i * count, count);
        printf("round %" PRIu64 "  bare %8.0f executions/s  store %8.0f executions/s  ratio %.2f\n", i + 1,
               bared[i], stored[i], stored[i] / bared[i]);
        fflush(stdout);
    }
    store_close(s);
    bare_close(&bare);
    double total = (double)(count * rounds);
    int64_t start = clock_monotonic_ns();
    if (store_open(store_file, STORE_WRITE, &settings, &s, &err) < 0)
        die("the store", err);
    int64_t opened_ns = clock_monotonic_ns() - start;
    store_close(s);
    double b = median(bared, rounds), m = median(stored, rounds);
    printf("median   bare %8.0f executions/s  store %8.0f executions/s  ratio %.2f\n", b, m, m / b);
    printf("size     bare %8.0f bytes each    store %8.0f bytes each    opening again %.1f ms\n",
           bytes_of_file(bare_file) / total, bytes_of_file(store_file) / total, (double)opened_ns / 1e6);
    task_free(l->task);
    free(l);
    fs_remove_tree(dir, NULL);
    free(dir);
    return 0;
}
