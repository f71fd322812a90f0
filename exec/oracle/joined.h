/* Several tasks in one session (mutate/join.h) have nothing to do with each other: what was openly refused in one, or got lost there, explains
 * nothing in another. What breaks the session does. */
#ifndef EXEC_ORACLE_JOINED_H
#define EXEC_ORACLE_JOINED_H

#include "exec/oracle/judge.h"

/* Observations from `begin` up to, not with, `end`. */
struct span {
    size_t begin, end;
};

/* Those of the task that observation `index` belongs to; all of them where nothing was put together, or for `index` e->count. */
struct span joined_span(const struct execution *e, size_t index);

/* Those of the one task whose steps touch the file; all of them when several do, or none. */
struct span joined_span_of_file(const struct execution *e, struct bytes path);

#endif
