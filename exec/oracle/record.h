/* Recorded executions: an execution as one JSON object, so that what was observed once can be judged again,
 * by hand or in a test (docs/internals/oracle.md has the members). Bytes that are not UTF-8 are
 * {"$bytes":base64}, as in tasks.
 *
 * The format is taskgen/execution/1. When reading, members that are absent have their plain meaning:
 * arguments are the step's own, replies is 1 for an answered call, size and sha256 follow from data. */
#ifndef EXEC_ORACLE_RECORD_H
#define EXEC_ORACLE_RECORD_H

#include "exec/oracle/observation.h"

/* Appends one line without the newline. */
void execution_write(const struct execution *e, struct buf *out);
/* Likewise one observation, with its step's op. */
void observation_write(const struct observation *o, struct buf *out);
/* Reads one. The task is made with task_new and owned by the caller (task_free(*task)); everything else lives
 * in `a`. `where` names the source in messages. Members that are unknown are ignored, so a recording can bear
 * notes. */
int execution_read(const struct ops *ops, struct bytes text, const char *where, struct arena *a,
                   struct execution *e, struct task **task, struct error **err);

#endif
