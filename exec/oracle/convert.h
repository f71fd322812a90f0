/* Programs that turn one document into another, and what they leave. */
#ifndef EXEC_ORACLE_CONVERT_H
#define EXEC_ORACLE_CONVERT_H

#include "exec/oracle/judge.h"

/* A run of a converter that says it succeeded, and whose output (a file that the task expects, named in the
 * call or beside its source) a witness does not see, or sees empty, or of another kind than its name. Words
 * for it and the path, or NULL. */
const char *convert_failed_silently(const struct execution *e, size_t index, struct bytes *path);

/* The file is said so of some step. */
bool convert_owns(const struct execution *e, struct bytes path);

#endif
