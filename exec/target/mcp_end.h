/* From an exchange that is over to an outcome, as far as it is the same for every driver that speaks JSON lines. */
#ifndef EXEC_TARGET_MCP_END_H
#define EXEC_TARGET_MCP_END_H

#include "exec/target/mcp_client.h"

/* Sets times, bytes and replies, and, unless the exchange was answered, class and message. True: it was answered, and what the
 * answer means is the driver's to say; a reply that was too long is dealt with (OUTCOME_OK, truncated) and false. */
bool mcp_end(struct mcp_client *c, const struct mcp_exchange *x, struct call *call);
void mcp_skip(struct call *call, const char *reason); /* static, or in the call's arena */

#endif
