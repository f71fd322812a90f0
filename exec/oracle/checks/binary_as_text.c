/* Bytes taken for text on the way, or that the target dies of. Other differences that no better check claims
 * are here too: the bytes are not the same. */
#include "exec/oracle/checks/checks.h"
#include "exec/oracle/fatal.h"

static bool mine(const struct mismatch *m)
{
    if (!mismatch_ordinary(m) || mismatch_splits_text(m))
        return false;
    if (m->how == DIFFERENCE_REPLACEMENT || m->how == DIFFERENCE_DOUBLE_UTF8 || m->how == DIFFERENCE_BOM)
        return true;
    bool unclear = m->how == DIFFERENCE_OTHER || m->how == DIFFERENCE_GROWN;
    return unclear && m->in != IN_OUTPUT && m->in != IN_SITE && !m->lines && !mismatch_shell_text(m);
}

static void judge(const struct execution *e, struct verdicts *out)
{
    roundtrip_report(e, out, "binary-as-text", mine);
    fatal_report(e, out, "binary-as-text");
}

const struct check check_binary_as_text = {"binary-as-text", "C02", "encoding",
                                           "bytes that are not UTF-8 come back as they were", judge};
