/* Rounds: calls that a task makes again and again, equal in everything. What they cost is the same each time
 * on a right target, after the first few; what grows with each is kept by somebody who should have let it go.
 */
#ifndef EXEC_ORACLE_ROUNDS_H
#define EXEC_ORACLE_ROUNDS_H

#include "exec/oracle/judge.h"

enum { ROUNDS_STEPS_MAX = 4 /* calls in one round */ };

/* Observations [first, first + count * length), each equal to the one `length` before it: the same op, the
 * same arguments, the same session, alone, with success, and with figures of the target's own process. */
struct rounds {
    size_t first, count, length;
};

/* The next such stretch of at least `least` rounds, beginning at or after *at, which is moved on. */
bool rounds_next(const struct execution *e, size_t *at, size_t least, struct rounds *out);

/* The observation that ends round `index`, and the op of a round that names it in signatures: its last one.
 */
const struct observation *rounds_end(const struct execution *e, const struct rounds *r, size_t index);

#endif
