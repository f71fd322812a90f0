/* k-paths: graphs of small templates counted by hand (tests/data/kpath), places in logs, and, for all domains
 * that ship, that no derivation has a choice which the graph does not know. */
#include <stdio.h>

#include "grammar/kpath.h"
#include "grammar/site.h"
#include "plan_case.h"

#define KPATH_DATA TASKGEN_SOURCE_DIR "/tests/data/kpath"

enum { TASKS_OF_A_CASE = 2000, TASKS_OF_A_DOMAIN = UNIT_ROUNDS(2000), TEXT_MOST = 1 << 20 };

static struct kpath_graph *graph_of(const struct domain *d, const char *workflow, unsigned k)
{
    struct kpath_graph *g = NULL;
    struct error *err = NULL;
    ck_assert_msg(kpath_graph_new(d, workflow, k, &g, &err) == 0, "%s", err ? err->text : "");
    return g;
}

/* Accounts tasks from the rng. */
static void see_tasks(const struct domain *d, const char *workflow, struct kpath_seen *seen, uint64_t count)
{
    struct settings settings;
    settings_defaults(&settings);
    struct generate_options o = {
        .domains = &d, .domain_count = 1, .workflow = workflow, .settings = &settings};
    struct derivation derivation;
    derivation_init(&derivation);
    for (uint64_t i = 0; i < count; i++) {
        struct error *err = NULL;
        struct task *task = NULL;
        ck_assert_msg(generate_task(&o, 11, i, &task, &err) == 0, "%s", err ? err->text : "");
        ck_assert_int_eq(derivation_decode(&derivation, bytes_of_string(task->derivation), NULL), 0);
        kpath_seen_add(seen, &derivation);
        ck_assert_msg(seen->strangers == 0, "%s, task %llu: a choice that the graph does not know",
                      domain_name(d), (unsigned long long)i);
        task_free(task);
    }
    derivation_release(&derivation);
}

/* Numbers and elements of all paths are each other's inverse, and every path is made of what its parts say.
 */
static void check_numbers(const struct kpath_graph *g, unsigned k)
{
    for (uint64_t path = 0; path < kpath_count(g, k); path++) {
        uint32_t elements[KPATH_LONGEST];
        kpath_elements(g, k, path, elements);
        ck_assert_uint_lt(elements[k - 1], kpath_alternative_count(g));
        if (k > 1)
            ck_assert_uint_eq(kpath_number(g, k, elements), path);
        for (unsigned i = 1; i < k; i++) {
            bool found = false;
            const struct kpath_child *child;
            for (size_t c = 0; (child = kpath_child(g, elements[i - 1], c)); c++)
                found |= elements[i] - child->first < child->count;
            ck_assert(found);
        }
    }
}

static size_t cases_reached;

/* "paths: 14 13 8" and "never: two" of the comment hold; and 2,000 tasks have nearly all paths of a small
 * graph. */
static void check_case(const char *file)
{
    static const char *const numbers[] = {"none", "one", "two", "three"};
    struct buf text;
    unsigned long long expected[KPATH_LONGEST + 1];
    char never[16];
    buf_init(&text, TEXT_MOST);
    ck_assert_int_eq(fs_read(file, TEXT_MOST, &text, NULL), 0);
    ck_assert_int_eq(sscanf(strstr(buf_string(&text), "paths: "), "paths: %llu %llu %llu", &expected[1],
                            &expected[2], &expected[3]),
                     3);
    ck_assert_int_eq(sscanf(strstr(buf_string(&text), "never: "), "never: %15s", never), 1);
    buf_release(&text);
    struct domain *d = plan_load(file);
    struct kpath_graph *g = graph_of(d, NULL, KPATH_LONGEST);
    for (unsigned k = 1; k <= KPATH_LONGEST; k++) {
        ck_assert_msg(kpath_count(g, k) == expected[k], "%s: %llu %u-paths, expected %llu", file,
                      (unsigned long long)kpath_count(g, k), k, expected[k]);
        check_numbers(g, k);
    }
    ck_assert_uint_lt(kpath_never_count(g), 4);
    ck_assert_str_eq(numbers[kpath_never_count(g)], never);
    struct kpath_seen seen;
    kpath_seen_init(&seen, g);
    see_tasks(d, NULL, &seen, TASKS_OF_A_CASE);
    bool all = true;
    for (unsigned k = 1; k <= KPATH_LONGEST; k++)
        all &= seen.count[k] == kpath_count(g, k);
    cases_reached += all;
    ck_assert_msg(all || strstr(file, "unreached"), "%s: tasks have %llu, %llu and %llu paths", file,
                  (unsigned long long)seen.count[1], (unsigned long long)seen.count[2],
                  (unsigned long long)seen.count[3]);
    kpath_seen_release(&seen);
    kpath_graph_free(g);
    domain_free(d);
}

START_TEST(test_counted_by_hand)
{
    cases_reached = 0;
    ck_assert_uint_eq(plan_each(KPATH_DATA, ".xml", check_case), 9);
    ck_assert_uint_eq(cases_reached, 8); /* all but the one where some cannot be reached */
}
END_TEST

/* Of one workflow alone, also when it has weight 0. */
START_TEST(test_one_workflow)
{
    struct domain *d = plan_load(KPATH_DATA "/plain.xml");
    struct kpath_graph *g = graph_of(d, "second", 2);
    ck_assert_uint_eq(kpath_count(g, 1), 2);
    ck_assert_uint_eq(kpath_count(g, 2), 1);
    ck_assert_uint_eq(kpath_count(g, 3), 0);
    struct kpath_seen seen;
    kpath_seen_init(&seen, g);
    see_tasks(d, "second", &seen, 1);
    ck_assert_uint_eq(seen.count[2], 1);
    kpath_seen_release(&seen);
    kpath_graph_free(g);
    domain_free(d);
}
END_TEST

static void expect_name(const struct kpath_graph *g, unsigned k, const char *expected)
{
    bool found = false;
    for (uint64_t path = 0; path < kpath_count(g, k) && !found; path++) {
        struct buf name;
        buf_init(&name, TEXT_MOST);
        kpath_name(g, k, path, &name);
        found = strcmp(buf_string(&name), expected) == 0;
        buf_release(&name);
    }
    ck_assert_msg(found, "no path is called \"%s\"", expected);
}

START_TEST(test_names)
{
    struct domain *d = plan_load(KPATH_DATA "/plain.xml");
    struct kpath_graph *g = graph_of(d, NULL, 3);
    expect_name(g, 2, "plain.xml:10 workflow first > plain.xml:16 repeat: stop");
    expect_name(g, 3, "plain.xml:10 workflow first > plain.xml:15 optional: done > plain.xml:15 do: right");
    expect_name(g, 2, "plain.xml:22 rule word alternative 3 > plain.xml:22 rule word none");
    static const char *const nevers[] = {"plain.xml:18 workflow second: has weight 0",
                                         "plain.xml:13 alternative 2: has weight 0"};
    for (size_t i = 0; i < 2; i++) {
        struct buf name;
        buf_init(&name, TEXT_MOST);
        kpath_never(g, i, &name);
        ck_assert_str_eq(buf_string(&name), nevers[i]);
        buf_release(&name);
    }
    kpath_graph_free(g);
    domain_free(d);
    d = plan_load(KPATH_DATA "/handles.xml");
    g = graph_of(d, NULL, 2);
    expect_name(g, 2, "a property made when read (file.path) > handles.xml:31 rule name alternative 1");
    expect_name(g, 2, "handles.xml:13 workflow only > handles.xml:14 made for with: put");
    kpath_graph_free(g);
    domain_free(d);
    d = plan_load(KPATH_DATA "/words.xml");
    g = graph_of(d, NULL, 2);
    expect_name(g, 1, "words.xml:11 rule many one of 9 texts");
    expect_name(g, 2, "words.xml:11 rule many alternative 10 > words.xml:11 rule many 1 times, the least");
    kpath_graph_free(g);
    domain_free(d);
}
END_TEST

/* What a guard or a budget forbids is told by its place. */
START_TEST(test_never_by_budget)
{
    struct domain *d = plan_load(KPATH_DATA "/budget.xml");
    struct kpath_graph *g = graph_of(d, NULL, 1);
    struct buf all;
    buf_init(&all, TEXT_MOST);
    for (size_t i = 0; i < kpath_never_count(g); i++)
        kpath_never(g, i, &all);
    ck_assert_ptr_nonnull(strstr(buf_string(&all), "budget.xml:10 optional: done: takes more steps"));
    ck_assert_ptr_nonnull(strstr(buf_string(&all), "budget.xml:13 alternative 2: takes more steps"));
    buf_release(&all);
    kpath_graph_free(g);
    domain_free(d);
}
END_TEST

/* What no interpreter logs is told from what the graph knows: a value never taken, a site where it cannot
 * stand. */
START_TEST(test_strangers)
{
    struct domain *d = plan_load(KPATH_DATA "/plain.xml");
    struct kpath_graph *g = graph_of(d, NULL, 2);
    struct kpath_seen seen;
    uint32_t one_of = 0, do_left = 0;
    struct site site;
    for (uint32_t i = 0; domain_site(d, i, &site); i++) {
        one_of = site.kind == SITE_ONE_OF ? i : one_of;
        do_left = site.kind == SITE_DO && !do_left ? i : do_left;
    }
    struct choice choices[] = {{0, 3, 0}, {one_of, 3, 0}, {do_left, 3, 0}};
    struct derivation log = {choices, 3, 3};
    kpath_seen_init(&seen, g);
    ck_assert(kpath_seen_add(&seen, &log));
    ck_assert(!kpath_seen_add(&seen, &log)); /* nothing new */
    ck_assert_uint_eq(seen.strangers, 0);
    ck_assert_uint_eq(seen.count[1], 3);
    ck_assert_uint_eq(seen.count[2], 2);
    choices[1].value = 1; /* of weight 0 */
    kpath_seen_add(&seen, &log);
    ck_assert_uint_eq(seen.strangers, 1);
    choices[1] = (struct choice){do_left, 2,
                                 0}; /* directly below the workflow, and a site that there is not */
    choices[2] = (struct choice){UINT32_MAX, 3, 0};
    kpath_seen_add(&seen, &log);
    ck_assert_uint_eq(seen.strangers, 3);
    ck_assert_uint_eq(seen.count[2], 2);
    kpath_seen_release(&seen);
    kpath_graph_free(g);
    domain_free(d);
}
END_TEST

/* A rule whose every alternative needs the next rule. */
static void put_wide_rule(FILE *out, const char *name, const char *next, int alternatives)
{
    fprintf(out, "%s =", name);
    for (int i = 0; i < alternatives; i++)
        fprintf(out, "%s \"%s%d\" %s", i ? " |" : "", name, i, next);
    fputs(";\n", out);
}

/* More than 2^26 paths of three choices are refused, and those of two can still be had. */
START_TEST(test_too_many)
{
    enum { WIDE = 410 };
    char file[] = "/tmp/kpath-XXXXXX.xml";
    FILE *out = fdopen(mkstemps(file, 4), "w");
    ck_assert_ptr_nonnull(out);
    fputs("<domain xmlns=\"urn:taskgen:domain:1\" name=\"wide\" title=\"Wide\"><workflow name=\"only\">"
          "<say><use rule=\"a\"/></say><list path=\".\"/></workflow><grammar>",
          out);
    put_wide_rule(out, "a", "b", WIDE);
    put_wide_rule(out, "b", "c", WIDE);
    put_wide_rule(out, "c", "/[a-z]/", WIDE);
    fputs("</grammar></domain>", out);
    fclose(out);
    struct domain *d = plan_load(file);
    struct kpath_graph *g = graph_of(d, NULL, 2);
    ck_assert_uint_eq(kpath_count(g, 1), 1 + 3 * WIDE);
    ck_assert_uint_eq(kpath_count(g, 2), WIDE + 2 * WIDE * WIDE);
    kpath_graph_free(g);
    struct error *err = NULL;
    ck_assert_int_eq(kpath_graph_new(d, NULL, 3, &g, &err), ERR_LIMIT);
    ck_assert_ptr_null(g);
    error_free(err);
    domain_free(d);
    remove(file);
}
END_TEST

static void check_domain(const char *file)
{
    if (strstr(file, "/common.xml") || strstr(file, "/ops.xml"))
        return;
    struct domain *d = plan_load(file);
    struct kpath_graph *g = graph_of(d, NULL, KPATH_LONGEST);
    struct kpath_seen seen;
    kpath_seen_init(&seen, g);
    see_tasks(d, NULL, &seen, TASKS_OF_A_DOMAIN);
    for (unsigned k = 1; k <= KPATH_LONGEST; k++) {
        check_numbers(g, k);
        ck_assert_uint_gt(seen.count[k], 0);
        ck_assert_uint_le(seen.count[k], kpath_count(g, k));
    }
    kpath_seen_release(&seen);
    kpath_graph_free(g);
    domain_free(d);
}

/* 20,000 tasks over all. */
START_TEST(test_shipped_domains)
{
    ck_assert_uint_ge(plan_each(TASKGEN_SOURCE_DIR "/domains", ".xml", check_domain), 10);
}
END_TEST

static void fill(TCase *tests)
{
    tcase_add_checked_fixture(tests, plan_set_up, plan_tear_down);
    tcase_add_test(tests, test_counted_by_hand);
    tcase_add_test(tests, test_one_workflow);
    tcase_add_test(tests, test_names);
    tcase_add_test(tests, test_never_by_budget);
    tcase_add_test(tests, test_strangers);
    tcase_add_test(tests, test_too_many);
    tcase_add_test(tests, test_shipped_domains);
}

int main(void)
{
    return unit_main("kpath", fill);
}
