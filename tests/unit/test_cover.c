/* Suites that cover k-paths: that they do, that they are small and always the same, that their tasks are
 * valid and come out the same from their derivations, and that what they miss is told. */
#include <stdio.h>

#include "gen/cover.h"
#include "plan_case.h"

#define KPATH_DATA TASKGEN_SOURCE_DIR "/tests/data/kpath"

enum { TEXT_MOST = 1 << 22 };

struct fixture {
    struct settings settings;
    struct domain *domain;
    const struct domain *shown;
    struct generate_options generate;
    struct cover_options options;
    struct cover_suite suite;
};

static void make(struct fixture *f, const char *file, const char *workflow, unsigned k)
{
    struct error *err = NULL;
    settings_defaults(&f->settings);
    f->domain = plan_load(file);
    f->shown = f->domain;
    f->generate = (struct generate_options){
        .domains = &f->shown, .domain_count = 1, .workflow = workflow, .settings = &f->settings};
    f->options = (struct cover_options){.generate = &f->generate, .domain = f->domain, .k = k, .seed = 3};
    ck_assert_msg(cover_make(&f->options, &f->suite, &err) == 0, "%s", err ? err->text : "");
}

static void drop(struct fixture *f)
{
    cover_release(&f->suite);
    domain_free(f->domain);
}

static struct task *task_of(const struct fixture *f, size_t index)
{
    struct error *err = NULL;
    struct task *task = NULL;
    ck_assert_msg(cover_task(&f->suite, index, &task, &err) == 0, "%s", err ? err->text : "");
    return task;
}

/* As a user has it who only sees the record: read, derived again from its derivation, the same. */
static void check_record(const struct fixture *f, const struct task *task, struct derivation *d)
{
    struct error *err = NULL;
    struct task *read = NULL, *again = NULL;
    struct buf text, second;
    buf_init(&text, TEXT_MOST);
    buf_init(&second, TEXT_MOST);
    task_write(task, &text);
    ck_assert_msg(task_read(plan_ops, buf_bytes(&text), "record", &read, &err) == 0, "%s",
                  err ? err->text : "");
    ck_assert_int_eq(derivation_decode(d, bytes_of_string(read->derivation), NULL), 0);
    ck_assert_int_eq(generate_from(&f->generate, f->domain, d, read->seed, read->index, &again, &err), 0);
    task_write(again, &second);
    ck_assert_msg(bytes_equal(buf_bytes(&text), buf_bytes(&second)), "a derivation gives\n%s\nand not\n%s",
                  buf_string(&second), buf_string(&text));
    ck_assert_uint_eq(task->mutations->count, 0);
    task_free(read);
    task_free(again);
    buf_release(&text);
    buf_release(&second);
}

/* The tasks' records have all paths but the missed ones, which they do not have. */
static void check_suite(const struct fixture *f)
{
    unsigned k = f->options.k;
    struct kpath_seen seen;
    struct derivation d;
    derivation_init(&d);
    kpath_seen_init(&seen, f->suite.graph);
    for (size_t i = 0; i < f->suite.task_count; i++) {
        struct task *task = task_of(f, i);
        check_record(f, task, &d);
        ck_assert_uint_eq(task->index, i);
        kpath_seen_add(&seen, &d);
        task_free(task);
    }
    ck_assert_uint_eq(seen.strangers, 0);
    ck_assert_uint_eq(seen.count[k] + f->suite.missed_count, kpath_count(f->suite.graph, k));
    size_t in_gaps = 0;
    for (size_t i = 0; i < f->suite.missed_count; i++)
        ck_assert(!kpath_seen_has(&seen, k, f->suite.missed[i].path));
    for (size_t i = 0; i < f->suite.gap_count; i++)
        in_gaps += f->suite.gaps[i].missed;
    ck_assert_uint_eq(in_gaps, f->suite.missed_count);
    kpath_seen_release(&seen);
    derivation_release(&d);
}

static size_t missed_in_all;

static void check_case(const char *file)
{
    for (unsigned k = 1; k <= KPATH_LONGEST; k++) {
        struct fixture f;
        make(&f, file, NULL, k);
        check_suite(&f);
        ck_assert_msg(f.suite.missed_count == 0 || strstr(file, "unreached"), "%s: %zu %u-paths missed", file,
                      f.suite.missed_count, k);
        missed_in_all += f.suite.missed_count;
        drop(&f);
    }
}

START_TEST(test_all_is_covered)
{
    missed_in_all = 0;
    ck_assert_uint_eq(plan_each(KPATH_DATA, ".xml", check_case), 9);
    ck_assert_uint_eq(missed_in_all, 2 + 2 + 1);
}
END_TEST

/* No fewer can do it: one that leaves out, and one for each of two words and two numbers of the third; one
 * for each of eight words. */
START_TEST(test_few_tasks)
{
    struct fixture f;
    make(&f, KPATH_DATA "/plain.xml", NULL, 2);
    ck_assert_uint_eq(f.suite.task_count, 5);
    drop(&f);
    make(&f, KPATH_DATA "/words.xml", NULL, 2);
    ck_assert_uint_eq(f.suite.task_count, 8);
    drop(&f);
    make(&f, KPATH_DATA "/budget.xml", NULL, 3);
    ck_assert_uint_eq(f.suite.task_count, 1);
    drop(&f);
}
END_TEST

START_TEST(test_same_seed_same_suite)
{
    struct fixture a, b;
    make(&a, KPATH_DATA "/recursion.xml", NULL, 3);
    make(&b, KPATH_DATA "/recursion.xml", NULL, 3);
    ck_assert_uint_gt(a.suite.task_count, 1);
    ck_assert_uint_eq(a.suite.task_count, b.suite.task_count);
    ck_assert_uint_eq(a.suite.derived, b.suite.derived);
    for (size_t i = 0; i < a.suite.task_count; i++) {
        struct task *x = task_of(&a, i), *y = task_of(&b, i);
        ck_assert_str_eq(x->derivation, y->derivation);
        ck_assert_str_eq(x->id, y->id);
        task_free(x);
        task_free(y);
    }
    drop(&a);
    drop(&b);
}
END_TEST

/* The gap that is called so; its reason goes to `why`. */
static const struct cover_gap *find_gap(const struct cover_suite *suite, const char *name, struct buf *why)
{
    for (size_t i = 0; i < suite->gap_count; i++) {
        struct buf text;
        buf_init(&text, TEXT_MOST);
        cover_gap_name(suite, &suite->gaps[i], &text);
        bool found = strcmp(buf_string(&text), name) == 0;
        buf_release(&text);
        if (!found)
            continue;
        buf_clear(why);
        cover_why(suite, &suite->missed[suite->gaps[i].miss], why);
        return &suite->gaps[i];
    }
    ck_abort_msg("nothing is told of \"%s\"", name);
    return NULL;
}

START_TEST(test_what_is_missed)
{
    struct fixture f;
    struct buf why;
    buf_init(&why, TEXT_MOST);
    make(&f, KPATH_DATA "/unreached.xml", NULL, 2);
    ck_assert_uint_eq(f.suite.missed_count, 2);
    ck_assert_uint_eq(f.suite.gap_count, 2);
    ck_assert_uint_eq(find_gap(&f.suite, "unreached.xml:17 alternative 2", &why)->missed, 1);
    ck_assert_str_eq(buf_string(&why),
                     "the choice came up there 16 times, and it could not be taken (guards, what is "
                     "there, budgets)");
    ck_assert_uint_eq(find_gap(&f.suite, "unreached.xml:27 made for with: put", &why)->missed, 1);
    ck_assert_str_eq(buf_string(&why),
                     "a step is done without what it needs only where no other can be done");
    drop(&f);
    buf_release(&why);
}
END_TEST

/* A template's fault on the way is told, and does not end the making. */
START_TEST(test_fault_on_the_way)
{
    static const char file[] = TASKGEN_SOURCE_DIR "/tests/data/cover/fault.xml";
    struct fixture f;
    struct buf why;
    buf_init(&why, TEXT_MOST);
    make(&f, file, NULL, 2);
    check_suite(&f);
    ck_assert_uint_eq(f.suite.task_count, 1);
    ck_assert_uint_eq(f.suite.missed_count, 2); /* to the alternative, and below it */
    ck_assert_uint_eq(find_gap(&f.suite, "fault.xml:8 alternative 2", &why)->missed, 2);
    ck_assert_ptr_nonnull(strstr(buf_string(&why), "a task on the way there fails: "));
    plan_check_message(file, buf_string(&why));
    drop(&f);
    buf_release(&why);
}
END_TEST

/* Asked for by name, a workflow of weight 0 is covered, and its derivations mean its tasks. */
START_TEST(test_workflow_of_weight_0)
{
    struct fixture f;
    make(&f, KPATH_DATA "/plain.xml", "second", 2);
    check_suite(&f);
    ck_assert_uint_eq(f.suite.task_count, 1);
    struct task *task = task_of(&f, 0);
    ck_assert_str_eq(task->workflow, "second");
    task_free(task);
    drop(&f);
}
END_TEST

/* More than a million paths are refused before anything is derived. */
START_TEST(test_too_many)
{
    enum { WIDE = 1100 };
    char file[] = "/tmp/cover-XXXXXX.xml";
    FILE *out = fdopen(mkstemps(file, 4), "w");
    ck_assert_ptr_nonnull(out);
    fputs("<domain xmlns=\"urn:taskgen:domain:1\" name=\"wide\" title=\"Wide\"><workflow name=\"only\">"
          "<say><use rule=\"a\"/></say><list path=\".\"/></workflow><grammar>a = b \"-\"",
          out);
    for (int i = 0; i < WIDE; i++)
        fprintf(out, " | \"a%d\" b", i);
    fputs(";\nb = /[a-z]/ \"-\"", out);
    for (int i = 0; i < WIDE; i++)
        fprintf(out, " | \"b%d\" /[a-z]/", i);
    fputs(";</grammar></domain>", out);
    fclose(out);
    struct settings settings;
    settings_defaults(&settings);
    struct domain *d = plan_load(file);
    struct generate_options generate = {.settings = &settings};
    struct cover_options options = {.generate = &generate, .domain = d, .k = 2};
    struct cover_suite suite;
    struct error *err = NULL;
    ck_assert_int_eq(cover_make(&options, &suite, &err), ERR_LIMIT);
    ck_assert_ptr_nonnull(strstr(err->text, "has 1213302 paths of 2 choices"));
    ck_assert_uint_eq(suite.derived, 0);
    error_free(err);
    cover_release(&suite);
    domain_free(d);
    remove(file);
}
END_TEST

/* Chance finds nothing that a suite has missed, also in more tasks. */
static void check_domain(const char *file)
{
    enum { TASKS = 600 };
    if (strstr(file, "/common.xml") || strstr(file, "/ops.xml"))
        return;
    struct fixture f;
    struct kpath_seen seen;
    struct derivation d;
    derivation_init(&d);
    make(&f, file, NULL, 2);
    check_suite(&f);
    ck_assert_uint_lt(f.suite.task_count, TASKS);
    kpath_seen_init(&seen, f.suite.graph);
    for (uint64_t i = 0; i < TASKS; i++) {
        struct error *err = NULL;
        struct task *task = NULL;
        ck_assert_msg(generate_task(&f.generate, 17, i, &task, &err) == 0, "%s", err ? err->text : "");
        ck_assert_int_eq(derivation_decode(&d, bytes_of_string(task->derivation), NULL), 0);
        kpath_seen_add(&seen, &d);
        task_free(task);
    }
    for (size_t i = 0; i < f.suite.missed_count; i++) {
        struct buf name;
        buf_init(&name, TEXT_MOST);
        kpath_name(f.suite.graph, 2, f.suite.missed[i].path, &name);
        ck_assert_msg(!kpath_seen_has(&seen, 2, f.suite.missed[i].path), "%s is missed", buf_string(&name));
        buf_release(&name);
    }
    kpath_seen_release(&seen);
    derivation_release(&d);
    drop(&f);
}

START_TEST(test_shipped_domains)
{
    ck_assert_uint_ge(plan_each(TASKGEN_SOURCE_DIR "/domains", ".xml", check_domain), 10);
}
END_TEST

static void fill(TCase *tests)
{
    tcase_add_checked_fixture(tests, plan_set_up, plan_tear_down);
    tcase_add_test(tests, test_all_is_covered);
    tcase_add_test(tests, test_few_tasks);
    tcase_add_test(tests, test_same_seed_same_suite);
    tcase_add_test(tests, test_what_is_missed);
    tcase_add_test(tests, test_fault_on_the_way);
    tcase_add_test(tests, test_workflow_of_weight_0);
    tcase_add_test(tests, test_too_many);
    tcase_add_test(tests, test_shipped_domains);
}

int main(void)
{
    return unit_main("cover", fill);
}
