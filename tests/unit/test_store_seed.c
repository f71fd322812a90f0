/* corpus/store: seeds, what has been executed, and where an input came from. */
#include "store_case.h"

static void put_child(struct store *s, int64_t run, const struct task *t, const char *parent, enum execution_outcome outcome)
{
    size_t fresh;
    struct store_execution e = {.run = run, .task = t, .parent = parent, .outcome = outcome, .executed = true, .ns = 1, .steps = "[]"};
    OK(store_put_execution(s, &e, &fresh, err));
}

static bool executed(struct store *s, const char *id, const char *target)
{
    bool yes = false;
    OK(store_executed(s, id, target, &yes, err));
    return yes;
}

START_TEST(executed_on_a_target)
{
    struct store *s = opened(STORE_WRITE);
    int64_t run = a_run(s, 1, "g");
    struct task *t = a_task(1, 1, 1), *ill = a_task(1, 2, 1);
    OK(store_put_seed(s, run, &(struct store_seed){t->id, "seeds/a.jsonl", 3, "tasks"}, err));
    ck_assert(!executed(s, t->id, NULL)); /* known, and not executed */
    put_child(s, run, t, NULL, EXECUTION_SKIPPED);
    ck_assert(!executed(s, t->id, NULL)); /* it may be had later */
    put_child(s, run, t, NULL, EXECUTION_FAILED);
    put_child(s, run, ill, NULL, EXECUTION_HARNESS);
    ck_assert(executed(s, t->id, NULL) && executed(s, t->id, "demo") && !executed(s, t->id, "mcp:other"));
    ck_assert(!executed(s, ill->id, NULL)); /* the fault was ours */
    bool yes;
    FAILS(ERR_INPUT, "expected 32 hex digits", store_executed(s, "no-id", NULL, &yes, err));
    FAILS(ERR_INPUT, "expected 32 hex digits", store_put_seed(s, run, &(struct store_seed){"x", "f", 0, "tasks"}, err));
    task_free(t);
    task_free(ill);
    store_close(s);
    ck_assert_int_eq(outside("SELECT count(*) FROM seed JOIN task ON task.id = task WHERE file = 'seeds/a.jsonl' AND line = 3 AND times = 2"), 1);
    expect_intact();
}
END_TEST

START_TEST(a_chain_to_its_seed)
{
    struct store *s = opened(STORE_WRITE);
    int64_t run = a_run(s, 9, "g");
    struct task *root = a_task(9, 1, 1), *child = a_task(9, 2, 2), *grand = a_task(9, 3, 3);
    task_note_mutation(child, "null-byte", "s1", "/args/path", "x", NULL);
    task_note_mutation(grand, "null-byte", "s1", "/args/path", "x", NULL);
    task_note_mutation(grand, "move", "s1", "/order", "x", NULL);
    task_identify(child);
    task_identify(grand);
    OK(store_put_seed(s, run, &(struct store_seed){root->id, "logs/b.log", 7, "mcp"}, err));
    OK(store_put_seed(s, run, &(struct store_seed){root->id, "logs/b.log", 7, "mcp"}, err)); /* once */
    put_child(s, run, root, NULL, EXECUTION_PASSED);
    put_child(s, run, grand, child->id, EXECUTION_PASSED); /* its parent's row has only an id yet */
    put_child(s, run, child, root->id, EXECUTION_FAILED);
    put_child(s, run, child, NULL, EXECUTION_FAILED);
    struct arena a;
    struct store_origin *o;
    size_t count;
    arena_init(&a);
    char prefix[10];
    snprintf(prefix, sizeof prefix, "%.9s", grand->id);
    OK(store_origins(s, prefix, &a, &o, &count, err));
    ck_assert_uint_eq(count, 3);
    ck_assert_str_eq(o[0].id, grand->id);
    ck_assert_str_eq(o[0].mutators, "null-byte move");
    ck_assert_str_eq(o[1].id, child->id);
    ck_assert_str_eq(o[1].mutators, "null-byte");
    ck_assert(o[1].times == 2 && o[1].seed == 9 && o[1].index == 2 && o[1].run == run && o[1].first_ms > 0 && !o[1].file);
    ck_assert_str_eq(o[2].id, root->id);
    ck_assert_str_eq(o[2].file, "logs/b.log");
    ck_assert_str_eq(o[2].format, "mcp");
    ck_assert(o[2].line == 7 && !*o[2].mutators && !o[2].json && !o[2].member);
    ck_assert_str_eq(o[2].verb, "fuzz");
    ck_assert_str_eq(o[2].target, "demo");
    FAILS(ERR_INPUT, "has no task 00000", store_origins(s, "00000", &a, &o, &count, err));
    FAILS(ERR_INPUT, "expected a task's id", store_origins(s, "xyz", &a, &o, &count, err));
    FAILS(ERR_INPUT, "expected a task's id", store_origins(s, "", &a, &o, &count, err));
    arena_release(&a);
    task_free(root);
    task_free(child);
    task_free(grand);
    store_close(s);
}
END_TEST

/* Two tasks that were made of each other: told once each. */
START_TEST(a_circle_ends)
{
    struct store *s = opened(STORE_WRITE);
    int64_t run = a_run(s, 9, "g");
    uint64_t feature = 5;
    struct task *one = a_task(9, 1, 1), *other = a_task(9, 2, 2);
    put_child(s, run, one, other->id, EXECUTION_PASSED);
    put_child(s, run, other, one->id, EXECUTION_PASSED);
    put(s, run, one, EXECUTION_PASSED, "[]", &feature, 1);
    struct arena a;
    struct store_origin *o;
    size_t count;
    arena_init(&a);
    OK(store_origins(s, one->id, &a, &o, &count, err));
    ck_assert_uint_eq(count, 2);
    ck_assert(o[0].member && o[0].json && strstr(o[0].json, one->id) && !o[1].member);
    arena_release(&a);
    task_free(one);
    task_free(other);
    store_close(s);
}
END_TEST

static void fill(TCase *tests)
{
    tcase_add_checked_fixture(tests, store_set_up, store_tear_down);
    tcase_add_test(tests, executed_on_a_target);
    tcase_add_test(tests, a_chain_to_its_seed);
    tcase_add_test(tests, a_circle_ends);
}

int main(void)
{
    return unit_main("store_seed", fill);
}
