/* The arguments and results that the op `send` has over HTTP. */
#ifndef EXEC_TARGET_MCP_ASK_HTTP_H
#define EXEC_TARGET_MCP_ASK_HTTP_H

#include "exec/target/mcp_client.h"

/* What verb, suffix and headers of the arguments ask for; *ask is NULL when they are not given. Returns why it cannot be sent
 * (static text), NULL when it can. */
const char *mcp_ask_read(const struct json *args, bool over_http, struct arena *a, const struct mcp_http_ask **ask);
/* status, type, session and content of the answer become results. */
void mcp_ask_result(struct call *call, const struct mcp_exchange *x);

#endif
