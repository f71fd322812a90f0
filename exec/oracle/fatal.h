/* What a call did to the target beyond itself: it died, or no longer answers a plain call. */
#ifndef EXEC_ORACLE_FATAL_H
#define EXEC_ORACLE_FATAL_H

#include "exec/oracle/judge.h"

/* Says a verdict for the death or the silence when the step before it makes `slug` its check: see cause_of,
 * whose fallback is "target-died" for a death and "one-call-breaks-rest" for a silence. */
void fatal_report(const struct execution *e, struct verdicts *out, const char *slug);

/* The step that a death, or else a silence (control_failed), is put down to; e->count: none. */
size_t fatal_step(const struct execution *e);
/* A step signals more than its own children, so that a death is what was asked for. */
bool fatal_asked_for(const struct execution *e);

/* What kind of frame a step of the op `send`, or one whose frame was changed, sent: whoever reads lines fails at one kind, whoever
 * looks at requests at another. Fixed words for a signature. */
const char *frame_kind(const struct observation *o);

/* The control call failed: calls that went unanswered before it are part of that, not faults of their own. */
bool control_failed(const struct execution *e);

#endif
