/* grammar/domain: templates that load, what is known of them, and every fault that is found while loading,
 * with file, line and what was expected: one file each in tests/data/plan/bad and tests/data/plan/misshapen.
 */
#include "grammar/plan.h"
#include "plan_case.h"

static void check_good(const char *file)
{
    struct domain *domain = plan_load(file);
    ck_assert_uint_ge(domain_workflow_count(domain), 1);
    ck_assert_str_eq(domain_file(domain), file);
    ck_assert_uint_eq(strlen(domain_hash(domain)), 16);
    domain_free(domain);
}

START_TEST(good_templates)
{
    ck_assert_uint_ge(plan_each(PLAN_DATA "/good", ".xml", check_good), 3);
}
END_TEST

static void check_bad(const char *file)
{
    struct domain *domain = NULL;
    struct error *err = NULL;
    int status = domain_load(file, plan_ops, generate_recipes(), &domain, &err);
    ck_assert_msg(status == ERR_INPUT && err && !domain, "%s was taken", file);
    plan_check_message(file, err->text);
    error_free(err);
    ck_assert_int_eq(domain_load(file, plan_ops, generate_recipes(), &domain, NULL), ERR_INPUT);
}

START_TEST(bad_templates)
{
    ck_assert_uint_ge(plan_each(PLAN_DATA "/bad", ".xml", check_bad), 80);
    ck_assert_uint_ge(plan_each(PLAN_DATA "/misshapen", ".xml", check_bad), 25);
}
END_TEST

START_TEST(what_is_known)
{
    struct domain *d = plan_load(PLAN_DATA "/good/kitchen.xml");
    ck_assert_str_eq(domain_name(d), "kitchen");
    ck_assert_str_eq(domain_title(d), "Every element");
    ck_assert_uint_eq(domain_workflow_count(d), 4);
    ck_assert_str_eq(domain_workflow_name(d, 1), "any");
    ck_assert(domain_workflow_weight(d, 1) == 2 && domain_workflow_weight(d, 2) == 1);
    ck_assert_uint_eq(domain_hazard_count(d), 2);
    const struct domain_hazard *hazard = domain_hazard(d, 0);
    ck_assert_str_eq(hazard->mutator, "null-byte");
    ck_assert_str_eq(hazard->on, "name body");
    ck_assert(hazard->probability == 0.02 && !hazard->kinds);
    ck_assert_ptr_nonnull(strstr(hazard->place, "kitchen.xml:"));
    ck_assert_str_eq(domain_hazard(d, 1)->kinds, "utf16le latin1");
    ck_assert_int_ge(grammar_rule(domain_grammar(d), BYTES_LITERAL("quoted")), 0);
    ck_assert_uint_ge(grammar_site_end(domain_grammar(d)), d->site_end);
    ck_assert_uint_eq(d->limits.steps, 20);
    ck_assert_uint_eq(d->limits.bytes, 65536);
    domain_free(d);
    d = plan_load(PLAN_DATA "/good/minimal.xml");
    ck_assert_str_eq(domain_title(d), "minimal"); /* a title that is not given is the name */
    ck_assert_uint_eq(d->limits.steps, 30);
    domain_free(d);
}
END_TEST

/* Cheapest completions, by hand: put 1 op; look needs a thing (1) and looks (1); copy-one needs two things.
 */
START_TEST(costs)
{
    struct domain *d = plan_load(PLAN_DATA "/good/kitchen.xml");
    static const struct {
        const char *step;
        uint32_t steps, height;
    } table[] = {{"put", 1, 0},   {"make-dir", 1, 0}, {"look", 2, 1}, {"copy-one", 3, 1},
                 {"spawn", 1, 0}, {"end", 2, 1},      {"nest", 1, 1}};
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
        const struct plan_step *step = domain_find_step(d, table[i].step);
        ck_assert_msg(step->cost.steps == table[i].steps && step->cost.height == table[i].height, "%s: %u %u",
                      step->name, step->cost.steps, step->cost.height);
    }
    ck_assert(domain_find_step(d, "named")->needs_arguments && !domain_find_step(d, "put")->needs_arguments);
    domain_free(d);
}
END_TEST

/* What is done for a handle that is missing: the cheapest step that makes the very kind. */
START_TEST(producers)
{
    struct domain *d = plan_load(PLAN_DATA "/good/kinds.xml");
    const struct plan_with *file = &domain_find_step(d, "look")->body->u.with,
                           *table = &domain_find_step(d, "count")->body->u.with;
    ck_assert_uint_eq(file->producer_count, 2);
    ck_assert_str_eq(file->producers[0]->name, "put-file");
    ck_assert_str_eq(file->producers[1]->name, "put-other");
    ck_assert_uint_eq(table->producer_count, 1);
    ck_assert_str_eq(table->producers[0]->name, "put-table");
    domain_free(d);
}
END_TEST

/* An included file is hashed like the main one; reading it twice by two names changes nothing else. */
START_TEST(hash_of_every_byte)
{
    struct domain *d = plan_load(PLAN_DATA "/good/included.xml");
    char first[17], *directory = fs_fresh_dir("taskgen-domain", NULL), file[600];
    static const char *const names[] = {"included.xml", "parts/vocabulary.xml", "parts/names.tg"};
    strcpy(first, domain_hash(d));
    domain_free(d);
    snprintf(file, sizeof file, "%s/parts", directory);
    ck_assert_int_eq(fs_make_dirs(file, NULL), 0);
    for (size_t changed = 0; changed <= 3; changed++) {
        for (size_t i = 0; i < 3; i++) {
            struct buf text;
            buf_init(&text, 1 << 20);
            snprintf(file, sizeof file, PLAN_DATA "/good/%s", names[i]);
            ck_assert_int_eq(fs_read(file, 1 << 20, &text, NULL), 0);
            if (i == changed)
                buf_add_byte(&text, '\n');
            snprintf(file, sizeof file, "%s/%s", directory, names[i]);
            ck_assert_int_eq(fs_write(file, buf_bytes(&text), NULL), 0);
            buf_release(&text);
        }
        snprintf(file, sizeof file, "%s/included.xml", directory);
        d = plan_load(file);
        ck_assert_msg((strcmp(domain_hash(d), first) == 0) == (changed == 3), "file %zu", changed);
        ck_assert_uint_eq(domain_workflow_count(d), 1); /* those of included files are not taken */
        ck_assert_uint_eq(d->limits.steps, 30);
        domain_free(d);
    }
    fs_remove_tree(directory, NULL);
    free(directory);
}
END_TEST

/* A fault in an included file names that file. */
START_TEST(fault_in_included_file)
{
    char *directory = fs_fresh_dir("taskgen-domain", NULL), file[600];
    struct domain *d = NULL;
    struct error *err = NULL;
    snprintf(file, sizeof file, "%s/main.xml", directory);
    ck_assert_int_eq(
        fs_write(file,
                 BYTES_LITERAL("<domain xmlns='urn:taskgen:domain:1' name='m'><include href='" PLAN_DATA
                               "/bad/parts/faulty.xml'/></domain>"),
                 NULL),
        0);
    ck_assert_int_eq(domain_load(file, plan_ops, NULL, &d, &err), ERR_INPUT);
    ck_assert_ptr_nonnull(strstr(err->text, "/faulty.xml:2: found states=\"1\""));
    error_free(err);
    fs_remove_tree(directory, NULL);
    free(directory);
}
END_TEST

/* The guide's worked example is a template like any other. */
START_TEST(example_of_the_guide)
{
    struct buf guide;
    buf_init(&guide, 1 << 20);
    ck_assert_int_eq(fs_read(TASKGEN_SOURCE_DIR "/docs/templates.md", 1 << 20, &guide, NULL), 0);
    const char *start = strstr(buf_string(&guide), "```xml\n") + strlen("```xml\n"),
               *end = strstr(start, "```");
    char *directory = fs_fresh_dir("taskgen-domain", NULL), file[600];
    struct buf common;
    buf_init(&common, 1 << 20);
    ck_assert_int_eq(fs_read(TASKGEN_SOURCE_DIR "/domains/common.xml", 1 << 20, &common, NULL), 0);
    snprintf(file, sizeof file, "%s/common.xml", directory);
    ck_assert_int_eq(fs_write(file, buf_bytes(&common), NULL), 0);
    snprintf(file, sizeof file, "%s/stock.xml", directory);
    ck_assert_int_eq(fs_write(file, bytes_of(start, (size_t)(end - start)), NULL), 0);
    const struct domain *d = plan_load(file);
    struct settings settings;
    settings_defaults(&settings);
    struct generate_options options = {&d, 1, NULL, &settings};
    for (uint64_t i = 0; i < 200; i++) {
        struct task *t = NULL;
        struct error *err = NULL;
        ck_assert_msg(generate_task(&options, 1, i, &t, &err) == 0, "%s", err ? err->text : "");
        ck_assert(t->step_count >= 2 && t->expect->count >= 3 && strlen(t->instruction) > 50);
        task_free(t);
    }
    domain_free((struct domain *)d);
    buf_release(&guide);
    buf_release(&common);
    fs_remove_tree(directory, NULL);
    free(directory);
}
END_TEST

static void fill(TCase *tests)
{
    tcase_add_checked_fixture(tests, plan_set_up, plan_tear_down);
    tcase_add_test(tests, good_templates);
    tcase_add_test(tests, bad_templates);
    tcase_add_test(tests, what_is_known);
    tcase_add_test(tests, costs);
    tcase_add_test(tests, producers);
    tcase_add_test(tests, hash_of_every_byte);
    tcase_add_test(tests, fault_in_included_file);
    tcase_add_test(tests, example_of_the_guide);
}

int main(void)
{
    return unit_main("domain", fill);
}
