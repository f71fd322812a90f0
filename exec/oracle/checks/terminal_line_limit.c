/* A long line that came as long as terminals take lines: what the command stored, or what it counted, tells. */
#include "exec/oracle/checks/checks.h"

static const char slug[] = "terminal-line-limit";

static void judge(const struct execution *e, struct verdicts *out)
{
    command_report(e, out, slug, COMMAND_LINE_CUT, "a long line is cut where terminals cut lines",
                   "a long line is cut where terminals cut lines");
}

const struct check check_terminal_line_limit = {slug, "C45", "size", "a long line comes whole or is refused", judge};
