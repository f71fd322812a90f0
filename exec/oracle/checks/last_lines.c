/* The wrong lines for head and tail. Differences that encodings make are theirs. */
#include "exec/oracle/checks/checks.h"

static bool mine(const struct mismatch *m)
{
    static const enum difference wrong[] = {DIFFERENCE_CUT, DIFFERENCE_EMPTY, DIFFERENCE_GROWN,
                                            DIFFERENCE_FINAL_NEWLINE, DIFFERENCE_OTHER};
    for (size_t i = 0; m->lines && i < sizeof wrong / sizeof *wrong; i++)
        if (m->how == wrong[i])
            return mismatch_ordinary(m);
    return false;
}

static void judge(const struct execution *e, struct verdicts *out)
{
    roundtrip_report(e, out, "last-lines", mine);
}

const struct check check_last_lines = {
    "last-lines", "C12", "encoding", "head and tail give the lines that the tools of that name give", judge};
