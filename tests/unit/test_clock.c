/* base/clock: real clocks go on, a held one stands, sleeping survives signals. */
#include <signal.h>
#include <sys/time.h>
#include <time.h>

#include "base/clock.h"
#include "unit.h"

START_TEST(real)
{
    int64_t before = clock_monotonic_ns();
    clock_sleep_ms(20);
    int64_t passed = clock_monotonic_ns() - before;
    ck_assert_int_ge(passed, 20 * INT64_C(1000000));
    int64_t wall = clock_wall_ms() / 1000;
    ck_assert_int_le(llabs((long long)(wall - (int64_t)time(NULL))), 2);
    clock_sleep_ms(0);
    clock_sleep_ms(-5);
}
END_TEST

START_TEST(held)
{
    int64_t now = 5000000000;
    clock_fake(&now);
    ck_assert_int_eq(clock_monotonic_ns(), 5000000000);
    ck_assert_int_eq(clock_wall_ms(), 5000);
    clock_sleep_ms(1000000); /* at once: the test's timeout would tell */
    now += 1000000;
    ck_assert_int_eq(clock_wall_ms(), 5001);
    clock_fake(NULL);
    ck_assert_int_ne(clock_monotonic_ns(), now);
}
END_TEST

static volatile sig_atomic_t alarms;

static void on_alarm(int signal)
{
    alarms += signal == SIGALRM;
}

START_TEST(interrupted)
{
    sigaction(SIGALRM, &(struct sigaction){.sa_handler = on_alarm}, NULL);
    setitimer(ITIMER_REAL, &(struct itimerval){{0, 5000}, {0, 5000}}, NULL);
    int64_t before = clock_monotonic_ns();
    clock_sleep_ms(60);
    int64_t passed = clock_monotonic_ns() - before;
    setitimer(ITIMER_REAL, &(struct itimerval){0}, NULL);
    ck_assert_int_ge(passed, 60 * INT64_C(1000000));
    ck_assert_int_gt(alarms, 0);
}
END_TEST

static void fill(TCase *tests)
{
    tcase_add_test(tests, real);
    tcase_add_test(tests, held);
    tcase_add_test(tests, interrupted);
}

int main(void)
{
    return unit_main("clock", fill);
}
