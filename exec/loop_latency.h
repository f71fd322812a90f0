/* How long calls of each op take, as seen so far by this campaign, so that what is out of the ordinary can be told. Oracles keep no state,
 * so the loop does. Not thread-safe: its lock guards it. */
#ifndef EXEC_LOOP_LATENCY_H
#define EXEC_LOOP_LATENCY_H

#include "exec/oracle/feedback.h"

enum {
    LATENCY_ROWS = 128,    /* ops beyond three quarters of it are not remembered */
    LATENCY_BUCKETS = 64,  /* half powers of two, from a microsecond to an hour */
    LATENCY_LEAST = 20,    /* calls until there is something ordinary about an op */
    LATENCY_MOST = 4096    /* calls, then all counts are halved: what is ordinary may change with the machine */
};

struct loop_latencies {
    struct loop_latency {
        uint64_t op; /* feedback_op; 0: free */
        uint32_t total, counts[LATENCY_BUCKETS];
    } rows[LATENCY_ROWS];
    uint32_t used;
};

/* The medians of the execution's ops, as far as they are known, at most `max`; returns how many. */
size_t loop_latency_known(const struct loop_latencies *t, const struct execution *e, struct feedback_latency *out, size_t max);
/* Counts its calls that were sent. */
void loop_latency_note(struct loop_latencies *t, const struct execution *e);

#endif
