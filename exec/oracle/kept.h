/* Files that the end of a session, or a pause, changed: a witness outside saw them before and after, and nobody else may have
 * touched them. */
#ifndef EXEC_ORACLE_KEPT_H
#define EXEC_ORACLE_KEPT_H

#include "exec/oracle/judge.h"

struct kept_loss {
    struct bytes path;
    const struct file_view *before, *after;
    const char *cause; /* the op between the two looks; "the session's end" */
};

/* The first one; false when every file is as it was. */
bool kept_lost(const struct execution *e, struct kept_loss *loss);
/* The same, found out anew: for facts.c. */
bool kept_lost_find(const struct execution *e, struct kept_loss *loss);

#endif
