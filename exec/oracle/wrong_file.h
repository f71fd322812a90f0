/* Files that are not at the end what the task says, though every step claims success and nothing else has gone wrong before. */
#ifndef EXEC_ORACLE_WRONG_FILE_H
#define EXEC_ORACLE_WRONG_FILE_H

#include "exec/oracle/expect.h"

enum { WRONG_FILES_MAX = 64 };

/* Fills at most WRONG_FILES_MAX reports and returns how many there are. Left out is what somebody else may have changed: programs in the
 * background, parallel steps, a converter that failed. */
size_t wrong_files(const struct execution *e, struct arena *a, struct fact_report *out);

#endif
