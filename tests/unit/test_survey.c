/* Surveys: counts that can be known beforehand, and the same ones for any number of threads. */
#include "mutate/survey.h"
#include "select_case.h"

static struct survey run(uint64_t count, double strength, unsigned threads)
{
    struct survey s;
    struct error *err = NULL;
    struct survey_options o = {.generate = &generate,
                               .ops = plan_ops,
                               .seed = 3,
                               .count = count,
                               .strength = strength,
                               .threads = threads};
    ck_assert_msg(survey_run(&o, &s, &err) == 0, "%s", err ? err->text : "?");
    return s;
}

START_TEST(counts)
{
    struct survey s = run(2000, 0, 1);
    size_t disk = arm_class_find("C63"), litter = arm_class_find("C51");
    ck_assert_uint_eq(s.tasks, 2000);
    const struct survey_domain *shop = &s.domains[0], *yard = &s.domains[1];
    ck_assert_uint_eq(shop->tasks, 1000);
    ck_assert_uint_eq(yard->tasks, 1000);
    ck_assert_uint_eq(yard->steps, 2000);
    ck_assert_uint_eq(shop->hostile + yard->hostile, 0);
    ck_assert_uint_eq(survey_ops(shop), 2);    /* write, stage-small-disk */
    ck_assert_uint_eq(survey_shapes(shop), 3); /* a text written, a pattern written, a disk */
    ck_assert_uint_eq(survey_shapes(yard), 2);
    uint64_t of_workflows = 0;
    for (size_t i = 0; i < shop->workflow_count; i++) {
        const struct survey_workflow *w = &shop->workflows[i];
        of_workflows += w->tasks;
        ck_assert_uint_eq(w->armed[disk], strcmp(w->name, "fill-the-disk") == 0 ? w->tasks : 0);
    }
    ck_assert_uint_eq(of_workflows, 1000);
    ck_assert(shop->armed[disk] > 0 && shop->armed[disk] < 40);
    ck_assert_uint_eq(yard->armed[disk], 0);
    ck_assert_uint_eq(yard->armed[litter], 0);
    survey_release(&s);
}
END_TEST

START_TEST(hazards_show)
{
    struct survey s = run(2000, 1, 1);
    ck_assert(s.domains[0].hostile > 5 && s.domains[0].hostile < 60);
    ck_assert_uint_eq(s.domains[1].hostile, 0);
    survey_release(&s);
}
END_TEST

START_TEST(threads_change_nothing)
{
    struct survey a = run(1999, 1, 1), b = run(1999, 1, 6);
    ck_assert_uint_eq(a.tasks, b.tasks);
    for (size_t i = 0; i < 2; i++) {
        ck_assert_uint_eq(a.domains[i].tasks, b.domains[i].tasks);
        ck_assert_uint_eq(a.domains[i].steps, b.domains[i].steps);
        ck_assert_uint_eq(a.domains[i].hostile, b.domains[i].hostile);
        ck_assert_uint_eq(survey_shapes(&a.domains[i]), survey_shapes(&b.domains[i]));
        ck_assert_uint_eq(survey_ops(&a.domains[i]), survey_ops(&b.domains[i]));
        ck_assert_mem_eq(a.domains[i].armed, b.domains[i].armed, sizeof a.domains[i].armed);
        for (size_t k = 0; k < a.domains[i].workflow_count; k++)
            ck_assert_mem_eq(a.domains[i].workflows[k].armed, b.domains[i].workflows[k].armed,
                             sizeof a.domains[i].workflows[k].armed);
    }
    survey_release(&a);
    survey_release(&b);
}
END_TEST

static void fill(TCase *tests)
{
    tcase_add_checked_fixture(tests, select_set_up, select_tear_down);
    tcase_add_test(tests, counts);
    tcase_add_test(tests, hazards_show);
    tcase_add_test(tests, threads_change_nothing);
}

int main(void)
{
    return unit_main("survey", fill);
}
