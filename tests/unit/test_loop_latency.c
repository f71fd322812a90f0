/* What is ordinary about the time that calls of an op take. */
#include "exec/loop_latency.h"
#include "execution_case.h"

static struct ops *ops;
static struct loop_latencies table;
static struct execution_case c;

static void set_up(void)
{
    ops = oracle_ops();
    case_init(&c, ops);
    memset(&table, 0, sizeof table);
}

static void tear_down(void)
{
    case_release(&c);
    ops_free(ops);
}

static int64_t median(void)
{
    struct feedback_latency known[2];
    size_t count = loop_latency_known(&table, &c.execution, known, 2);
    return count ? known[0].median_ns : 0;
}

static void took(int64_t ns, int times)
{
    c.observations[0].outcome.ns = ns;
    for (int i = 0; i < times; i++)
        loop_latency_note(&table, &c.execution);
}

START_TEST(medians)
{
    static const int64_t times[] = {100, 20000, 500000, 3000000, 123456789, INT64_C(60000000000)};
    case_step(&c, "read", "a");
    for (size_t i = 0; i < sizeof times / sizeof *times; i++) {
        memset(&table, 0, sizeof table);
        took(times[i], LATENCY_LEAST - 1);
        ck_assert_int_eq(median(), 0); /* too few */
        took(times[i], LATENCY_LEAST);
        took(1000 * times[i], 3); /* what is out of the ordinary does not move it */
        double factor = (double)median() / (double)times[i];
        ck_assert_msg(factor > 0.8 && factor < (i ? 1.25 : 6), "%lld: %f", (long long)times[i], factor);
    }
    took(1000000, 3 * LATENCY_MOST); /* and what is ordinary changes in time */
    ck_assert(median() > 800000 && median() < 1250000);
    took(-5, 100);
    took(0, 100);
    ck_assert(median() > 800000);
}
END_TEST

START_TEST(ops_are_apart)
{
    struct feedback_latency known[4];
    case_step(&c, "read", "a")->outcome.ns = 1000000;
    case_step(&c, "read", "b")->outcome.ns = 1000000;
    case_step(&c, "write", "a")->outcome.ns = 64000000;
    case_step(&c, "list", "a")->outcome = (struct outcome){.class = OUTCOME_SKIPPED, .ns = 5};
    for (int i = 0; i < LATENCY_LEAST; i++)
        loop_latency_note(&table, &c.execution);
    ck_assert_uint_eq(loop_latency_known(&table, &c.execution, known, 4), 2);
    ck_assert(known[0].op == feedback_op(&c.observations[0]) && known[1].op == feedback_op(&c.observations[2]));
    ck_assert(known[1].median_ns > 40 * known[0].median_ns);
    ck_assert_uint_eq(loop_latency_known(&table, &c.execution, known, 1), 1);
}
END_TEST

/* Tools of a target's own may have any number of names. */
START_TEST(room)
{
    for (int i = 0; i < 1000; i++) {
        case_release(&c);
        case_init(&c, ops);
        struct observation *o = case_step(&c, "call", "");
        json_set(&c.arena, o->args, "name", json_text(&c.arena, arena_printf(&c.arena, "tool%d", i)));
        took(1000000, 1);
    }
    ck_assert_uint_eq(table.used, LATENCY_ROWS / 4 * 3);
}
END_TEST

static void fill(TCase *tests)
{
    tcase_add_checked_fixture(tests, set_up, tear_down);
    tcase_add_test(tests, medians);
    tcase_add_test(tests, ops_are_apart);
    tcase_add_test(tests, room);
}

int main(void)
{
    return unit_main("loop_latency", fill);
}
