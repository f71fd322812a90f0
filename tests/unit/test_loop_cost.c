/* What tasks cost in time, by workflow. */
#include "exec/loop_cost.h"

#include <stdio.h>

#include "unit.h"

static struct loop_costs costs;

static struct task *task_of(const char *domain, const char *workflow)
{
    struct task *t = task_new();
    t->domain = arena_string(&t->arena, bytes_of_string(domain));
    t->workflow = arena_string(&t->arena, bytes_of_string(workflow));
    return t;
}

START_TEST(means)
{
    struct task *slow = task_of("network", "own-server"), *quick = task_of("data", "own-server"), *other = task_of("data", "other");
    costs = (struct loop_costs){0};
    ck_assert_double_eq_tol(loop_cost_with(&costs, slow), 0.1, 1e-9);
    loop_cost_note(&costs, slow, INT64_C(14000000000));
    loop_cost_note(&costs, slow, INT64_C(2000000000));
    loop_cost_note(&costs, quick, 300000000);
    loop_cost_note(&costs, other, 1000);
    ck_assert_double_eq_tol(loop_cost_with(&costs, slow), 24, 1e-9);
    ck_assert_double_eq_tol(loop_cost_with(&costs, quick), 0.6, 1e-9);
    ck_assert_double_eq_tol(loop_cost_with(&costs, other), 0.2, 1e-9);
    ck_assert_uint_eq(costs.used, 3);
    task_free(slow);
    task_free(quick);
    task_free(other);
}
END_TEST

/* More workflows than there is room for: those that are known stay, the others are asked for in vain and quickly. */
START_TEST(full)
{
    char name[32];
    costs = (struct loop_costs){0};
    for (int i = 0; i < 2 * LOOP_COST_ROWS; i++) {
        snprintf(name, sizeof name, "workflow-%d", i);
        struct task *t = task_of("made", name);
        loop_cost_note(&costs, t, INT64_C(3000000000));
        ck_assert_double_eq_tol(loop_cost_with(&costs, t), i < LOOP_COST_ROWS / 4 * 3 ? 6 : 0.1, 1e-9);
        task_free(t);
    }
    ck_assert_uint_eq(costs.used, LOOP_COST_ROWS / 4 * 3);
}
END_TEST

static void fill(TCase *tests)
{
    tcase_add_test(tests, means);
    tcase_add_test(tests, full);
}

int main(void)
{
    return unit_main("loop_cost", fill);
}
