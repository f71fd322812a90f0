/* A replacement character where only whole characters were sent: something decoded pieces of them. */
#include "exec/oracle/checks/checks.h"

static bool mine(const struct mismatch *m)
{
    return mismatch_ordinary(m) && mismatch_splits_text(m);
}

static void judge(const struct execution *e, struct verdicts *out)
{
    roundtrip_report(e, out, "chunk-splits-character", mine);
}

const struct check check_chunk_splits_character = {"chunk-splits-character", "C03", "encoding",
                                                   "a part of a text is cut before it is decoded", judge};
