/* The target dies of, or falls silent after, a call on a pipe, a socket or a device. That the call itself
 * ends in an error or a timeout is right. */
#include "exec/oracle/checks/checks.h"
#include "exec/oracle/fatal.h"

static void judge(const struct execution *e, struct verdicts *out)
{
    fatal_report(e, out, "special-file-starves");
}

const struct check check_special_file_starves = {
    "special-file-starves", "C55", "path", "a file that never ends blocks one call, not the target", judge};
