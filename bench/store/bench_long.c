/* What a long campaign leaves: size of the database, memory of the process, and how soon the next run can begin.
 *
 *     bench_long [EXECUTIONS, default 1000000] [DIRECTORY, default a fresh one in $TMPDIR]
 *
 * The executions are of the kinds that a campaign has. Half are fresh tasks, half mutants of members that the store picked, with what
 * they were picked by. Each shows 40 features of a long tail, so that new ones come ever more seldom and never end; new ones are tried
 * again and let their tasks into the corpus. One in ten fails with a record of 2 KB, one in fifty shows one of 300 findings, and domains
 * and mutators are counted. Everything goes through corpus/store.h as the loop does it, with the settings' defaults.
 *
 * The templates are loaded as a campaign has them, since memory is that of the process.
 *
 * A line for each tenth, then what is promised and whether it holds: below 2 GB, the next run's first task within a second, memory at the end
 * within a tenth of what it was after the first tenth. Exit status 1 when one does not hold. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/fs.h"
#include "base/hash.h"
#include "corpus/store.h"
#include "curve.h"
#include "gen/generate.h"

enum { FEATURES = 40, FAIL_EVERY = 10, FINDING_EVERY = 50, FINDINGS = 300, STEPS_BYTES = 2048, TENTHS = 10, DOMAINS = 10 };
/* Of n features shown, about n to this power are different ones: 38,000 of those of a million executions, which let nearly as many tasks in.
 * After thousands of executions real campaigns have shown more than that, but find new ones more slowly (bench/RESULTS.md). */
static const double TAIL = 0.57;

static const char *const domains[DOMAINS] = {"browser", "data", "filesystem", "lifecycle", "ml", "network", "perf", "process", "report", "sdlc"};
static const char *const mutators[] = {"null-byte", "encoding", "newline", "large-file", "path-trick", "cancel", "repeat", "move"};

struct campaign {
    struct store *store;
    int64_t run;
    struct rng rng;
    struct arena arena;
    struct task *task;
    uint64_t features[FEATURES];
    struct store_trial trials[FEATURES];
    char steps[STEPS_BYTES + 1];
};

static void die(const char *what, struct error *err)
{
    fprintf(stderr, "bench_long: %s%s%s\n", what, err ? ": " : "", err ? err->text : "");
    exit(2);
}

/* They live as long as the program. */
static void load_templates(const struct ops *ops)
{
    for (int i = 0; i < DOMAINS; i++) {
        struct domain *d;
        struct error *err = NULL;
        char file[4096];
        snprintf(file, sizeof file, TASKGEN_SOURCE_DIR "/domains/%s.xml", domains[i]);
        if (domain_load(file, ops, generate_recipes(), &d, &err) < 0)
            die("a template", err);
    }
}

/* ---- one execution ---- */

static void task_make(struct campaign *c, const struct ops *ops)
{
    struct task *t = c->task = task_new();
    t->grammar_hash = "0123456789abcdef";
    t->derivation = "AAo+ArPEnLnEmrDW6QEB0AQAAysCASiIAwELAAMbCAEY6SwBAQAJEw0BABYBBAEFAQQBAAMBAAEBAAMBBAQBbAAIEQMCfQQBgAEHAn8OAYgBBgMDDwECEAHRAwQB";
    t->instruction = "Write the notes of the day below the heading, read them back, and tell how long they are and when they were last changed.";
    for (int i = 0; i < 8; i++) {
        struct json *args = json_new(&t->arena, JSON_OBJECT);
        json_set(&t->arena, args, "path", json_text(&t->arena, "notes/2026/today.txt"));
        json_set(&t->arena, args, "content", json_text(&t->arena, "Our measurements agree with the second run. Call the workshop about the gauge before noon."));
        task_add_step(t, ops_find(ops, "write"), args);
    }
}

/* The features of execution i; the fewer have been seen the rarer a new one is. */
static void show_features(struct campaign *c)
{
    for (int i = 0; i < FEATURES; i++) {
        double u = ((double)rng_below(&c->rng, UINT64_C(1) << 53) + 1) / 9007199254740993.0;
        uint64_t which = (uint64_t)pow(u, -TAIL / (1 - TAIL));
        c->features[i] = (1 + which % 14) << 56 | (hash64_mix(which, 0) & 0xffffffffffffff);
    }
}

static void find_something(struct campaign *c, struct buf *task_text)
{
    struct error *err = NULL;
    bool grew, known;
    enum finding_state state;
    uint64_t which = rng_below(&c->rng, 1 + rng_below(&c->rng, FINDINGS));
    struct finding f = {.text = "sandbox/encoding/truncated-at-nul/write: the content ends at its first NUL",
                        .layer = "sandbox", .primitive = "encoding", .check = "truncated-at-nul", .op = "write",
                        .detail = "the content ends at its first NUL", .title = "What is written ends at its first NUL",
                        .evidence = "24 bytes were sent, the reply says they were written, and a witness that looks from outside finds 7",
                        .target = "mcp:server", .identity = "server 1.0", .state = FINDING_CONFIRMED, .n_failed = 5, .n_run = 5,
                        .times_seen = 1, .task = buf_string(task_text), .task_steps = 3 + (int64_t)rng_below(&c->rng, 6)};
    snprintf(f.signature, sizeof f.signature, "%016" PRIx64, hash64_mix(which, 7));
    if (store_find(c->store, f.signature, &known, &state, &err) < 0 || store_put_finding(c->store, c->run, &f, &grew, &err) < 0)
        die("a finding", err);
}

static void count(struct campaign *c, const char *kind, const char *name, bool won)
{
    struct error *err = NULL;
    if (store_count(c->store, kind, name, 1, won, 1000000, &err) < 0)
        die("a counter", err);
}

static void execute(struct campaign *c, uint64_t index)
{
    struct error *err = NULL;
    struct task *t = c->task;
    struct store_picked picked;
    char parent[33] = "";
    bool mutant = index > 100 && rng_chance(&c->rng, 0.5);
    arena_clear(&c->arena);
    if (mutant && store_pick(c->store, &c->rng, &c->arena, &picked, &err) < 0)
        die("a pick", err);
    if (mutant) {
        ptrdiff_t at = bytes_find(picked.json, BYTES_LITERAL("\"id\":\""), 0);
        memcpy(parent, picked.json.data + at + 6, 32);
    }
    t->domain = domains[index % DOMAINS];
    t->workflow = "rename-in-place";
    t->index = index;
    t->seed = 1;
    show_features(c);
    hash128_hex(bytes_of(&index, sizeof index), t->id);
    struct store_trials trials = {.items = c->trials};
    struct store_execution e = {.run = c->run, .task = t, .parent = mutant ? parent : NULL, .picked = mutant ? &picked : NULL, .executed = true,
                                .ns = 1000000 + (int64_t)rng_below(&c->rng, 100000000), .steps = c->steps,
                                .outcome = index % FAIL_EVERY ? EXECUTION_PASSED : EXECUTION_FAILED, .features = c->features,
                                .feature_count = FEATURES, .trials = &trials};
    size_t gained = 0;
    if (store_put_execution(c->store, &e, &gained, &err) < 0)
        die("an execution", err);
    for (size_t i = 0; i < trials.count; i++) {
        trials.items[i].tries = trials.items[i].shows = 1;
        trials.items[i].stable = true;
        trials.items[i].text = "write: the reply says that it is done";
    }
    if (trials.count && store_admit(c->store, &e, true, &gained, &err) < 0)
        die("a feature", err);
    count(c, "domain", t->domain, gained > 0);
    if (mutant)
        count(c, "mutator", mutators[rng_below(&c->rng, sizeof mutators / sizeof *mutators)], gained > 0);
    if (index % FINDING_EVERY == 0) {
        struct buf text;
        buf_init(&text, 1 << 20);
        task_write(t, &text);
        find_something(c, &text);
        buf_release(&text);
    }
}

/* ---- the curve ---- */

/* Memory after each tenth. */
static void run_all(struct campaign *c, uint64_t executions, const char *file, double memory[TENTHS])
{
    struct error *err = NULL;
    struct store_totals totals;
    uint64_t index = 0;
    printf("%12s %12s %10s %10s %10s %10s %9s\n", "executions", "a second", "MB on disk", "MB memory", "features", "members", "findings");
    for (int tenth = 0; tenth < TENTHS; tenth++) {
        int64_t start = clock_monotonic_ns();
        uint64_t until = executions * (uint64_t)(tenth + 1) / TENTHS, from = index;
        while (index < until)
            execute(c, index++);
        double seconds = (double)(clock_monotonic_ns() - start) / 1e9;
        if (store_flush(c->store, &err) < 0)
            die("the store", err);
        memory[tenth] = resident_mb();
        if (store_totals(c->store, &totals, &err) < 0)
            die("the store", err);
        printf("%12" PRIu64 " %12.0f %10.0f %10.1f %10" PRId64 " %10" PRId64 " %9" PRId64 "\n", index, (double)(index - from) / seconds, size_mb(file),
               memory[tenth], totals.features, totals.corpus, totals.findings);
        fflush(stdout);
    }
}

/* From opening the file to having something to run. */
static double start_seconds(struct campaign *c, const char *file, const struct settings *settings)
{
    struct error *err = NULL;
    struct store_picked picked;
    uint64_t next;
    int64_t start = clock_monotonic_ns();
    if (store_open(file, STORE_WRITE, settings, &c->store, &err) < 0 || store_next_index(c->store, 1, "g", "none", &next, &err) < 0 ||
        store_pick(c->store, &c->rng, &c->arena, &picked, &err) < 0)
        die("the store, opened again", err);
    return (double)(clock_monotonic_ns() - start) / 1e9;
}

/* What else is asked of a database of that size. */
static void others(struct campaign *c, const char *file, const struct settings *settings)
{
    struct store *other = NULL;
    struct error *err = NULL;
    struct store_minimised small;
    struct store_merged merged;
    char name[4200];
    snprintf(name, sizeof name, "%s.other", file);
    int64_t start = clock_monotonic_ns();
    if (store_minimise(c->store, true, &small, &err) < 0)
        die("minimising", err);
    printf("minimise: %zu of %zu members are needed, %.2f s\n", small.needed, small.members, (double)(clock_monotonic_ns() - start) / 1e9);
    if (store_open(name, STORE_WRITE, settings, &other, &err) < 0)
        die("another store", err);
    for (int i = 0; i < 2; i++) {
        start = clock_monotonic_ns();
        if (store_merge(other, file, settings, &merged, &err) < 0)
            die("merging", err);
        fflush(stdout);
        printf("merge %s: %" PRId64 " executions were new, %.2f s\n", i ? "again" : "into an empty one", merged.executions,
               (double)(clock_monotonic_ns() - start) / 1e9);
    }
    store_close(other);
}

int main(int argc, char **argv)
{
    uint64_t executions = argc > 1 ? strtoull(argv[1], NULL, 10) : 1000000;
    struct campaign *c = xcalloc(1, sizeof *c);
    struct error *err = NULL;
    struct ops *ops = NULL;
    struct settings settings;
    double memory[TENTHS];
    char file[4100], *dir = fs_fresh_dir("bench-long", &err);
    if (!dir || executions < 1000)
        die("expected at least 1000 executions and a directory", err);
    snprintf(file, sizeof file, "%s/long.db", argc > 2 ? argv[2] : dir);
    settings_defaults(&settings);
    if (ops_load(TASKGEN_SOURCE_DIR "/domains/ops.xml", &ops, &err) < 0)
        die("the vocabulary", err);
    arena_init(&c->arena);
    rng_seed(&c->rng, 1, 0);
    memset(c->steps, 'x', STEPS_BYTES);
    load_templates(ops);
    task_make(c, ops);
    struct store_run run = {.verb = "bench", .command = "bench_long", .target = "none", .grammar = "g", .seed = 1, .settings = "{}"};
    if (store_open(file, STORE_WRITE, &settings, &c->store, &err) < 0 || store_run_begin(c->store, &run, &c->run, &err) < 0)
        die("the store", err);
    run_all(c, executions, file, memory);
    if (store_run_end(c->store, c->run, "none", &err) < 0)
        die("the store", err);
    store_close(c->store);
    bool holds = promise("size of the database", size_mb(file) / 1000, 2, "GB");
    holds &= promise("from opening it to the first task", start_seconds(c, file, &settings), 1, "s");
    holds &= promise("memory at the end, by that after the first tenth", memory[TENTHS - 1] / memory[0], 1.1, "times");
    others(c, file, &settings);
    store_close(c->store);
    task_free(c->task);
    arena_release(&c->arena);
    ops_free(ops);
    fs_remove_tree(dir, NULL);
    free(dir);
    free(c);
    return holds ? 0 : 1;
}
