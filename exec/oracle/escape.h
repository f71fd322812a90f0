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

/* What a policy says of a path as tasks name it, relative to the root; unstated where that leads nobody knows. */
enum policy_answer policy_root_answer(const struct execution *e, enum policy_roots kind, struct bytes path);

/* Says what was read, made or changed where the policy allows none of it, as findings of the check `slug`. */
void escape_roots_report(const struct execution *e, struct verdicts *out, const char *slug);

/* In the order in which they were seen; the array lives in `a`. */
size_t escapes_find(const struct execution *e, struct arena *a, struct escape **out);

#endif
