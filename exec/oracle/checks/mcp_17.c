/* A target asks its client only for what the client offered. */
#include "exec/oracle/checks/checks.h"
#include "exec/oracle/wire.h"

static void judge(const struct execution *e, struct verdicts *out)
{
    wire_report(e, out, "mcp-17", "unoffered-request", "asks for what was not offered",
                "the target asks its client for something that was not offered");
}

const struct check check_mcp_17 = {"mcp-17", "", "protocol", "the client is asked only for what it offered",
                                   judge};
