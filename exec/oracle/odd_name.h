/* Names that something may take for more than a name. */
#ifndef EXEC_ORACLE_ODD_NAME_H
#define EXEC_ORACLE_ODD_NAME_H

#include "exec/oracle/judge.h"

/* Begins with a minus, or holds a pattern's characters, an escape of a URL, or a line end. */
bool odd_name(struct bytes name);

/* Step `index` claims an effect that is absent, on a small file of an odd name; no step of its kind on a plain name lacks its
 * effect, so the name is to blame. */
bool odd_name_ignored(const struct execution *e, size_t index);

#endif
