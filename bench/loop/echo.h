/* The echo target: a driver in this process, whose files are a table in memory. What was written is what is read, names and errors
 * are those of a POSIX file system, and a call costs about a microsecond. So what is left of a loop's time is the loop's own. */
#ifndef BENCH_LOOP_ECHO_H
#define BENCH_LOOP_ECHO_H

#include "exec/target/driver.h"

extern const struct driver driver_echo;

/* A target of it. Each call takes pause_ns longer than it would, by the monotonic clock (0: not longer). */
int echo_target_new(const struct settings *settings, const struct ops *ops, int64_t pause_ns, struct target **t,
                    struct error **err);

#endif
