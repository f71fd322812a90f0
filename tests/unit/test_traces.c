/* What was seen from outside, in recordings and as features. */
#include <stdint.h>

#include "exec/oracle/feedback.h"
#include "exec/oracle/record.h"
#include "execution_case.h"

enum { FEATURES = 64, LEFTOVER = 16, TRIPWIRE, GROWTH };

static struct ops *ops;
static struct execution_case c;

static void set_up(void)
{
    ops = oracle_ops();
    case_init(&c, ops);
    case_step(&c, "read", "a");
}

static void tear_down(void)
{
    case_release(&c);
    ops_free(ops);
}

static size_t features(unsigned domain)
{
    uint64_t found[FEATURES];
    size_t count = features_of(&c.execution, NULL, found, FEATURES), of_domain = 0;
    for (size_t i = 0; i < count; i++)
        of_domain += found[i] >> 56 == domain;
    return of_domain;
}

static struct execution recorded(void)
{
    struct buf text;
    struct execution again;
    struct task *task = NULL;
    struct error *err = NULL;
    buf_init(&text, 1 << 20);
    task_identify(c.task);
    execution_write(&c.execution, &text);
    ck_assert_msg(execution_read(ops, buf_bytes(&text), "test", &c.arena, &again, &task, &err) == 0, "%s",
                  err ? err->text : "");
    task_free(task);
    buf_release(&text);
    return again;
}

static void check_step(const struct observation *o)
{
    const struct usage *u = &o->usage;
    const struct jobs_view *j = &o->jobs;
    ck_assert(j->looked && j->before == 20 && j->after == 21 && j->working == 24 && j->spared == 22 && j->none_ms == 23);
    ck_assert(u->rss == 16 && u->memory == 17 && u->memory_peak == 18 && u->descriptors == 19);
    ck_assert(u->pss == 28 && u->renderers_pss == 29 && u->renderers == 30);
}

static void check_snapshot(const struct snapshot *got, const struct snapshot *s)
{
    ck_assert(got->made && got->processes == 1 && got->zombies == 2 && got->rss == s->rss && got->pss == 8);
    ck_assert(got->memory == 9 && got->memory_peak == 10 && got->group_processes == 11 && got->oom_kills == 12);
    ck_assert(got->memory_refusals == 13 && got->process_refusals == 14 && got->cpu_us == 15);
    ck_assert(got->throttled == 25 && got->processes_peak == 26 && got->io_bytes == 27);
    ck_assert(got->have_descriptors && memcmp(got->descriptors, s->descriptors, sizeof s->descriptors) == 0);
}

START_TEST(figures_are_recorded)
{
    struct listener listeners[] = {{"tcp6", BYTES_LITERAL("[::1]:80"), 0}, {"unix", BYTES_LITERAL("/a\xff b"), 0}};
    struct snapshot *s = &c.execution.at_end;
    *s = (struct snapshot){
        .made = true, .processes = 1, .zombies = 2, .have_descriptors = true, .descriptors = {3, 4, 5, 6, 7},
        .rss = UINT64_C(1) << 40, .pss = 8, .memory = 9, .memory_peak = 10, .group_processes = 11, .oom_kills = 12,
        .memory_refusals = 13, .process_refusals = 14, .cpu_us = 15, .throttled = 25, .processes_peak = 26,
        .io_bytes = 27, .listeners = listeners, .listener_count = 2};
    c.observations[0].usage = (struct usage){16, 17, 18, 19, 28, 29, 30};
    c.execution.tabs = (struct tabs_view){.budget = 31, .listed = true, .open = 32, .settled = 33};
    c.observations[0].jobs = (struct jobs_view){true, 20, 21, 24, 22, 23};
    struct execution e = recorded();
    ck_assert(!e.at_start.made);
    ck_assert_uint_eq(e.at_end.listener_count, 2);
    ck_assert_str_eq(e.at_end.listeners[0].family, "tcp6");
    ck_assert(bytes_equal(e.at_end.listeners[1].where, listeners[1].where));
    check_step(&e.observations[0]);
    ck_assert(e.tabs.budget == 31 && e.tabs.listed && e.tabs.open == 32 && e.tabs.settled == 33);
    check_snapshot(&e.at_end, s);
}
END_TEST

START_TEST(touches_are_recorded)
{
    struct tripwire_report reports[] = {{TRIPWIRE_HOME, TRIPWIRE_READ | TRIPWIRE_GONE, SIZE_MAX},
                                        {TRIPWIRE_SIBLING, 31, 0}};
    struct canary_sighting sightings[] = {{TRIPWIRE_SIBLING, CANARY_REPLY, 0, BYTES_NONE},
                                          {TRIPWIRE_HOME, CANARY_FILE, 0, BYTES_LITERAL("d/\xe9")},
                                          {TRIPWIRE_BESIDE, CANARY_STDERR, 0, BYTES_NONE}};
    c.execution.tripwires = reports;
    c.execution.tripwire_count = 2;
    c.execution.sightings = sightings;
    c.execution.sighting_count = 3;
    struct execution e = recorded();
    ck_assert_uint_eq(e.tripwire_count, 2);
    for (size_t i = 0; i < 2; i++)
        ck_assert(e.tripwires[i].place == reports[i].place && e.tripwires[i].how == reports[i].how &&
                  e.tripwires[i].after_step == reports[i].after_step);
    ck_assert_uint_eq(e.sighting_count, 3);
    for (size_t i = 0; i < 3; i++)
        ck_assert(e.sightings[i].place == sightings[i].place && e.sightings[i].in == sightings[i].in &&
                  bytes_equal(e.sightings[i].path, sightings[i].path));
    ck_assert_uint_eq(features(TRIPWIRE), 2 + 5 + 3);
}
END_TEST

START_TEST(leftovers_are_recorded)
{
    struct leftover left[] = {
        {LEFTOVER_PROCESS, 5, 'Z', "n", "c", BYTES_NONE, false},
        {LEFTOVER_ESCAPED, 6, 'S', "n", "", BYTES_NONE, true},
        {LEFTOVER_LISTENER, 0, 0, "", "", BYTES_LITERAL("tcp 127.0.0.1:1"), false},
        {LEFTOVER_FILE, 0, 0, "", "", BYTES_LITERAL("odd\xff\n"), false},
        {LEFTOVER_FILE, 0, 0, "", "", BYTES_LITERAL("another"), false},
        {LEFTOVER_GROUP, 0, 0, "", "", BYTES_LITERAL("/g"), false},
    };
    c.execution.leftovers = left;
    c.execution.leftover_count = sizeof left / sizeof *left;
    struct execution e = recorded();
    ck_assert_uint_eq(e.leftover_count, c.execution.leftover_count);
    for (size_t i = 0; i < e.leftover_count; i++) {
        const struct leftover *a = &left[i], *b = &e.leftovers[i];
        ck_assert(a->kind == b->kind && a->pid == b->pid && a->state == b->state && a->calm == b->calm);
        ck_assert_str_eq(a->name, b->name);
        ck_assert_str_eq(a->command, b->command);
        ck_assert(bytes_equal(a->where, b->where));
    }
    ck_assert_uint_eq(features(LEFTOVER), 4); /* the calm one brings none, two files are one */
}
END_TEST

START_TEST(growth)
{
    struct snapshot *a = &c.execution.at_start, *z = &c.execution.at_end;
    a->made = z->made = a->have_descriptors = z->have_descriptors = true;
    a->descriptors[DESCRIPTOR_SOCKET] = 3;
    a->rss = z->rss = UINT64_C(500) << 20;
    ck_assert_uint_eq(features(GROWTH), 0); /* fewer is nothing */
    z->rss += 63 << 20;
    ck_assert_uint_eq(features(GROWTH), 0); /* nor is a little more memory */
    z->rss += 1 << 20;
    z->descriptors[DESCRIPTOR_SOCKET] = 4;
    z->processes = 9;
    z->oom_kills = 3;
    ck_assert_uint_eq(features(GROWTH), 4);
    a->made = false;
    ck_assert_uint_eq(features(GROWTH), 0);
}
END_TEST

static void fill(TCase *tests)
{
    tcase_add_checked_fixture(tests, set_up, tear_down);
    tcase_add_test(tests, figures_are_recorded);
    tcase_add_test(tests, touches_are_recorded);
    tcase_add_test(tests, leftovers_are_recorded);
    tcase_add_test(tests, growth);
}

int main(void)
{
    return unit_main("traces", fill);
}
