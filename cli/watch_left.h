/* What sessions leave behind and touch outside their roots, told to a person or a program. */
#ifndef CLI_WATCH_LEFT_H
#define CLI_WATCH_LEFT_H

#include "exec/oracle/observation.h"

/* Is there anything worth a line? What was there before the first step is not, nor are temporary files in the box. */
bool watch_left_any(const struct execution *e);
/* "process 42 S sleep 600, listener tcp 127.0.0.1:8080; beside: opened read". Not made harmless for terminals. */
void watch_left_text(const struct execution *e, struct buf *out);
/* Members "leftovers", "tripwires" and "canaries" of an event; those that are calm or temporary too. */
void watch_left_event(const struct execution *e, struct arena *a, struct json *event);

#endif
