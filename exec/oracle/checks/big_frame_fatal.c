/* The target dies of, or falls silent after, a very big request. */
#include "exec/oracle/checks/checks.h"
#include "exec/oracle/fatal.h"

static void judge(const struct execution *e, struct verdicts *out)
{
    fatal_report(e, out, "big-frame-fatal");
}

const struct check check_big_frame_fatal = {
    "big-frame-fatal", "C17", "size", "a frame over the limit is refused and the connection goes on", judge};
