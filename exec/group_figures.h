/* What the control groups of a session say. `pids` and `memory` are their directories (both may be the same one, or NULL);
 * v2 says which version each is of. Figures that a group or a kernel does not have stay as they are. */
#ifndef EXEC_GROUP_FIGURES_H
#define EXEC_GROUP_FIGURES_H

#include "exec/traces.h"

void group_figures(const char *pids, bool pids_v2, const char *memory, bool memory_v2, struct snapshot *out);
/* Only bytes in use, now and at most so far. */
void group_usage(const char *memory, bool v2, struct usage *out);

#endif
