/* Jobs in the background: which `start` made the one that a later step asks about, and what its own text
 * tells of it. */
#ifndef EXEC_ORACLE_JOB_H
#define EXEC_ORACLE_JOB_H

#include "exec/oracle/judge.h"

/* The index of the `start` whose pid step `index` (poll, wait or signal) names; e->count when there is none,
 * or more than one. */
size_t job_of(const struct execution *e, size_t index);

/* The longest sleep in its script, or the time until which it computes by its own clock, in seconds, of one that does nothing that might end
 * it before; 0: not known. */
double job_seconds(const struct observation *start);

/* Did the task itself, by a signal, a cancelled call or a script that kills, have a hand in the end of a job?
 */
bool job_may_be_killed(const struct execution *e, size_t start, size_t until);

/* Was a session closed or opened again between the two? */
bool job_lost_session(const struct execution *e, size_t from, size_t until);

/* Does step `index` name a job of a session that was closed or opened again since? Whether jobs outlive their
 * session is the target's to say, so an open refusal is right. */
bool job_of_session_before(const struct execution *e, size_t index);

#endif
