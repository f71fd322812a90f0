/* The clocks. The one piece of state is the tests' pointer, atomic so that threads may read it while a test
 * sets it. */
#include "base/clock.h"

#include <errno.h>
#include <stdatomic.h>
#include <stddef.h>
#include <time.h>

enum { NS_PER_MS = 1000000, MS_PER_S = 1000 };
static const int64_t NS_PER_S = 1000000000;

static _Atomic(const int64_t *) fake;

void clock_fake(const int64_t *fake_ns)
{
    atomic_store(&fake, fake_ns);
}

static int64_t now_ns(clockid_t id)
{
    const int64_t *held = atomic_load(&fake);
    if (held)
        return *held;
    struct timespec t;
    clock_gettime(id, &t); /* cannot fail for these clocks */
    return (int64_t)t.tv_sec * NS_PER_S + t.tv_nsec;
}

int64_t clock_monotonic_ns(void)
{
    return now_ns(CLOCK_MONOTONIC);
}

int64_t clock_wall_ms(void)
{
    return now_ns(CLOCK_REALTIME) / NS_PER_MS;
}

void clock_sleep_ms(int64_t ms)
{
    if (ms <= 0 || atomic_load(&fake))
        return;
    struct timespec until;
    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_sec += ms / MS_PER_S;
    until.tv_nsec += ms % MS_PER_S * NS_PER_MS;
    if (until.tv_nsec >= NS_PER_S) {
        until.tv_sec++;
        until.tv_nsec -= NS_PER_S;
    }
    while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL) == EINTR)
        continue;
}
