/* Base64 left on, or taken off where there was none. */
#include "exec/oracle/checks/checks.h"

static bool mine(const struct mismatch *m)
{
    return mismatch_ordinary(m) && (m->how == DIFFERENCE_BASE64_OF || m->how == DIFFERENCE_BASE64_DECODED);
}

static void judge(const struct execution *e, struct verdicts *out)
{
    roundtrip_report(e, out, "base64-layer", mine);
}

const struct check check_base64_layer = {"base64-layer", "C01", "encoding",
                                         "content that travels as base64 is decoded exactly once", judge};
