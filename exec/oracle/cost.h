/* Cost: the same call on inputs of n, 2n and 4n bytes, each several times, with a small one of constant size before and after every
 * one of them. What is done once a byte takes four times as long for four times as much; more than twice that is out of
 * proportion. */
#ifndef EXEC_ORACLE_COST_H
#define EXEC_ORACLE_COST_H

#include "exec/oracle/judge.h"

enum { COST_SIZES = 3 /* n, 2n, 4n */ };

struct cost_range {
    int64_t least, most; /* ns of one call */
    size_t count;
};

struct cost {
    struct cost_range size[COST_SIZES], control;
    uint64_t bytes;      /* n: what one call moved, both ways */
    size_t last;         /* the observation of 4n that came last */
};

/* The calls like observation `first`, which is one of n. False when it is none, or the sizes are not all there. */
bool cost_of(const struct execution *e, size_t first, struct cost *out);

/* Time grows out of proportion, whatever else the machine had to do meanwhile: the quickest call of each size against the slowest of
 * the one below it, more than some hundred ms, and the small calls in between were as quick as ever. */
bool cost_excessive(const struct cost *c);

#endif
