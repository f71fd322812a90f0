/* Replies that show a file of ours outside the root, and whether a link led there. Programs in the sandbox are not asked: whether
 * they see more than the root is a matter of the sandbox's contract. */
#ifndef EXEC_ORACLE_ESCAPE_H
#define EXEC_ORACLE_ESCAPE_H

#include "exec/oracle/judge.h"

struct escape {
    size_t observation;
    const char *where; /* "beside the root", "in a directory beside the root" */
    bool by_link;      /* the step's path goes through a link that the task made */
};

/* In the order in which they were seen; the array lives in `a`. */
size_t escapes_find(const struct execution *e, struct arena *a, struct escape **out);

#endif
