/* For the tests of selections, surveys and diversity: the templates of tests/data/select. */
#ifndef TESTS_UNIT_SELECT_CASE_H
#define TESTS_UNIT_SELECT_CASE_H

#include "mutate/select.h"
#include "plan_case.h"

static struct settings settings;
static struct domain *domains[2]; /* shop, yard */
static struct generate_options generate;

static inline void select_set_up(void)
{
    plan_set_up();
    settings_defaults(&settings);
    domains[0] = plan_load(TASKGEN_SOURCE_DIR "/tests/data/select/shop.xml");
    domains[1] = plan_load(TASKGEN_SOURCE_DIR "/tests/data/select/yard.xml");
    generate = (struct generate_options){
        .domains = (const struct domain *const *)domains, .domain_count = 2, .settings = &settings};
}

static inline void select_tear_down(void)
{
    domain_free(domains[0]);
    domain_free(domains[1]);
    plan_tear_down();
}

static inline struct select_options options(void)
{
    return (struct select_options){.generate = &generate, .ops = plan_ops, .strength = 1};
}

static inline struct selection *open_selection(const struct select_options *o)
{
    struct selection *s = NULL;
    struct error *err = NULL;
    ck_assert_msg(selection_new(o, 7, &s, &err) == 0, "%s", err ? err->text : "?");
    return s;
}

static inline struct task *selected(const struct selection *s, uint64_t index)
{
    struct task *t = NULL;
    struct error *err = NULL;
    ck_assert_msg(selection_task(s, index, &t, &err) == 0, "%s", err ? err->text : "?");
    return t;
}

#endif
