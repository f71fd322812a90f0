/* The directory of a session, and those that a taskgen which was killed has left behind. */
#ifndef EXEC_TARGET_SESSION_BASE_H
#define EXEC_TARGET_SESSION_BASE_H

#include "exec/target/driver.h"

/* How their names begin; a dash and six characters follow. */
#define SESSION_BASE_PREFIX "taskgen-session"

/* A fresh directory, without links in its path; to be freed. *lock is a descriptor that says it is in use, as
 * long as it is open. NULL with *err when it cannot be made. The first call in a process removes what others
 * left behind. */
char *session_base_new(int *lock, struct error **err);

/* Mount points below a directory, innermost first; names with a space and the like, which are listed with octal escapes, as
 * they are listed. */
void session_base_mounts(const char *path, struct strings *out);

/* Removes directories of sessions below `where` that nobody uses and that are at least so old; how many. */
size_t session_base_sweep(const char *where, int64_t age_ms);

#endif
