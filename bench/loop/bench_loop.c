/* What the loop itself costs: tasks a second on a target in this process (echo.h), next to threads that only make such calls, in turn,
 * round after round, since a figure alone says more about the machine than about us. Three parts: fresh tasks of five steps; whatever
 * `taskgen fuzz` makes of them by mutating and joining; and the same where each call takes 1 ms, where what counts is how much
 * processor time the loop takes of the wall's.
 *
 *     bench_loop [SECONDS a round, default 5] [ROUNDS, default 5] [WORKERS, default 2] [TEMPLATE, default echo.xml here]
 *
 * The loop is that of `taskgen fuzz`: tasks are made, run in a session each, judged by all checks, their features held against the known
 * ones, everything stored; the database is looked at in the end. No task sends more than 64 KiB, since copying is no cost of the
 * loop's. "bare" has the arguments of as many tasks made in advance, and makes just the calls. "with the cores to itself" is what the
 * processor time comes to when each worker has a core, which others that run meanwhile take away. */
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include "base/clock.h"
#include "base/fs.h"
#include "echo.h"
#include "exec/loop.h"
#include "exec/resolve.h"

enum { ROUNDS_MAX = 99, WORKERS_MAX = 64, SAMPLE = 500, NS_PER_S = 1000000000, PAUSE_NS = 1000000, STEP_MS = 10000 };

#define SENT_MOST "64K"

struct bench {
    struct settings settings;
    struct ops *ops;
    struct domain *domain;
    const struct domain *domains[1];
    struct generate_options generate;
    struct store *store;
    int64_t seconds;
    unsigned workers;
    uint64_t next_index;
    int64_t stored; /* executions that the loop counted */
};

/* What one round of either kind did. */
struct figures {
    double tasks, calls; /* a second */
    double cpu_us;       /* processor time a task */
    double busy;         /* processor time by wall */
};

static void die(const char *what, struct error *err)
{
    fprintf(stderr, "bench_loop: %s%s%s\n", what, err ? ": " : "", err ? err->text : "");
    exit(1);
}

static int64_t number(const char *text)
{
    char *end;
    long long value = strtoll(text, &end, 10);
    if (*end || value < 1)
        die("expected a number above 0", NULL);
    return value;
}

static double cpu_seconds(void)
{
    struct rusage u;
    getrusage(RUSAGE_SELF, &u);
    return (double)(u.ru_utime.tv_sec + u.ru_stime.tv_sec) + (double)(u.ru_utime.tv_usec + u.ru_stime.tv_usec) / 1e6;
}

static struct figures figures_of(double tasks, double calls, int64_t wall_ns, double cpu)
{
    double wall = (double)wall_ns / NS_PER_S;
    return (struct figures){tasks / wall, calls / wall, tasks > 0 ? cpu * 1e6 / tasks : 0, cpu / wall};
}

/* ---- the loop ---- */

/* The target is right, so this is a fault of ours. */
static void on_finding(void *user, const struct finding *f)
{
    (void)user;
    printf("NOT CALM: %s (%s)\n", f->text, f->evidence);
}

static struct figures run_loop(struct bench *b, struct target *target)
{
    struct error *err = NULL;
    struct loop_progress total;
    struct store_run run = {.verb = "bench", .command = "bench_loop", .target = "echo", .grammar = "g", .settings = "{}"};
    struct loop_options o = {
        .target = target,
        .store = b->store,
        .generate = &b->generate,
        .settings = &b->settings,
        .ops = b->ops,
        .seed = 1,
        .first_index = b->next_index,
        .time_ms = b->seconds * 1000,
        .mutate = 1,
        .feed_back = true,
        .confirm = true,
        .shrink = true,
        .workers = b->workers,
        .finding = on_finding,
    };
    if (store_run_begin(b->store, &run, &o.run, &err) < 0)
        die("the store", err);
    double cpu = cpu_seconds();
    int64_t start = clock_monotonic_ns();
    if (loop_run(&o, &total, &err) < 0)
        die("the loop", err);
    if (store_run_end(b->store, o.run, "echo", &err) < 0)
        die("the store", err);
    struct figures f = figures_of((double)total.executions, (double)total.calls, clock_monotonic_ns() - start, cpu_seconds() - cpu);
    if (total.harness)
        printf("NOT CALM: %" PRId64 " with harness trouble\n", total.harness);
    b->next_index += (uint64_t)total.executions * (uint64_t)settings_int(&b->settings, "loop.choices");
    b->stored += total.executions;
    return f;
}

/* ---- bare calls ---- */

struct bare {
    const struct bench *bench;
    struct target *target;
    struct call (*calls)[SAMPLE]; /* by step, then by task */
    size_t steps[SAMPLE];
    unsigned number;
    int64_t until_ns, tasks, made;
};

enum { STEPS_MAX = 32 };

/* The calls of a sample of fresh tasks; those of which one cannot be resolved beforehand are left out. */
static void make_calls(struct bare *r, struct arena *a)
{
    r->calls = xcalloc(STEPS_MAX, sizeof *r->calls);
    for (uint64_t i = 0; i < SAMPLE; i++) {
        struct task *t;
        struct error *err = NULL;
        if (generate_task(&r->bench->generate, 1, i * WORKERS_MAX + r->number, &t, &err) < 0)
            die("a task", err);
        struct resolver resolver = {.task = t, .max_bytes = 1 << 20};
        for (size_t s = 0; s < t->step_count && s < STEPS_MAX; s++) {
            struct resolved resolved = {0};
            if (resolve_step(&resolver, &t->steps[s], a, &resolved, &err) < 0)
                die("a step", err);
            if (resolved.skip_reason)
                break;
            r->calls[s][i] = (struct call){.op = t->steps[s].op, .args = resolved.args, .timeout_ms = STEP_MS, .cancel_after_ms = -1};
            r->steps[i] = s + 1;
        }
        task_free(t);
    }
}

static void *work_bare(void *user)
{
    struct bare *r = user;
    struct arena a;
    arena_init(&a);
    for (size_t i = 0; clock_monotonic_ns() < r->until_ns; i = (i + 1) % SAMPLE) {
        struct session s = {.target = r->target, .driver = &driver_echo};
        if (driver_echo.open(&s, NULL) < 0)
            die("a session", NULL);
        for (size_t step = 0; step < r->steps[i]; step++) {
            struct call call = r->calls[step][i], *one = &call;
            call.arena = &a;
            driver_echo.calls(&s, &one, 1);
            r->made++;
        }
        driver_echo.release(&s);
        arena_clear(&a);
        r->tasks++;
    }
    arena_release(&a);
    return NULL;
}

static struct figures run_bare(const struct bench *b, struct target *target)
{
    struct bare *workers = xcalloc(b->workers, sizeof *workers);
    pthread_t threads[WORKERS_MAX];
    struct arena a;
    double tasks = 0, calls = 0;
    arena_init(&a);
    for (unsigned i = 0; i < b->workers; i++) {
        workers[i] = (struct bare){.bench = b, .target = target, .number = i};
        make_calls(&workers[i], &a);
    }
    double cpu = cpu_seconds();
    int64_t start = clock_monotonic_ns();
    for (unsigned i = 0; i < b->workers; i++) {
        workers[i].until_ns = start + b->seconds * NS_PER_S;
        if (pthread_create(&threads[i], NULL, work_bare, &workers[i]))
            die("no thread", NULL);
    }
    for (unsigned i = 0; i < b->workers; i++) {
        pthread_join(threads[i], NULL);
        tasks += (double)workers[i].tasks;
        calls += (double)workers[i].made;
        free(workers[i].calls);
    }
    struct figures f = figures_of(tasks, calls, clock_monotonic_ns() - start, cpu_seconds() - cpu);
    arena_release(&a);
    free(workers);
    return f;
}

/* ---- both ---- */

static void print_figures(const char *what, const struct figures *f)
{
    printf("  %s %9.0f tasks/s %9.0f calls/s %8.1f us CPU a task %6.1f%% CPU of wall", what, f->tasks, f->calls, f->cpu_us,
           100 * f->busy);
}

static const struct part {
    const char *title;
    int64_t pause_ns;
    bool fresh; /* nothing is mutated or joined, so tasks have the steps that the template gives them */
} parts[] = {
    {"fresh tasks of five steps, calls that take no time", 0, true},
    {"whatever fuzz makes of them, calls that take no time", 0, false},
    {"whatever fuzz makes of them, calls that take 1 ms", PAUSE_NS, false},
};

static void set_shares(struct settings *s, bool fresh)
{
    static const char *const names[] = {"loop.adapt", "loop.mutate-share", "loop.splice-share"};
    const struct setting_row *row;
    size_t count;
    row = settings_table(&count);
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < sizeof names / sizeof *names; k++)
            if (strcmp(row[i].name, names[k]) == 0)
                s->value[i] = fresh ? 0 : row[i].value;
}

/* Rounds in turn on a target whose calls take so long. */
static void compare(struct bench *b, const struct part *part, int64_t rounds)
{
    struct target *target = NULL;
    struct error *err = NULL;
    struct figures sum = {0}, bare_sum = {0};
    set_shares(&b->settings, part->fresh);
    if (echo_target_new(&b->settings, b->ops, part->pause_ns, &target, &err) < 0)
        die("the target", err);
    printf("%s, %u workers\n", part->title, b->workers);
    for (int64_t i = 0; i <= rounds; i++) {
        struct figures bare = run_bare(b, target), loop = run_loop(b, target);
        if (i == 0)
            continue; /* the first round fills the corpus; figures are those of a loop that is under way */
        print_figures("bare", &bare);
        printf("\n");
        print_figures("loop", &loop);
        printf("  ratio of calls %.3f\n", loop.calls / bare.calls);
        fflush(stdout);
        sum.tasks += loop.tasks / (double)rounds;
        sum.calls += loop.calls / (double)rounds;
        sum.cpu_us += loop.cpu_us / (double)rounds;
        sum.busy += loop.busy / (double)rounds;
        bare_sum.calls += bare.calls / (double)rounds;
        bare_sum.busy += bare.busy / (double)rounds;
    }
    print_figures("mean", &sum);
    printf("  ratio of calls %.3f\n", sum.calls / bare_sum.calls);
    if (part->pause_ns) /* falling asleep and waking up is what such calls cost */
        printf("  the loop itself, without what the bare calls take: %.1f%% of wall\n", 100 * (sum.busy - bare_sum.busy));
    else
        printf("  with the cores to itself %.0f tasks/s, %.0f calls/s\n", b->workers * 1e6 / sum.cpu_us,
               b->workers * 1e6 / sum.cpu_us * sum.calls / sum.tasks);
    target_free(target);
}

static void check_store(struct bench *b, const char *file)
{
    struct store *reader = NULL;
    struct store_totals totals;
    struct error *err = NULL;
    struct stat st;
    if (store_open(file, STORE_READ, &b->settings, &reader, &err) < 0 || store_totals(reader, &totals, &err) < 0)
        die("the store", err);
    printf("stored %" PRId64 " executions of %" PRId64 " that were counted, %" PRId64 " in the corpus, %" PRId64 " findings, %.0f bytes each\n",
           totals.executions, b->stored, totals.corpus, totals.findings,
           stat(file, &st) == 0 && totals.executions ? (double)st.st_size / (double)totals.executions : 0);
    store_close(reader);
    if (totals.executions != b->stored)
        die("executions were lost", NULL);
}

int main(int argc, char **argv)
{
    struct bench b = {.seconds = argc > 1 ? number(argv[1]) : 5, .workers = argc > 3 ? (unsigned)number(argv[3]) : 2};
    int64_t rounds = argc > 2 ? number(argv[2]) : 5;
    const char *template = argc > 4 ? argv[4] : TASKGEN_SOURCE_DIR "/bench/loop/echo.xml";
    struct error *err = NULL;
    char file[4200], *dir = fs_fresh_dir("bench-loop", &err);
    if (!dir)
        die("no directory", err);
    if (b.workers > WORKERS_MAX || rounds > ROUNDS_MAX)
        die("too many workers or rounds", NULL);
    snprintf(file, sizeof file, "%s/loop.db", dir);
    settings_defaults(&b.settings);
    settings_set(&b.settings, "budget.bytes", SENT_MOST, NULL);
    if (ops_load(TASKGEN_SOURCE_DIR "/domains/ops.xml", &b.ops, &err) < 0 ||
        domain_load(template, b.ops, generate_recipes(), &b.domain, &err) < 0)
        die("the template", err);
    b.domains[0] = b.domain;
    b.generate = (struct generate_options){.domains = b.domains, .domain_count = 1, .settings = &b.settings};
    if (store_open(file, STORE_WRITE, &b.settings, &b.store, &err) < 0)
        die("the store", err);
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        compare(&b, &parts[i], rounds);
    store_close(b.store);
    check_store(&b, file);
    domain_free(b.domain);
    ops_free(b.ops);
    fs_remove_tree(dir, NULL);
    free(dir);
    return 0;
}
