/* Measures what a call costs by its size; see cost.h.
 *
 * Noise makes calls slower, never quicker. So the quickest of the big ones is held against the slowest of the smaller ones: noise in
 * a small one hides a finding, and noise in the big ones would have to strike each of them, and none of the small calls between. */
#include "exec/oracle/cost.h"

#include <string.h>

#include "exec/oracle/script.h"

#define MS INT64_C(1000000)

enum {
    LEAST_EACH = 3,        /* calls of every size */
    LEAST_BYTES = 4096,    /* n: less is all frame and no content */
    TOLERANCE = 15,        /* percent that a size may be off: names, frames */
    CONTROL_PART = 8,      /* of n, that a control moves at most */
    FLOOR_MS = 400,        /* of 4n; what is less may be anything */
    TOTAL = 8,             /* times n's time, where 4 is in proportion and 16 the square */
    TENTHS = 25,           /* of the time of half the size, where 20 is in proportion and 40 the square */
    CONTROL_TIMES = 3,     /* controls may differ by that, and … */
    CONTROL_SLACK_MS = 30, /* … by that */
    CONTROL_SHARE = 10     /* of 4n's time, that no control takes */
};

/* Calls whose own work is in proportion to what they move. A program's is when it only passes bytes on. */
static bool is_measured(const struct observation *o)
{
    static const char *const files[] = {"write", "upload", "read", "download", "list", NULL};
    return observation_is_any(o, files) ? !o->outcome.lowered : observation_is(o, "run") && script_passes_on(o);
}

static bool counts(const struct execution *e, size_t i, const struct observation *like)
{
    const struct observation *o = &e->observations[i];
    return o->step->op == like->step->op && strcmp(o->step->session, like->step->session) == 0 && is_measured(o) &&
           observation_claims(o) && !o->in_group && !o->outcome.fault && o->outcome.ns > 0;
}

static uint64_t moved(const struct observation *o)
{
    return o->outcome.bytes_in + o->outcome.bytes_out;
}

static bool is_about(uint64_t bytes, uint64_t wanted)
{
    return bytes >= wanted / 100 * (100 - TOLERANCE) && bytes <= wanted / 100 * (100 + TOLERANCE);
}

static bool is_control(const struct execution *e, size_t i, const struct observation *like, uint64_t n)
{
    return counts(e, i, like) && moved(&e->observations[i]) <= n / CONTROL_PART;
}

static void take(struct cost_range *r, int64_t ns)
{
    r->least = r->count == 0 || ns < r->least ? ns : r->least;
    r->most = ns > r->most ? ns : r->most;
    r->count++;
}

/* Which of the sizes it is; COST_SIZES: none, or not between two controls. */
static size_t size_of(const struct execution *e, size_t i, const struct observation *like, uint64_t n)
{
    if (i == 0 || i + 1 >= e->count || !counts(e, i, like) || !is_control(e, i - 1, like, n) || !is_control(e, i + 1, like, n))
        return COST_SIZES;
    size_t k = 0;
    while (k < COST_SIZES && !is_about(moved(&e->observations[i]), n << k))
        k++;
    return k;
}

bool cost_of(const struct execution *e, size_t first, struct cost *out)
{
    const struct observation *like = &e->observations[first];
    *out = (struct cost){.bytes = moved(like)};
    if (out->bytes < LEAST_BYTES || size_of(e, first, like, out->bytes) != 0)
        return false;
    for (size_t i = first; i < e->count; i++) {
        size_t k = size_of(e, i, like, out->bytes);
        if (k == COST_SIZES)
            continue;
        take(&out->size[k], e->observations[i].outcome.ns);
        take(&out->control, e->observations[i - 1].outcome.ns);
        take(&out->control, e->observations[i + 1].outcome.ns);
        out->last = k == COST_SIZES - 1 ? i : out->last;
    }
    for (size_t k = 0; k < COST_SIZES; k++)
        if (out->size[k].count < LEAST_EACH)
            return false;
    return true;
}

bool cost_excessive(const struct cost *c)
{
    int64_t n = c->size[0].most, big = c->size[COST_SIZES - 1].least;
    bool steady = c->control.most <= c->control.least * CONTROL_TIMES + CONTROL_SLACK_MS * MS && c->control.most <= big / CONTROL_SHARE;
    for (size_t k = 1; k < COST_SIZES; k++)
        if (c->size[k].least / TENTHS * 10 < c->size[k - 1].most)
            return false;
    return steady && big >= FLOOR_MS * MS && big / TOTAL >= n;
}
