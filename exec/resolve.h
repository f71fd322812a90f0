/* From a task step's arguments to what is sent: wrappers (docs/task-format.md, "Values") become values.
 *
 *   {"$content":name}     the content's bytes, made now; no more than max_bytes for all arguments of the step
 * together
 *   {"$bytes":…}          bytes (the task reader has turned these into strings already; one that is left is
 * decoded)
 *   {"$from":step,"at":p} a copy of what stands at JSON pointer p in that step's result object; where nothing does, of the
 *                         member "else", if it has one
 *   {"$path":p,"as":how}  the path; `how` is given back for the arguments `path` and `to`, which the driver
 * spells
 *   {"$literal":v}        v, looked into no further
 *   JSON_RAW              stays
 *   "{site}/x"            in an argument that is an address: the fixture site's address and "/x"
 * at any depth, without recursion. Strings that come out may hold any bytes. */
#ifndef EXEC_RESOLVE_H
#define EXEC_RESOLVE_H

#include "gen/task.h"

struct resolver {
    const struct task *task;
    /* The result object of the step of that id, when it has one; NULL: it has not run, or was skipped. */
    const struct json *(*result)(void *user, struct bytes step);
    void *user;
    const char *site; /* what {site} at the begin of an address stands for; NULL: nothing */
    size_t max_bytes; /* of contents made for one step: what is left of budget.bytes, or less */
};

struct resolved {
    struct json *args;           /* object, in the arena */
    const char *path_as, *to_as; /* NULL: the driver's default. For struct call */
    const char *skip_reason;     /* not NULL: the step cannot be sent, and why; args is NULL. In the arena */
};

/* 0, with skip_reason where a $from has no value or a content passes max_bytes; ERR_INPUT for a task at fault
 * (an unknown content, a recipe that cannot be made, base64 that is none), with the step's id in the message.
 */
int resolve_step(const struct resolver *r, const struct task_step *step, struct arena *a,
                 struct resolved *out, struct error **err);

#endif
