/* How one execution of a task went, in short, and where another one first went otherwise: for a finding that is tried again. */
#ifndef EXEC_COMPARE_H
#define EXEC_COMPARE_H

#include "exec/oracle/observation.h"

/* One observation as a fresh object: id, op, outcome, exit, code, message (its beginning). What is 0 or empty is left out. */
struct json *outline_row(const struct observation *o, struct arena *a);

/* An array, an object for each observation: id, op, outcome, exit, code, message, text (the beginning of the reply's), size (of it all).
 * What is 0 or empty is left out. */
struct json *outline_of(const struct execution *e, struct arena *a);

/* In words, the first of them that is not as it was then; NULL: none. Texts are compared without what differs from run to run
 * (e->rules). `then` NULL: nothing was kept, which the words say. */
const char *outline_difference(const struct json *then, const struct execution *e, struct arena *a);

#endif
