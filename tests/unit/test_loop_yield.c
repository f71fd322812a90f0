/* What pays gets more: rates, odds, shares; and which two things were tried in one session. */
#include <math.h>
#include <string.h>

#include "exec/loop_pairs.h"
#include "exec/loop_yield.h"
#include "task_case.h"

static struct loop_yields yields;

static void note(size_t row, int times, double won, double seconds)
{
    for (int i = 0; i < times; i++)
        loop_yield_note(&yields, row, won, seconds);
}

START_TEST(rates_are_wins_a_second)
{
    double rates[4];
    yields = (struct loop_yields){0};
    loop_yield_rates(&yields, 4, rates);
    for (int i = 0; i < 4; i++)
        ck_assert(fabs(rates[i] - 1) < 1e-9); /* nothing is known */
    note(0, 100, 1, 1);   /* each wins */
    note(1, 100, 0.1, 1); /* one of ten */
    note(2, 100, 1, 10);  /* each, but slowly */
    loop_yield_rates(&yields, 4, rates);
    ck_assert(rates[0] > 0.9 && rates[0] < 1.1);
    ck_assert(rates[1] > 0.09 && rates[1] < 0.12);
    ck_assert(rates[2] > 0.09 && rates[2] < 0.12);
    ck_assert(rates[3] > 0.1 && rates[3] < 0.5); /* never tried: the mean */
    loop_yield_note(&yields, LOOP_YIELD_ROWS, 5, 5); /* nobody's row */
}
END_TEST

START_TEST(odds_leave_nobody_out)
{
    double odds[10], sum = 0;
    yields = (struct loop_yields){0};
    note(3, 1000, 1, 0.1);
    for (size_t i = 0; i < 10; i++)
        if (i != 3)
            note(i, 50, 0, 1);
    loop_yield_odds(&yields, 10, 0.1, odds);
    for (size_t i = 0; i < 10; i++) {
        sum += odds[i];
        ck_assert(odds[i] >= 0.01 - 1e-9);
    }
    ck_assert(fabs(sum - 1) < 1e-9);
    ck_assert(odds[3] > 0.8);
    loop_yield_odds(&yields, 10, 1, odds);
    ck_assert(fabs(odds[3] - 0.1) < 1e-9);
}
END_TEST

/* What paid long ago fades. */
START_TEST(the_old_counts_less)
{
    double rates[2];
    yields = (struct loop_yields){0};
    note(0, LOOP_YIELD_HALF, 1, 1);
    note(0, 4 * LOOP_YIELD_HALF, 0, 1);
    note(1, LOOP_YIELD_HALF - 1, 0.2, 1);
    loop_yield_rates(&yields, 2, rates);
    ck_assert(rates[0] < rates[1]);
}
END_TEST

START_TEST(shares_follow)
{
    const double wanted[LOOP_SOURCES] = {0.5, 0.45, 0.05}, none[LOOP_SOURCES] = {0.6, 0.4, 0};
    double s[LOOP_SOURCES];
    yields = (struct loop_yields){0};
    loop_shares(&yields, wanted, 0.75, s);
    ck_assert(s[LOOP_SPLICE] > 0.2 && s[LOOP_GENERATE] > s[LOOP_SPLICE]); /* nothing is known: toward alike */
    note(LOOP_SPLICE, 500, 1, 1);
    note(LOOP_GENERATE, 500, 0.01, 1);
    note(LOOP_MUTATE, 500, 0.01, 1);
    loop_shares(&yields, wanted, 0.75, s);
    ck_assert(s[LOOP_SPLICE] > 0.7);
    ck_assert(s[LOOP_GENERATE] > 0.1 && s[LOOP_MUTATE] > 0.1);
    loop_shares(&yields, wanted, 1, s);
    ck_assert(s[LOOP_GENERATE] > 0.04 && s[LOOP_GENERATE] < 0.06); /* never nothing */
    loop_shares(&yields, none, 1, s);
    ck_assert(s[LOOP_SPLICE] == 0); /* but what is not wanted */
    loop_shares(&yields, wanted, 0, s);
    for (int i = 0; i < LOOP_SOURCES; i++)
        ck_assert(fabs(s[i] - wanted[i]) < 1e-9);
    struct rng rng;
    int drawn[LOOP_SOURCES] = {0};
    rng_seed(&rng, 1, 1);
    for (int i = 0; i < 10000; i++)
        drawn[loop_draw(s, LOOP_SOURCES, &rng)]++;
    ck_assert(abs(drawn[0] - 5000) < 200 && abs(drawn[1] - 4500) < 200 && abs(drawn[2] - 500) < 100);
}
END_TEST

static const char moves[] = "{\"format\":\"taskgen/task/1\",\"instruction\":\"\",\"expect\":[],\"steps\":["
                            "{\"id\":\"s1\",\"op\":\"move\",\"args\":{\"path\":\"a\",\"to\":\"b\"}}]}";
static const char big[] = "{\"format\":\"taskgen/task/1\",\"instruction\":\"\",\"expect\":[],\"contents\":{\"c\":{\"$recipe\":\"pattern\",\"size\":70000}},"
                          "\"steps\":[{\"id\":\"s1\",\"op\":\"write\",\"args\":{\"path\":\"a\",\"content\":{\"$content\":\"c\"}}}]}";
static const char small[] = "{\"format\":\"taskgen/task/1\",\"instruction\":\"\",\"expect\":[],"
                            "\"steps\":[{\"id\":\"s1\",\"op\":\"write\",\"args\":{\"path\":\"a\",\"content\":\"x\"}}]}";

static int count_deeds(const char *text, struct loop_deeds *d)
{
    struct task *t = task_of_string(text);
    int count = 0;
    loop_deeds_of(t, d);
    task_free(t);
    for (size_t i = 0; i < sizeof d->bits / sizeof *d->bits; i++)
        count += __builtin_popcountll(d->bits[i]);
    return count;
}

START_TEST(pairs)
{
    static struct loop_pairs p;
    struct loop_deeds move, much, little;
    struct arm_set then = {{0}}, other = {{0}};
    p = (struct loop_pairs){0};
    ck_assert_int_eq(count_deeds(moves, &move), 3); /* the op and two arguments */
    ck_assert_int_eq(count_deeds(big, &much), 4);   /* write, path, much, very much */
    ck_assert_int_eq(count_deeds(small, &little), 2);
    arm_add(&then, 3);
    arm_add(&then, 90);
    arm_add(&other, 4);
    ck_assert(fabs(loop_pairs_worth(&p, &move, &then) - 6) < 1e-9);
    loop_pairs_note(&p, &move, &then);
    ck_assert(fabs(loop_pairs_worth(&p, &move, &then) - 3) < 1e-9);
    ck_assert(fabs(loop_pairs_worth(&p, &move, &other) - 3) < 1e-9); /* another class */
    struct loop_deeds state = {0};
    loop_deeds_state(&state, 77);
    ck_assert(fabs(loop_pairs_left(&p, 77) - ARM_CLASSES) < 1e-9); /* nothing was tried behind that state */
    loop_pairs_note(&p, &state, &then);
    ck_assert(fabs(loop_pairs_left(&p, 77) - ARM_CLASSES + 1) < 1e-9);
    ck_assert(fabs(loop_pairs_worth(&p, &much, &then) - 8) < 1e-9);  /* other deeds */
}
END_TEST

static void fill(TCase *tests)
{
    tcase_add_checked_fixture(tests, task_set_up, task_tear_down);
    tcase_add_test(tests, rates_are_wins_a_second);
    tcase_add_test(tests, odds_leave_nobody_out);
    tcase_add_test(tests, the_old_counts_less);
    tcase_add_test(tests, shares_follow);
    tcase_add_test(tests, pairs);
}

int main(void)
{
    return unit_main("loop_yield", fill);
}
