/* Guards: what a session must have done before, for a fault of list 2 to be there at all. A fault behind a guard is a fault of a server that
 * has state: a file was moved, a process was signalled, and from then on something else is wrong. One plain task of a kind does not meet it.
 *
 * A guard is opened by a call and holds from the next message on, until the server ends. */
#ifndef LEAKYBOX_GUARDS_H
#define LEAKYBOX_GUARDS_H

#include "leakybox/tools.h"

struct guard {
    const char *id;
    const char *summary; /* "after a move" */
    bool (*opens)(const struct call *c); /* arguments are not checked yet; NULL: a cancellation opens it */
};

const struct guard *guard_at(size_t index); /* NULL past the end */
const struct guard *guard_find(struct bytes id);
/* A line comes in. */
void guards_message(void);
/* A call is in it, before anything else looks at it. */
void guards_call(const struct call *c);
void guards_cancel(void); /* a call in flight is cancelled */
bool guard_is_open(const struct guard *g); /* NULL: always */

#endif
