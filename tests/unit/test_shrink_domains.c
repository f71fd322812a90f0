/* Shrinking tasks of the shipped templates, as derivations, as records and with mutations, under predicates
 * that say yes or no by the candidate's id: every candidate is a task that can be read, that uses nothing
 * which it did not make (task_soundness.h), and the end comes. TASKGEN_LONG=2000 shrinks that many rather
 * than 200. */
#include <glob.h>

#include "base/hash.h"

#include "mutate/mutate.h"
#include "mutate/shrink.h"
#include "plan_case.h"
#include "task_soundness.h"

enum { TASKS = UNIT_ROUNDS(200), DOMAINS = 32, CANDIDATES = 300 };

static struct settings settings;
static const struct domain *domains[DOMAINS];
static struct generate_options generate;

static void set_up(void)
{
    glob_t files;
    const char *only = getenv("TASKGEN_ONLY");
    plan_set_up();
    settings_defaults(&settings);
    generate = (struct generate_options){.domains = domains, .settings = &settings};
    ck_assert_int_eq(glob(TASKGEN_SOURCE_DIR "/domains/*.xml", 0, NULL, &files), 0);
    for (size_t i = 0; i < files.gl_pathc && generate.domain_count < DOMAINS; i++) {
        char name[256];
        snprintf(name, sizeof name, "%s", strrchr(files.gl_pathv[i], '/') + 1);
        name[strlen(name) - strlen(".xml")] = '\0';
        if (strncmp(name, "common", 6) != 0 && strcmp(name, "ops") != 0 && (!only || strstr(only, name)))
            domains[generate.domain_count++] = plan_load(files.gl_pathv[i]);
    }
    globfree(&files);
}

static void tear_down(void)
{
    for (size_t i = 0; i < generate.domain_count; i++)
        domain_free((struct domain *)domains[i]);
    plan_tear_down();
}

static uint64_t tasks_to_shrink(void)
{
    const char *number = getenv("TASKGEN_LONG");
    return number ? strtoull(number, NULL, 10) : TASKS;
}

static void check_candidate(const struct task *t, const char *pass, uint64_t index, bool calm)
{
    struct buf text;
    struct task *back = NULL;
    struct error *err = NULL;
    buf_init(&text, 1 << 24);
    task_write(t, &text);
    ck_assert_msg(task_read(plan_ops, buf_bytes(&text), "candidate", &back, &err) == 0,
                  "%s, index %llu, %s: %s", t->domain, (unsigned long long)index, pass, err ? err->text : "");
    char *fault = calm ? soundness_check(t) : NULL;
    ck_assert_msg(!fault, "%s, index %llu, %s: %s", t->domain, (unsigned long long)index, pass, fault);
    task_free(back);
    buf_release(&text);
}

/* Says yes to one in four. */
static void shrink_somehow(const struct task *t, const struct domain *domain, uint64_t index)
{
    struct shrink_options o = {.generate = &generate, .domain = domain, .candidates_max = CANDIDATES};
    struct shrink *s = shrink_new(&o, t);
    const struct task *candidate;
    struct error *err = NULL;
    char *fault = soundness_check(t);
    bool calm = !t->mutations->count && !fault; /* test_soundness's business, if the template is at fault */
    int more;
    free(fault);
    while ((more = shrink_next(s, &candidate, &err)) > 0) {
        bool smaller = shrink_compare(candidate, shrink_best(s)) < 0;
        ck_assert_msg(smaller, "%s: no smaller", shrink_pass_name(s));
        check_candidate(candidate, shrink_pass_name(s), index, calm);
        if (hash64(bytes_of_string(candidate->id)) % 4 == 0)
            shrink_accept(s);
        else
            shrink_reject(s);
    }
    ck_assert_msg(more == 0, "%s", err ? err->text : "");
    shrink_free(s);
}

enum how { DERIVED, IMPORTED, MUTATED, HOWS };

START_TEST(candidates_are_sound)
{
    struct rng rng;
    rng_seed(&rng, 41, 0);
    for (uint64_t i = 0; i < tasks_to_shrink(); i++) {
        struct task *t = NULL;
        struct error *err = NULL;
        ck_assert_msg(generate_task(&generate, 40, i, &t, &err) == 0, "%s", err ? err->text : "");
        if (_i == MUTATED)
            mutate_task(t, plan_ops, &settings, &rng, 3);
        if (_i == IMPORTED) {
            t->derivation = t->grammar_hash = "";
            task_identify(t);
        }
        shrink_somehow(t, domains[i % generate.domain_count], i);
        task_free(t);
    }
}
END_TEST

/* A mutated task is what its derivation makes, once all its mutations are undone: it gets as small as the
 * calm one. */
START_TEST(back_to_the_derivation)
{
    struct rng rng;
    rng_seed(&rng, 42, 0);
    size_t mutated = 0;
    for (uint64_t i = 0; i < 2 * generate.domain_count; i++) {
        struct task *calm = NULL, *t;
        ck_assert_int_eq(generate_task(&generate, 40, i, &calm, NULL), 0);
        t = task_copy(calm);
        mutated += mutate_task(t, plan_ops, &settings, &rng, 3) > 0;
        struct shrink_options o = {.generate = &generate, .domain = domains[i % generate.domain_count]};
        struct shrink *a = shrink_new(&o, calm), *b = shrink_new(&o, t);
        const struct task *candidate;
        while (shrink_next(a, &candidate, NULL) > 0)
            shrink_accept(a);
        while (shrink_next(b, &candidate, NULL) > 0)
            shrink_accept(b);
        ck_assert_str_eq(shrink_best(a)->id, shrink_best(b)->id);
        shrink_free(a);
        shrink_free(b);
        task_free(calm);
        task_free(t);
    }
    ck_assert_uint_gt(mutated, generate.domain_count);
}
END_TEST

static void fill(TCase *tests)
{
    tcase_add_checked_fixture(tests, set_up, tear_down);
    tcase_add_loop_test(tests, candidates_are_sound, 0, HOWS);
    tcase_add_test(tests, back_to_the_derivation);
}

int main(void)
{
    return unit_main("shrink_domains", fill);
}
