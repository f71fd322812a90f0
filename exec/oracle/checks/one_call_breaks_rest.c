/* The target falls silent after a call about which nothing stands out. */
#include "exec/oracle/checks/checks.h"
#include "exec/oracle/fatal.h"

static void judge(const struct execution *e, struct verdicts *out)
{
    fatal_report(e, out, "one-call-breaks-rest");
}

const struct check check_one_call_breaks_rest = {
    "one-call-breaks-rest", "C23", "protocol",
    "after a call that failed, a plain call on another object works", judge};
