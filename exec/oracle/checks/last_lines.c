/* The wrong lines for head and tail. Differences that encodings make are theirs. */
#include "exec/oracle/checks/checks.h"

static void judge(const struct execution *e, struct verdicts *out)
{
    roundtrip_report(e, out, "last-lines", mismatch_wrong_lines);
}

const struct check check_last_lines = {
    "last-lines", "C12", "encoding", "head and tail give the lines that the tools of that name give", judge};
