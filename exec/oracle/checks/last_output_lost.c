/* No output at all from a program that ended as expected and had something to say, or all of it but its last line. */
#include "exec/oracle/checks/checks.h"

static bool mine(const struct mismatch *m)
{
    return mismatch_last_line(m) || (mismatch_ordinary(m) && m->in == IN_OUTPUT && m->how == DIFFERENCE_EMPTY && !m->lines);
}

static void judge(const struct execution *e, struct verdicts *out)
{
    roundtrip_report(e, out, "last-output-lost", mine);
}

const struct check check_last_output_lost = {"last-output-lost", "C32", "process",
                                             "what a program printed is in the reply", judge};
