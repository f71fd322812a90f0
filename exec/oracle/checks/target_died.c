/* The target dies of a call about which nothing stands out. */
#include "exec/oracle/checks/checks.h"
#include "exec/oracle/fatal.h"

static void judge(const struct execution *e, struct verdicts *out)
{
    fatal_report(e, out, "target-died");
}

const struct check check_target_died = {"target-died", "", "process",
                                        "the target lives until it is asked to end", judge};
