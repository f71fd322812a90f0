/* Selection: what is chosen fits, is a pure function of (seed, index), and can be made again without the
 * selection. */
#include "mutate/batch.h"
#include "mutate/mutate.h"
#include "select_case.h"

static struct arm_set classes(const char *name)
{
    struct arm_set set = {0};
    ck_assert_uint_ne(arm_class_find(name), ARM_NONE);
    arm_add(&set, arm_class_find(name));
    return set;
}

/* The message of an opening that fails. */
static const char *refused(const struct select_options *o)
{
    static char text[512];
    struct selection *s = NULL;
    struct error *err = NULL;
    ck_assert_int_eq(selection_new(o, 7, &s, &err), ERR_INPUT);
    ck_assert_ptr_null(s);
    snprintf(text, sizeof text, "%s", err->text);
    error_free(err);
    return text;
}

START_TEST(plain_is_what_generate_gives)
{
    struct select_options o = options();
    struct selection *s = open_selection(&o);
    ck_assert(selection_plain(s));
    for (uint64_t i = 0; i < 200; i++) {
        struct task *t = selected(s, i), *other = NULL;
        ck_assert_int_eq(generate_task(&generate, 7, i, &other, NULL), 0);
        ck_assert_int_eq(mutate_hazards(other, domains[i % 2], plan_ops, &settings, 1, NULL), 0);
        ck_assert_str_eq(t->id, other->id);
        ck_assert_uint_eq(t->index, i);
        task_free(t);
        task_free(other);
    }
    ck_assert_uint_eq(selection_from(s, 17), 17);
    selection_free(s);
}
END_TEST

/* A class that one task of 200 arms: all do. Its record says how to make it again. */
START_TEST(by_class)
{
    struct select_options o = options();
    o.by_class = true;
    o.strength = 0;
    o.classes = classes("C63");
    struct selection *s = open_selection(&o);
    for (uint64_t i = 0; i < 50; i++) {
        struct task *t = selected(s, i), *again = NULL;
        struct arm_set armed;
        arm_task(t, &armed);
        ck_assert(arm_has(&armed, arm_class_find("full-disk-damage")));
        ck_assert_str_eq(t->workflow, "fill-the-disk");
        ck_assert(t->index >= i * 1000 && t->index < (i + 1) * 1000);
        const struct domain *shop = domains[0];
        const struct generate_options alone = {
            .domains = &shop, .domain_count = 1, .workflow = t->workflow, .settings = &settings};
        ck_assert_int_eq(generate_task(&alone, t->seed, t->index, &again, NULL), 0);
        ck_assert_str_eq(again->id, t->id);
        ck_assert_str_eq(again->derivation, t->derivation);
        task_free(t);
        task_free(again);
    }
    ck_assert(!selection_plain(s));
    ck_assert_uint_eq(selection_from(s, 0), 0);
    ck_assert_uint_eq(selection_from(s, 3000), 3);
    ck_assert_uint_eq(selection_from(s, 3001), 4);
    selection_free(s);
}
END_TEST

START_TEST(by_primitive_and_class)
{
    struct select_options o = options();
    o.by_class = o.by_primitive = true;
    o.classes = classes("C63");
    arm_add(&o.primitives, arm_class_find("C28"));
    arm_add(&o.primitives, arm_class_find("C63"));
    struct selection *s = open_selection(&o);
    struct task *t = selected(s, 0);
    ck_assert(select_fits(&o, t));
    task_free(t);
    selection_free(s);
    o.primitives = classes("C85"); /* both are wanted, and nobody has tabs */
    ck_assert_str_eq(refused(&o), "none of 840 tasks tried fits: arms any of C63, arms any of C85");
}
END_TEST

START_TEST(by_steps)
{
    struct select_options o = options();
    o.steps_low = 4;
    o.steps_high = 5;
    o.strength = 0;
    struct selection *s = open_selection(&o);
    size_t lengths[2] = {0};
    for (uint64_t i = 0; i < 100; i++) {
        struct task *t = selected(s, i);
        ck_assert(t->step_count == 4 || t->step_count == 5);
        lengths[t->step_count - 4]++;
        task_free(t);
    }
    ck_assert(lengths[0] && lengths[1]);
    selection_free(s);
    o.steps_low = o.steps_high = 9;
    ck_assert_str_eq(refused(&o), "none of 840 tasks tried fits: has 9 to 9 steps");
}
END_TEST

/* One hazard of 2 %: every task has a mutation, and nothing of the domain without hazards is chosen. */
START_TEST(hostile)
{
    struct select_options o = options();
    o.hostile = true;
    struct selection *s = open_selection(&o);
    for (uint64_t i = 0; i < 60; i++) {
        struct task *t = selected(s, i);
        ck_assert_uint_ge(t->mutations->count, 1);
        ck_assert_str_eq(t->domain, "shop");
        ck_assert_uint_eq(t->index, i * 1000); /* the first candidate fitted: nothing is rejected */
        task_free(t);
    }
    selection_free(s);
}
END_TEST

START_TEST(by_workflow)
{
    const char *patterns[] = {"count-*", "fill-*"};
    struct select_options o = options();
    o.workflows = patterns;
    o.workflow_count = 1;
    struct selection *s = open_selection(&o);
    size_t trees = 0, coins = 0;
    for (uint64_t i = 0; i < 200; i++) {
        struct task *t = selected(s, i);
        trees += strcmp(t->workflow, "count-trees") == 0;
        coins += strcmp(t->workflow, "count-coins") == 0;
        task_free(t);
    }
    ck_assert_uint_eq(trees + coins, 200);
    ck_assert_uint_ge(trees, 150); /* by weight within the domains: 1 to 0.09 */
    ck_assert_uint_ge(coins, 4);
    selection_free(s);
    o.workflow_count = 2;
    ck_assert(select_workflow(&o, "fill-the-disk") && select_workflow(&o, "count-trees") &&
              !select_workflow(&o, "note"));
    patterns[0] = patterns[1] = "count";
    ck_assert_str_eq(refused(&o), "no workflow of these domains matches");
}
END_TEST

START_TEST(bound_of_candidates)
{
    struct select_options o = options();
    o.steps_low = o.steps_high = 8;
    o.strength = 0;
    ck_assert_int_eq(settings_set(&settings, "select.candidates", "1", NULL), 0);
    struct selection *s = open_selection(&o);
    size_t failed = 0;
    for (uint64_t i = 0; i < 100; i++) {
        struct task *t = NULL;
        struct error *err = NULL;
        if (selection_task(s, i, &t, &err) < 0) {
            ck_assert_int_eq(err->code, ERR_INPUT);
            ck_assert_str_eq(err->text, "none of 1 tasks tried fits: has 8 to 8 steps");
            ck_assert_ptr_null(t);
            error_free(err);
            failed++;
        }
        task_free(t);
    }
    ck_assert(failed > 50 && failed < 100);
    selection_free(s);
}
END_TEST

static int collect(void *user, const struct task *t)
{
    task_write(t, user);
    return buf_add_byte(user, '\n') < 0 ? ERR_LIMIT : 0;
}

START_TEST(same_bytes_whatever_the_threads)
{
    struct select_options o = options();
    struct buf texts[3];
    static const unsigned threads[] = {1, 2, 7};
    o.by_class = true;
    o.classes = classes("C63");
    arm_add(&o.classes, arm_class_find("C06"));
    for (size_t i = 0; i < 3; i++) {
        struct selection *s = open_selection(&o);
        struct error *err = NULL;
        buf_init(&texts[i], 1 << 24);
        ck_assert_int_eq(batch_each(s, threads[i], 5, 300, NULL, collect, &texts[i], &err), 0);
        selection_free(s);
    }
    ck_assert(texts[0].len > 10000);
    ck_assert(bytes_equal(buf_bytes(&texts[0]), buf_bytes(&texts[1])));
    ck_assert(bytes_equal(buf_bytes(&texts[0]), buf_bytes(&texts[2])));
    /* Task 9 alone is the fifth of these. */
    struct selection *s = open_selection(&o);
    struct task *t = selected(s, 9);
    struct buf alone;
    buf_init(&alone, 1 << 20);
    collect(&alone, t);
    ck_assert(bytes_find(buf_bytes(&texts[0]), buf_bytes(&alone), 0) > 0);
    task_free(t);
    selection_free(s);
    buf_release(&alone);
    for (size_t i = 0; i < 3; i++)
        buf_release(&texts[i]);
}
END_TEST

static int stop_at_ten(void *user, const struct task *t)
{
    size_t *count = user;
    return ++*count == 10 ? ERR_STOP : 0;
}

START_TEST(batch_ends_early)
{
    struct select_options o = options();
    struct selection *s = open_selection(&o);
    size_t count = 0;
    struct error *err = NULL;
    ck_assert_int_eq(batch_each(s, 3, 0, 1000, NULL, stop_at_ten, &count, &err), ERR_STOP);
    ck_assert_uint_eq(count, 10);
    atomic_int stop = 1;
    count = 0;
    ck_assert_int_eq(batch_each(s, 3, 0, 1000, &stop, stop_at_ten, &count, &err), 0);
    ck_assert_uint_eq(count, 0);
    selection_free(s);
}
END_TEST

static void fill(TCase *tests)
{
    tcase_add_checked_fixture(tests, select_set_up, select_tear_down);
    tcase_add_test(tests, plain_is_what_generate_gives);
    tcase_add_test(tests, by_class);
    tcase_add_test(tests, by_primitive_and_class);
    tcase_add_test(tests, by_steps);
    tcase_add_test(tests, hostile);
    tcase_add_test(tests, by_workflow);
    tcase_add_test(tests, bound_of_candidates);
    tcase_add_test(tests, same_bytes_whatever_the_threads);
    tcase_add_test(tests, batch_ends_early);
}

int main(void)
{
    return unit_main("select", fill);
}
