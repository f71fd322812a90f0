/* The fixture web site of a session (docs/site.md): served where the target runs, with a record of its own, or a room of one that is served
 * elsewhere (target_options.site). It is opened when it is first asked for. */
#ifndef EXEC_TARGET_SESSION_SITE_H
#define EXEC_TARGET_SESSION_SITE_H

#include "exec/target/driver.h"

/* Around each start of a target in the session: doors into the box's own network. Begin opens the site when the SPEC speaks of it. */
int session_site_begin(struct session *s, struct error **err);
void session_site_end(struct session *s);
void session_site_free(struct session *s);
/* For the need "site": opens it; can the target reach it? */
bool session_site_supports(struct session *s);
/* Between two tasks of one session. */
void session_site_reset(struct session *s);

#endif
