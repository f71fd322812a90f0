/* Every tree mutant of tasks of the shipped templates, and of two test templates in which steps nest, is a
 * valid task: it is read back as it was written, its derivation makes it again, byte for byte, it uses
 * nothing that it did not make (task_soundness.h), its budgets hold, and it differs from what it was made of.
 * TASKGEN_LONG=100000 makes that many rather than 3,000 (with CK_TIMEOUT_MULTIPLIER=30, since Check stops a
 * test after a minute). TASKGEN_TABLE=1 prints tries and successes by mutator. */
#include <glob.h>
#include <pthread.h>
#include <stdarg.h>
#include <time.h>

#include "mutate/tree/tree.h"
#include "plan_case.h"
#include "task_soundness.h"

enum {
    MUTANTS = 3000,
    THREADS = 2,
    DOMAINS = 32,
    MUTATORS = 16,
    LINE = 4 /* mutants in a row, each of the one before */
};

static struct settings settings;
static const struct domain *domains[DOMAINS];
static struct generate_options options;

/* Domains that are shipped, without those that the environment leaves out: TASKGEN_ONLY=data,ml */
static void load_domains(void)
{
    glob_t files;
    const char *only = getenv("TASKGEN_ONLY");
    ck_assert_int_eq(glob(TASKGEN_SOURCE_DIR "/domains/*.xml", 0, NULL, &files), 0);
    for (size_t i = 0; i < files.gl_pathc && options.domain_count + 2 < DOMAINS; i++) {
        char name[256];
        snprintf(name, sizeof name, "%s", strrchr(files.gl_pathv[i], '/') + 1);
        name[strlen(name) - strlen(".xml")] = '\0';
        if (strncmp(name, "common", 6) != 0 && strcmp(name, "ops") != 0 && (!only || strstr(only, name)))
            domains[options.domain_count++] = plan_load(files.gl_pathv[i]);
    }
    globfree(&files);
    domains[options.domain_count++] = plan_load(TASKGEN_SOURCE_DIR "/tests/data/tree/shop.xml");
    domains[options.domain_count++] = plan_load(PLAN_DATA "/good/kitchen.xml");
}

static void set_up(void)
{
    plan_set_up();
    settings_defaults(&settings);
    options = (struct generate_options){.domains = domains, .settings = &settings};
    load_domains();
}

static void tear_down(void)
{
    for (size_t i = 0; i < options.domain_count; i++)
        domain_free((struct domain *)domains[i]);
    plan_tear_down();
}

/* --- one mutant --- */

struct share {
    pthread_t thread;
    uint64_t first, last;
    uint64_t tried[MUTATORS], made[MUTATORS];
    double seconds; /* in tree_mutate alone */
    char fault[1024];
};

/* Notes what is wrong; false. */
static bool __attribute__((format(printf, 2, 3))) fault_of(struct share *s, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(s->fault, sizeof s->fault, format, arguments);
    va_end(arguments);
    return false;
}

static bool check_read_back(struct share *s, const struct task *t)
{
    struct buf text, again;
    struct task *back = NULL;
    struct error *err = NULL;
    buf_init(&text, 1 << 24);
    buf_init(&again, 1 << 24);
    task_write(t, &text);
    bool ok = task_read(plan_ops, buf_bytes(&text), "mutant", &back, &err) == 0 ||
              fault_of(s, "%s", err->text);
    if (ok) {
        task_write(back, &again);
        ok = bytes_equal(buf_bytes(&text), buf_bytes(&again)) || fault_of(s, "it reads back as another one");
        task_free(back);
    }
    buf_release(&text);
    buf_release(&again);
    return ok;
}

/* Its own derivation, with another seed: nothing may be drawn. */
static bool check_replay(struct share *s, const struct domain *d, const struct task *t)
{
    struct derivation log;
    struct buf text, again;
    struct task *made = NULL;
    struct error *err = NULL;
    derivation_init(&log);
    buf_init(&text, 1 << 24);
    buf_init(&again, 1 << 24);
    bool ok = derivation_decode(&log, bytes_of_string(t->derivation), &err) == 0 &&
              generate_from(&options, d, &log, t->seed + 1, t->index + 1, &made, &err) == 0;
    if (!ok) {
        fault_of(s, "%s", err->text);
        error_free(err);
    } else {
        made->seed = t->seed;
        made->index = t->index;
        made->mutations = json_copy(&made->arena, t->mutations);
        task_identify(made);
        task_write(t, &text);
        task_write(made, &again);
        ok = bytes_equal(buf_bytes(&text), buf_bytes(&again)) ||
             fault_of(s, "its derivation makes another task");
        task_free(made);
    }
    derivation_release(&log);
    buf_release(&text);
    buf_release(&again);
    return ok;
}

static bool check_budgets(struct share *s, const struct task *t)
{
    struct task *calm = task_copy(t);
    struct buf text;
    calm->mutations = json_new(&calm->arena, JSON_ARRAY); /* records are not the template's to bound */
    task_identify(calm);
    buf_init(&text, 1 << 24);
    task_write(calm, &text);
    bool ok = text.len <= (size_t)settings_int(&settings, "generate.max-bytes") ||
              fault_of(s, "it is %zu bytes long", text.len);
    ok = ok && (t->step_count <= (size_t)settings_int(&settings, "generate.max-steps") ||
                fault_of(s, "%zu steps", t->step_count));
    task_free(calm);
    buf_release(&text);
    return ok;
}

static bool check_mutant(struct share *s, const struct domain *d, const struct task *parent,
                         const struct task *t)
{
    char *fault = soundness_check(t);
    bool sound = !fault || fault_of(s, "%s", fault);
    free(fault);
    return sound && check_read_back(s, t) && check_replay(s, d, t) && check_budgets(s, t) &&
           (strcmp(t->id, parent->id) != 0 || fault_of(s, "it is its parent"));
}

/* --- many --- */

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static void decode(const struct task *t, struct derivation *log)
{
    if (derivation_decode(log, bytes_of_string(t->derivation), NULL) < 0)
        derivation_clear(log);
}

/* A mutant by a mutator drawn, or by one after the other; NULL: nothing came of it, or a fault. */
static struct task *mutate(struct share *s, const struct domain *d, const struct task *parent,
                           const struct derivation *donor, struct rng *rng)
{
    size_t count = 0;
    while (tree_mutator_at(count))
        count++;
    size_t which = rng_below(rng, count);
    struct task *t = NULL;
    struct error *err = NULL;
    double start = now();
    int status = tree_mutate(&options, d, parent, donor, tree_mutator_at(which), rng, &t, &err);
    s->seconds += now() - start;
    if (status < 0) {
        fault_of(s, "%s", err->text);
        error_free(err);
        return NULL;
    }
    s->tried[which]++;
    s->made[which] += t != NULL;
    return t;
}

static void run_line(struct share *s, uint64_t i)
{
    const struct domain *d = options.domains[i % options.domain_count];
    struct task *t = NULL, *other = NULL;
    struct derivation donor;
    struct rng rng;
    rng_seed(&rng, 31, i);
    derivation_init(&donor);
    if (generate_task(&options, 30, i, &t, NULL) < 0 ||
        generate_task(&options, 30, i + options.domain_count, &other, NULL) < 0) {
        fault_of(s, "a task cannot be made");
        task_free(t);
        derivation_release(&donor);
        return;
    }
    decode(other, &donor);
    for (int k = 0; k < LINE && !*s->fault; k++) {
        struct task *next = mutate(s, d, t, rng_chance(&rng, 0.5) ? &donor : NULL, &rng);
        if (next && !check_mutant(s, d, t, next)) {
            char text[sizeof s->fault];
            memcpy(text, s->fault, sizeof text);
            fault_of(s, "%s, line %llu, mutant %d: %.800s", domain_name(d), (unsigned long long)i, k, text);
        }
        if (next) {
            task_free(t);
            t = next;
        }
    }
    task_free(t);
    task_free(other);
    derivation_release(&donor);
}

static void *run_share(void *argument)
{
    struct share *s = argument;
    for (uint64_t i = s->first; i < s->last && !*s->fault; i++)
        run_line(s, i);
    return NULL;
}

static void print_table(const struct share *sum)
{
    uint64_t made = 0;
    for (size_t i = 0; tree_mutator_at(i); i++) {
        printf("%-20s %7llu of %7llu\n", tree_mutator_at(i)->name, (unsigned long long)sum->made[i],
               (unsigned long long)sum->tried[i]);
        made += sum->made[i];
    }
    printf("%llu mutants, %.0f a second of CPU time\n", (unsigned long long)made,
           (double)made / sum->seconds);
}

START_TEST(mutants_are_valid)
{
    struct share shares[THREADS], sum = {0};
    const char *number = getenv("TASKGEN_LONG");
    uint64_t lines = (number ? strtoull(number, NULL, 10) : MUTANTS) / LINE;
    for (size_t i = 0; i < THREADS; i++) {
        shares[i] = (struct share){.first = lines * i / THREADS, .last = lines * (i + 1) / THREADS};
        ck_assert_int_eq(pthread_create(&shares[i].thread, NULL, run_share, &shares[i]), 0);
    }
    for (size_t i = 0; i < THREADS; i++) {
        ck_assert_int_eq(pthread_join(shares[i].thread, NULL), 0);
        sum.seconds += shares[i].seconds;
        for (size_t m = 0; m < MUTATORS; m++) {
            sum.tried[m] += shares[i].tried[m];
            sum.made[m] += shares[i].made[m];
        }
    }
    if (getenv("TASKGEN_TABLE"))
        print_table(&sum);
    for (size_t i = 0; i < THREADS; i++)
        ck_assert_msg(!*shares[i].fault, "%s", shares[i].fault);
    /* None is idle. Few shipped templates nest steps, or have several handles that fit. */
    for (size_t m = 0; tree_mutator_at(m); m++)
        ck_assert_msg(sum.made[m] * 50 > sum.tried[m], "%s: %llu of %llu", tree_mutator_at(m)->name,
                      (unsigned long long)sum.made[m], (unsigned long long)sum.tried[m]);
}
END_TEST

static void fill(TCase *tests)
{
    tcase_add_checked_fixture(tests, set_up, tear_down);
    tcase_add_test(tests, mutants_are_valid);
}

int main(void)
{
    return unit_main("tree_mutants", fill);
}
