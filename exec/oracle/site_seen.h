/* What the fixture site saw, for expectations: visits as JSON that pointers lead into. */
#ifndef EXEC_ORACLE_SITE_SEEN_H
#define EXEC_ORACLE_SITE_SEEN_H

#include "exec/oracle/observation.h"

/* The first visit of that path which came with the observation or a later one, and in `visits` how many there were; without one the object has
 * only that. NULL: nobody looked, or more came than was kept. */
const struct json *site_seen(const struct execution *e, size_t observation, struct bytes path, struct arena *a, const struct web_visit **visit);

/* A pointer to a text that a client sends, of which the bytes matter. */
bool site_seen_text(struct bytes pointer);

#endif
