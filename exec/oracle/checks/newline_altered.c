/* Line ends changed, or the last one added or lost. Where lines were asked for, the last end is last-lines'
 * matter. */
#include "exec/oracle/checks/checks.h"

static bool mine(const struct mismatch *m)
{
    bool last_one = m->how == DIFFERENCE_FINAL_NEWLINE && !m->lines;
    return mismatch_ordinary(m) && (m->how == DIFFERENCE_NEWLINES || last_one);
}

static void judge(const struct execution *e, struct verdicts *out)
{
    roundtrip_report(e, out, "newline-altered", mine);
}

const struct check check_newline_altered = {"newline-altered", "C11", "encoding",
                                            "line ends stay as they are", judge};
