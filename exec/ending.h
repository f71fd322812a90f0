/* What became of the session in which a task ran: how often a target perishes under what is a figure of every report. It says what was
 * seen, not whose fault it was; verdicts (exec/oracle) do that. */
#ifndef EXEC_ENDING_H
#define EXEC_ENDING_H

#include "corpus/store.h"
#include "exec/oracle/observation.h"

/* The worst that happened. *op: of the step that it is put down to, which lives as the task does; NULL: none. What we did ourselves (a
 * server that a mutator killed), and what a script asked for (kill -9 -1), is none of it, and neither is anything where the fault was this
 * machine's. */
enum execution_ending ending_of(const struct execution *e, const char **op);

#endif
