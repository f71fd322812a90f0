/* Requests of the stateless era that are sent again: with the input that the server asked for, or because their answer was lost. */
#ifndef EXEC_TARGET_MCP_AGAIN_H
#define EXEC_TARGET_MCP_AGAIN_H

#include "exec/target/mcp_client.h"

/* The reply of x asks for input: sends the request again with it, under a new id. False: it does not ask, what it asks for is not
 * offered, or it was asked often enough; then the reply stands. `text` is the line it came in. */
bool mcp_again_with_input(struct mcp_client *c, struct mcp_exchange *x, struct bytes text);
/* The stream that was to bring the answer broke off: sends the request again, once. False: it was. */
bool mcp_again_for_answer(struct mcp_client *c, struct mcp_exchange *x);

#endif
