/* gen/plan_swarm: a task uses a part of what it could, the same part throughout; over many tasks the declared
 * weights are met; nothing is left without a way on; a derivation means the same task whatever the part. */
#include "plan_case.h"

enum { TASKS = 8000, NAMES = 4, STEPS_OF_TASK = 40 };

static struct settings settings;
static const struct domain *domain;

static void set_up(void)
{
    plan_set_up();
    settings_defaults(&settings);
    ck_assert_int_eq(settings_set(&settings, "generate.max-steps", "200", NULL), 0);
    domain = plan_load(PLAN_DATA "/good/swarm.xml");
}

static void tear_down(void)
{
    domain_free((struct domain *)domain);
    plan_tear_down();
}

static struct task *make(const char *workflow, uint64_t index)
{
    struct generate_options options = {&domain, 1, workflow, &settings};
    struct task *t = NULL;
    struct error *err = NULL;
    ck_assert_msg(generate_task(&options, 1, index, &t, &err) == 0, "%s", err ? err->text : "");
    return t;
}

/* How often each of the names stands as a path in the task. */
static void count_paths(const struct task *t, const char *const names[NAMES], size_t counts[NAMES])
{
    memset(counts, 0, NAMES * sizeof *counts);
    for (size_t i = 0; i < t->step_count; i++)
        for (size_t k = 0; k < NAMES; k++)
            counts[k] += bytes_equal_string(json_get(t->steps[i].args, "path")->text, names[k]);
}

struct census {
    size_t total[NAMES]; /* steps */
    size_t users[NAMES]; /* tasks that have it at all */
    size_t kinds;        /* sum of different names over all tasks */
    size_t sets;         /* sets of names that came, as a mask of masks */
};

static struct census take_census(const char *workflow, const char *const names[NAMES])
{
    struct census c = {0};
    for (uint64_t i = 0; i < TASKS; i++) {
        struct task *t = make(workflow, i);
        size_t counts[NAMES], mask = 0;
        ck_assert_uint_eq(t->step_count, STEPS_OF_TASK);
        count_paths(t, names, counts);
        for (size_t k = 0; k < NAMES; k++) {
            c.total[k] += counts[k];
            c.users[k] += counts[k] > 0;
            mask |= (size_t)(counts[k] > 0) << k;
        }
        c.kinds += (size_t)__builtin_popcountll(mask);
        c.sets |= (size_t)1 << mask;
        task_free(t);
    }
    return c;
}

/* Weights 4 2 1 1. A task draws 40 times but only one part, so the spread is that of TASKS draws, not of 40
 * times as many: a share of 1/2 is met within 5 standard deviations, 0.028. */
static void check_weights(const struct census *c)
{
    static const double shares[NAMES] = {0.5, 0.25, 0.125, 0.125};
    for (size_t k = 0; k < NAMES; k++) {
        double share = (double)c->total[k] / (TASKS * STEPS_OF_TASK);
        ck_assert_msg(share > shares[k] - 0.028 && share < shares[k] + 0.028, "%zu: %f", k, share);
    }
}

static const char *const alternatives[NAMES] = {"a", "b", "c", "d"};
static const char *const steps[NAMES] = {"north", "south", "east", "west"};

/* Of four there are sixteen halves with their other halves; every set of names but the empty one comes. */
static void check_part(const char *workflow, const char *const names[NAMES])
{
    struct census c = take_census(workflow, names);
    check_weights(&c);
    ck_assert_uint_eq(c.sets, 0xfffe);
    ck_assert_msg(c.kinds > 2 * TASKS && c.kinds < 3 * TASKS, "%f kinds a task", (double)c.kinds / TASKS);
    for (size_t k = 0; k < NAMES; k++)
        ck_assert_msg(c.users[k] > TASKS / 4 && c.users[k] < TASKS * 9 / 10, "%s in %zu tasks", names[k],
                      c.users[k]);
}

START_TEST(a_task_uses_a_part)
{
    check_part("alternatives", alternatives);
    check_part("steps", steps);
}
END_TEST

START_TEST(off_uses_all)
{
    struct domain *off = plan_load(PLAN_DATA "/good/swarm-off.xml");
    const struct domain *kept = domain;
    domain = off;
    struct census c = take_census("alternatives", alternatives);
    check_weights(&c);
    for (size_t k = 0; k < NAMES; k++)
        ck_assert_uint_gt(c.users[k], TASKS * 98 / 100); /* (7/8)^40 is half a percent */
    domain = kept;
    domain_free(off);
}
END_TEST

START_TEST(the_only_way_is_taken)
{
    static const char *const order[NAMES] = {"first", "second", "third", "fourth"};
    for (uint64_t i = 0; i < 500; i++) {
        struct task *t = make("guarded", i);
        ck_assert_uint_eq(t->step_count, NAMES);
        for (size_t k = 0; k < NAMES; k++)
            ck_assert(bytes_equal_string(json_get(t->steps[k].args, "path")->text, order[k]));
        task_free(t);
    }
}
END_TEST

/* --- derivations --- */

static struct task *replay(const struct derivation *d, uint64_t seed)
{
    struct generate_options options = {&domain, 1, NULL, &settings};
    struct task *t = NULL;
    ck_assert_int_eq(generate_from(&options, domain, d, seed, 0, &t, NULL), 0);
    return t;
}

static void check_same_steps(const struct task *a, const struct task *b)
{
    ck_assert_uint_eq(a->step_count, b->step_count);
    for (size_t i = 0; i < a->step_count; i++)
        ck_assert(json_equal(a->steps[i].args, b->steps[i].args));
}

/* The number stands first below the workflow. Whatever becomes of it, and wherever a choice comes from, what
 * a derivation says is done. */
START_TEST(derivations_keep_their_meaning)
{
    static const char *const workflows[] = {"alternatives", "steps"};
    for (uint64_t i = 0; i < 200; i++) {
        struct task *t = make(workflows[i % 2], i);
        struct derivation d;
        derivation_init(&d);
        ck_assert_int_eq(derivation_decode(&d, bytes_of_string(t->derivation), NULL), 0);
        ck_assert(d.items[1].site == 1 && d.items[1].value != 0);
        struct task *again = replay(&d, 99);
        ck_assert_str_eq(again->derivation, t->derivation);
        for (uint64_t value = 0; value < 4; value++) {
            d.items[1].value = value;
            struct task *other = replay(&d, 99);
            check_same_steps(t, other);
            task_free(other);
        }
        memmove(d.items + 1, d.items + 2, (d.count - 2) * sizeof *d.items);
        d.count--;
        for (size_t k = 0; k < d.count; k++)
            d.items[k].end--;
        struct task *without = replay(&d, 99);
        check_same_steps(t, without);
        derivation_release(&d);
        task_free(t);
        task_free(again);
        task_free(without);
    }
}
END_TEST

/* What is missing is drawn from the part that the number stands for. */
START_TEST(gaps_are_filled_from_the_part)
{
    size_t kept = 0;
    for (uint64_t i = 0; i < 200; i++) {
        struct task *t = make("alternatives", i);
        size_t before[NAMES], after[NAMES];
        struct derivation d;
        derivation_init(&d);
        ck_assert_int_eq(derivation_decode(&d, bytes_of_string(t->derivation), NULL), 0);
        d.count = d.items[0].end = 2;
        struct task *other = replay(&d, 7);
        count_paths(t, alternatives, before);
        count_paths(other, alternatives, after);
        bool same = true;
        for (size_t k = 0; k < NAMES; k++)
            same &= (before[k] > 0) == (after[k] > 0);
        kept += same;
        derivation_release(&d);
        task_free(t);
        task_free(other);
    }
    ck_assert_uint_ge(kept, 190); /* a rare alternative may not come in 40 draws */
}
END_TEST

static void fill(TCase *tests)
{
    tcase_add_checked_fixture(tests, set_up, tear_down);
    tcase_add_test(tests, a_task_uses_a_part);
    tcase_add_test(tests, off_uses_all);
    tcase_add_test(tests, the_only_way_is_taken);
    tcase_add_test(tests, derivations_keep_their_meaning);
    tcase_add_test(tests, gaps_are_filled_from_the_part);
}

int main(void)
{
    return unit_main("swarm", fill);
}
