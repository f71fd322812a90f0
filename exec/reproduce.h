/* What is kept with a finding so that others can see it: what should have been and what was, in words; what was sent, byte for
 * byte; and how a script can tell whether the fault shows. For report --format script (docs/findings.md). */
#ifndef EXEC_REPRODUCE_H
#define EXEC_REPRODUCE_H

#include "exec/oracle/check.h"

/* One JSON object, in `a`:
 *
 *     {"expected":…, "observed":…, "command":[…], "wire":[…], "driver":…, "decide":{"how":HOW, "op":…, …}, "steps":[…]}
 *
 * steps is how each step went (exec/compare.h), for who tries it again.
 * command and wire and driver are absent where the wire was not kept. HOW and its members:
 *     file     path, exists, sha256 (absent: any)      once the calls of `step` are done
 *     mode     path, mode
 *     reply    base64, lines                           a text of the answer to `step` is these bytes
 *     status   status                                  a number of the answer to `step`
 *     answer                                           `step` is answered
 *     leftover                                         nothing of what was started is left when the target has ended
 *     show     why                                     a script can only show it */
const char *reproduction(const struct execution *e, const struct verdict *v, struct arena *a);

#endif
