/* Times of workflows; see loop_cost.h. Open addressing; rows are never taken away. */
#include "exec/loop_cost.h"

#include "base/hash.h"

static const double LEAST = 0.1;

static uint64_t key_of(const struct task *t)
{
    uint64_t key = hash64_mix(hash64(bytes_of_string(t->domain)), hash64(bytes_of_string(t->workflow)));
    return key ? key : 1;
}

/* Its row, or the free one that is its own to take. */
static size_t row_of(const struct loop_costs *c, uint64_t key)
{
    size_t at = key % LOOP_COST_ROWS;
    while (c->rows[at].workflow && c->rows[at].workflow != key)
        at = (at + 1) % LOOP_COST_ROWS;
    return at;
}

void loop_cost_note(struct loop_costs *c, const struct task *t, int64_t ns)
{
    uint64_t key = key_of(t);
    struct loop_cost *row = &c->rows[row_of(c, key)];
    if (!row->workflow && c->used >= LOOP_COST_ROWS / 4 * 3)
        return;
    c->used += !row->workflow;
    row->workflow = key;
    row->count++;
    row->seconds += ((double)ns / 1e9 - row->seconds) / row->count;
}

double loop_cost_with(const struct loop_costs *c, const struct task *t)
{
    const struct loop_cost *row = &c->rows[row_of(c, key_of(t))];
    return (row->seconds > LEAST ? row->seconds : LEAST) * (1 + (double)row->count);
}

double loop_cost_of(const struct loop_costs *c, const struct task *t)
{
    const struct loop_cost *row = &c->rows[row_of(c, key_of(t))];
    return row->seconds > LEAST ? row->seconds : LEAST;
}
