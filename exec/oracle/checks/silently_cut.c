/* Content or output that ends early, and a success that does not say so; or more of it than the policy states. */
#include "exec/oracle/checks/checks.h"
#include "exec/oracle/limit.h"

static bool mine(const struct mismatch *m)
{
    bool cut = m->how == DIFFERENCE_CUT || (m->how == DIFFERENCE_EMPTY && m->in == IN_REPLY);
    return mismatch_ordinary(m) && !m->lines && cut && !mismatch_last_line(m);
}

static void judge(const struct execution *e, struct verdicts *out)
{
    roundtrip_report(e, out, "silently-cut", mine);
    limit_report(e, out, "silently-cut", POLICY_OUTPUT);
}

const struct check check_silently_cut = {
    "silently-cut", "C33", "size", "long content and output come whole, or the reply says that they do not",
    judge};
