/* A command too long for one argument, or for the channel that carries it, that is answered as a success and did nothing: neither its
 * output nor its files are there. */
#include "exec/oracle/checks/checks.h"

static const char slug[] = "long-argument";

static void judge(const struct execution *e, struct verdicts *out)
{
    command_report(e, out, slug, COMMAND_LOST, "a long command reports success and does nothing",
                   "a long command reports success and does nothing");
}

const struct check check_long_argument = {slug, "C47", "size", "a long command runs or is refused with its size", judge};
