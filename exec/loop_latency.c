/* Latencies of ops; see loop_latency.h. Open addressing; rows are never taken away. The median of a histogram is as good as its buckets: a
 * factor of 1.2, where the question is about factors of two. */
#include "exec/loop_latency.h"

static const int64_t first_ns = 1000;

/* Half powers of two above a microsecond. */
static unsigned bucket_of(int64_t ns)
{
    uint64_t units = (uint64_t)(ns / first_ns);
    if (!units)
        return 0;
    unsigned power = 63 - (unsigned)__builtin_clzll(units);
    bool upper = (double)units >= 1.4142135623730951 * (double)(UINT64_C(1) << power);
    unsigned bucket = 2 * power + upper + 1;
    return bucket < LATENCY_BUCKETS ? bucket : LATENCY_BUCKETS - 1;
}

/* The geometric middle of a bucket. */
static int64_t middle_of(unsigned bucket)
{
    if (!bucket)
        return first_ns / 2;
    double low = (double)(UINT64_C(1) << (bucket - 1) / 2);
    return (int64_t)((double)first_ns * low * ((bucket - 1) % 2 ? 1.6817928305074290 : 1.1892071150027210));
}

static size_t row_of(const struct loop_latencies *t, uint64_t op)
{
    size_t at = op % LATENCY_ROWS;
    while (t->rows[at].op && t->rows[at].op != op)
        at = (at + 1) % LATENCY_ROWS;
    return at;
}

static int64_t median_of(const struct loop_latency *row)
{
    uint32_t below = 0;
    for (unsigned i = 0; i < LATENCY_BUCKETS; i++) {
        below += row->counts[i];
        if (2 * below >= row->total)
            return middle_of(i);
    }
    return 0;
}

static bool is_listed(const struct feedback_latency *list, size_t count, uint64_t op)
{
    for (size_t i = 0; i < count; i++)
        if (list[i].op == op)
            return true;
    return false;
}

static bool counts(const struct observation *o)
{
    return o->outcome.class != OUTCOME_SKIPPED && o->outcome.class != OUTCOME_HARNESS && o->outcome.ns > 0;
}

size_t loop_latency_known(const struct loop_latencies *t, const struct execution *e, struct feedback_latency *out, size_t max)
{
    size_t count = 0;
    for (size_t i = 0; i < e->count && count < max; i++) {
        uint64_t op = feedback_op(&e->observations[i]);
        const struct loop_latency *row = &t->rows[row_of(t, op)];
        if (row->op && row->total >= LATENCY_LEAST && !is_listed(out, count, op))
            out[count++] = (struct feedback_latency){op, median_of(row)};
    }
    return count;
}

void loop_latency_note(struct loop_latencies *t, const struct execution *e)
{
    for (size_t i = 0; i < e->count; i++) {
        const struct observation *o = &e->observations[i];
        uint64_t op = feedback_op(o);
        struct loop_latency *row = &t->rows[row_of(t, op)];
        if (!counts(o) || (!row->op && t->used >= LATENCY_ROWS / 4 * 3))
            continue;
        t->used += !row->op;
        row->op = op;
        row->counts[bucket_of(o->outcome.ns)]++;
        if (++row->total < LATENCY_MOST)
            continue;
        row->total = 0;
        for (unsigned k = 0; k < LATENCY_BUCKETS; k++)
            row->total += row->counts[k] /= 2;
    }
}
