/* Between a call with a mutation and its exchange: what the mutation means for this kind of server, and what became of it. */
#ifndef EXEC_TARGET_MCP_FAULT_CALL_H
#define EXEC_TARGET_MCP_FAULT_CALL_H

#include "exec/target/driver_mcp_internal.h"
#include "exec/target/mcp_fault.h"

/* Fills the fault from call->mutation and gives it to the exchange. */
void mcp_fault_begin(struct mcp_driver *state, const struct call *call, struct mcp_exchange *x, struct mcp_fault *fault);
/* After mcp_end: sets the outcome's fault, and class and message where they are other than without. True: x->reply says the rest.
 * Whatever was done to the server and can be undone is. */
bool mcp_fault_end(struct mcp_driver *state, const struct mcp_exchange *x, struct call *call);

#endif
