/* Tripwires: files outside the root with which a target has no business, planted before it is started. What happens to
 * them is told by the kernel as it happens (inotify) and by what stands there in the end; reading shows in the access
 * time too, where the file system keeps it. They cannot tell who it was: whoever may see the session's directory. */
#ifndef EXEC_TARGET_TRIPWIRE_H
#define EXEC_TARGET_TRIPWIRE_H

#include "exec/traces.h"

struct session;
struct tripwires;

/* In the session's base and home, which are there. NULL when they cannot be planted. */
struct tripwires *tripwires_plant(struct session *s);
void tripwires_free(struct tripwires *t); /* NULL is fine; the files go with the session's directories */
/* What has happened since the last look: sets of enum tripwire_touch by place. True when anything has. */
bool tripwires_look(struct tripwires *t, unsigned how[TRIPWIRE_PLACES]);
/* The same from what stands there now. For the end: it reads them. */
void tripwires_compare(struct tripwires *t, unsigned how[TRIPWIRE_PLACES]);
/* The random text in one of them, which stands nowhere else; all begin alike, with tripwires_mark. */
const char *tripwires_canary(const struct tripwires *t, enum tripwire_place place);
const char *tripwires_mark(const struct tripwires *t);
/* Is this a name beside the root that is ours? */
bool tripwires_own(const char *name);

#endif
