/* A reply with the bytes of an earlier write. */
#include "exec/oracle/checks/checks.h"

static bool mine(const struct mismatch *m)
{
    return m->stale;
}

static void judge(const struct execution *e, struct verdicts *out)
{
    roundtrip_report(e, out, "stale-content", mine);
}

const struct check check_stale_content = {"stale-content", "C62", "storage",
                                          "a read gives what was written last", judge};
