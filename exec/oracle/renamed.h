/* Files that a step says it has made, and that stand beside their place under a name with other bytes: composed or taken apart, without
 * a blank or a dot at its end, in other letters' case. */
#ifndef EXEC_ORACLE_RENAMED_H
#define EXEC_ORACLE_RENAMED_H

#include "exec/oracle/judge.h"

/* What step `index` made is in its directory under another spelling of its name: *name, which has other bytes. */
bool renamed_there(const struct execution *e, size_t index, struct bytes *name);

/* The same, or its path leads through a directory of which that is true: why nobody sees it at its place is known. */
bool renamed_on_the_way(const struct execution *e, size_t index);

#endif
