/* The target dies of, or falls silent after, a raw frame. */
#include "exec/oracle/checks/checks.h"
#include "exec/oracle/fatal.h"

static void judge(const struct execution *e, struct verdicts *out)
{
    fatal_report(e, out, "bad-frame-fatal");
}

const struct check check_bad_frame_fatal = {"bad-frame-fatal", "C15", "protocol",
                                            "after a bad frame the target goes on", judge};
