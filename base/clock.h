/* Time. All of taskgen asks here, so that tests can hold the clock. */
#ifndef BASE_CLOCK_H
#define BASE_CLOCK_H

#include <stdint.h>

int64_t clock_monotonic_ns(void);
int64_t clock_wall_ms(void); /* since 1970-01-01 UTC */
void clock_sleep_ms(int64_t ms); /* whole, across signals' interruptions; returns at once when faked */
/* Tests: both clocks return *fake_ns from now on; NULL gives the real ones back. */
void clock_fake(const int64_t *fake_ns);

#endif
