/* The output of programs that write to both streams. */
#ifndef EXEC_ORACLE_STREAMS_H
#define EXEC_ORACLE_STREAMS_H

#include "exec/oracle/judge.h"

/* Does `got` have all the lines of the standard output that step `index` must have, `want`, and beside them nothing but lines of the
 * standard error that it must have too, which the target has mixed in? *shuffled: they are in another order. False where no expectation
 * tells the standard error, or lines are few or the same. */
bool streams_whole(const struct execution *e, size_t index, struct bytes want, struct bytes got, struct arena *a, bool *shuffled);

#endif
