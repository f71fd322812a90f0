/* Stored text that differs where a shell, echo or printf would have changed it. */
#include "exec/oracle/checks/checks.h"

static bool mine(const struct mismatch *m)
{
    return mismatch_ordinary(m) && !m->lines && mismatch_shell_text(m);
}

static void judge(const struct execution *e, struct verdicts *out)
{
    roundtrip_report(e, out, "shell-escape", mine);
}

const struct check check_shell_escape = {"shell-escape", "C14", "encoding",
                                         "content that a shell would expand is stored as it is", judge};
