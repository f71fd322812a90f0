/* Guards: what a session must have done before, in this order, for a fault of list 2 to be there at all. A fault behind a guard is a fault of a
 * server that has state: a file was downloaded, a command was given variables, a directory was made, and from then on something else is wrong.
 * No plain task of one kind meets it.
 *
 * A deed counts from the next message on, and only when those before it in its guard count already. While a fault behind it is on, each step that a guard makes
 * is said in a line on standard error, as servers log what they do: whoever looks there is led to the fault by halves, whoever does not is left to chance. */
#ifndef LEAKYBOX_GUARDS_H
#define LEAKYBOX_GUARDS_H

#include "leakybox/tools.h"

enum { GUARD_DEEDS = 3 };

struct guard_deed {
    const char *id;
    const char *summary;                   /* "a file was moved" */
    bool (*done_by)(const struct call *c); /* arguments are not checked yet */
};

struct guard {
    const char *id;
    const char *deeds[GUARD_DEEDS]; /* their ids */
};

const struct guard *guard_find(struct bytes id);                                  /* NULL: there is none */
const struct guard_deed *guard_deed(const struct guard *g, size_t index); /* NULL past the end */
/* A line comes in. */
void guards_message(void);
/* A call is in it, before anything else looks at it. */
void guards_call(const struct call *c);
bool guard_is_open(const struct guard *g); /* NULL: always */

#endif
