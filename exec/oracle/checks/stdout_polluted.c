/* Bytes on the protocol's channel that belong to no message. */
#include "exec/oracle/checks/checks.h"
#include "exec/oracle/wire.h"

static void judge(const struct execution *e, struct verdicts *out)
{
    wire_report(e, out, "stdout-polluted", "stray-line", "lines that are no messages",
                "the target writes lines to its standard output that are no messages");
}

const struct check check_stdout_polluted = {"stdout-polluted", "C19", "protocol",
                                            "the channel carries messages and nothing else", judge};
