/* The record of a site that is served elsewhere (`taskgen site`), asked for over HTTP. */
#ifndef EXEC_SITE_REMOTE_H
#define EXEC_SITE_REMOTE_H

#include "exec/site/site.h"

/* The visits below that address, "http://host/~room", in the arena; *now_ms is the site's time, in which visits' times are. ERR_TARGET when it
 * cannot be had, or what comes is no record. */
int web_remote_visits(const char *address, struct arena *a, struct web_visits *out, int64_t *now_ms, struct error **err);
/* What such an answer says; for tests. */
int web_remote_read(struct bytes text, struct arena *a, struct web_visits *out, int64_t *now_ms, struct error **err);

#endif
