/* What a long campaign leaves behind in its own process: the loop of `taskgen fuzz` on a target in this process (echo.h), until so many tasks
 * have run.
 *
 *     bench_endless [EXECUTIONS, default 1000000] [WORKERS, default 2] [SETTING=VALUE...]
 *
 * Tasks are made, mutated and joined, run, judged and stored as ever, only the calls cost nothing. A line is printed for each tenth: the memory that
 * the process has, what the database takes, what it knows. Then what is promised and whether it holds: below 2 GB for a million, the next run
 * begins within a second, memory at the end within a tenth of what it was after the first tenth. Exit status 1 when one does not hold. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/fs.h"
#include "curve.h"
#include "echo.h"
#include "exec/loop.h"

enum { TENTHS = 10 };
static const double DISK_MB = 2000, START_S = 1, GROWTH = 1.1;

struct endless {
    const char *file;
    int64_t executions, start_ns, last_ns, last;
    int tenth; /* the next one to be printed */
    double memory[TENTHS];
};

static void die(const char *what, struct error *err)
{
    fprintf(stderr, "bench_endless: %s%s%s\n", what, err ? ": " : "", err ? err->text : "");
    exit(2);
}

/* A line as soon as another tenth is done; memory goes up and down with the tasks at hand, so a tenth has the mean of its looks. */
static void on_progress(void *user, const struct loop_progress *p)
{
    static double sum;
    static int looks;
    struct endless *x = user;
    sum += resident_mb();
    looks++;
    if (x->tenth == TENTHS || p->executions < x->executions * (x->tenth + 1) / TENTHS)
        return;
    int64_t now = clock_monotonic_ns();
    while (x->tenth < TENTHS && p->executions >= x->executions * (x->tenth + 1) / TENTHS)
        x->memory[x->tenth++] = sum / looks; /* a quick target may do several between two looks */
    printf("%12" PRId64 " %10.0f %10.0f %10.1f %10" PRId64 " %10" PRId64 " %9" PRId64 "\n", p->executions,
           (double)(p->executions - x->last) * 1e9 / (double)(now - x->last_ns), size_mb(x->file), sum / looks, p->features, p->corpus,
           p->findings);
    fflush(stdout);
    x->last = p->executions;
    x->last_ns = now;
    sum = looks = 0;
}

/* The target is right, so this is a fault of ours. */
static void on_finding(void *user, const struct finding *f)
{
    (void)user;
    printf("NOT CALM: %s (%s)\n", f->text, f->evidence);
}

static void campaign(struct endless *x, const struct settings *settings, struct ops *ops, const struct generate_options *generate, unsigned workers)
{
    struct error *err = NULL;
    struct target *target = NULL;
    struct store *store = NULL;
    struct loop_progress total;
    struct store_run run = {.verb = "bench", .command = "bench_endless", .target = "echo", .grammar = "g", .settings = "{}"};
    if (echo_target_new(settings, ops, 0, &target, &err) < 0 || store_open(x->file, STORE_WRITE, settings, &store, &err) < 0)
        die("the target or the store", err);
    struct loop_options o = {.target = target, .store = store, .generate = generate, .settings = settings, .ops = ops, .seed = 1, .runs = x->executions,
                             .mutate = 1, .feed_back = true, .confirm = true, .shrink = true, .workers = workers, .user = x,
                             .progress = on_progress, .finding = on_finding};
    printf("%12s %10s %10s %10s %10s %10s %9s\n", "executions", "a second", "MB on disk", "MB memory", "features", "members", "findings");
    x->start_ns = x->last_ns = clock_monotonic_ns();
    if (store_run_begin(store, &run, &o.run, &err) < 0 || loop_run(&o, &total, &err) < 0 || store_run_end(store, o.run, "echo", &err) < 0)
        die("the loop", err);
    on_progress(x, &total); /* the last tenth, when no look came behind it */
    store_close(store);
    target_free(target);
}

/* From opening the file to having something to run. */
static double start_seconds(const char *file, const struct settings *settings)
{
    struct error *err = NULL;
    struct store *store = NULL;
    struct store_picked picked;
    struct arena a;
    struct rng rng;
    uint64_t next;
    arena_init(&a);
    rng_seed(&rng, 1, 0);
    int64_t start = clock_monotonic_ns();
    if (store_open(file, STORE_WRITE, settings, &store, &err) < 0 || store_next_index(store, 1, "g", "echo", &next, &err) < 0 ||
        store_pick(store, &rng, &a, &picked, &err) < 0)
        die("the store, opened again", err);
    double seconds = (double)(clock_monotonic_ns() - start) / 1e9;
    store_close(store);
    arena_release(&a);
    return seconds;
}

static void set(struct settings *settings, const char *word)
{
    struct error *err = NULL;
    char name[64];
    const char *value = strchr(word, '=');
    snprintf(name, sizeof name, "%.*s", value ? (int)(value - word) : 0, word);
    if (!value || settings_set(settings, name, value + 1, &err) < 0)
        die("expected SETTING=VALUE", err);
    printf("%s\n", word);
}

int main(int argc, char **argv)
{
    char file[4200];
    struct error *err = NULL;
    struct endless x = {.file = file, .executions = argc > 1 ? strtoll(argv[1], NULL, 10) : 1000000};
    unsigned workers = argc > 2 ? (unsigned)strtoul(argv[2], NULL, 10) : 2;
    struct settings settings;
    struct ops *ops = NULL;
    struct domain *domain = NULL;
    const struct domain *domains[1];
    char *dir = fs_fresh_dir("bench-endless", &err);
    if (!dir || x.executions < TENTHS || !workers)
        die("expected a directory to write to, ten executions at least, and a worker", err);
    snprintf(file, sizeof file, "%s/loop.db", dir);
    settings_defaults(&settings);
    settings_set(&settings, "budget.bytes", "64K", NULL);
    settings_set(&settings, "status.interval", "200ms", NULL);
    for (int i = 3; i < argc; i++)
        set(&settings, argv[i]);
    if (ops_load(TASKGEN_SOURCE_DIR "/domains/ops.xml", &ops, &err) < 0 ||
        domain_load(TASKGEN_SOURCE_DIR "/bench/loop/echo.xml", ops, generate_recipes(), &domain, &err) < 0)
        die("the template", err);
    domains[0] = domain;
    struct generate_options generate = {.domains = domains, .domain_count = 1, .settings = &settings};
    campaign(&x, &settings, ops, &generate, workers);
    bool holds = promise("the database, for a million executions", size_mb(file) * 1e6 / (double)x.executions, DISK_MB, "MB");
    holds &= promise("from opening it to the first task", start_seconds(file, &settings), START_S, "s");
    holds &= promise("memory at the end, by that after the first tenth", x.memory[TENTHS - 1] / x.memory[0], GROWTH, "times");
    domain_free(domain);
    ops_free(ops);
    fs_remove_tree(dir, NULL);
    free(dir);
    return holds ? 0 : 1;
}
