/* Content that ends at, or loses, its NUL bytes; or that the target dies of. */
#include "exec/oracle/checks/checks.h"
#include "exec/oracle/fatal.h"

static bool mine(const struct mismatch *m)
{
    return mismatch_ordinary(m) && (m->how == DIFFERENCE_CUT_AT_NUL || m->how == DIFFERENCE_NUL_LOST);
}

static void judge(const struct execution *e, struct verdicts *out)
{
    roundtrip_report(e, out, "nul-in-content", mine);
    fatal_report(e, out, "nul-in-content");
}

const struct check check_nul_in_content = {"nul-in-content", "C06", "null-byte",
                                           "content with NUL bytes keeps all its bytes", judge};
