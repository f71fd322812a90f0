/* Arguments of a tool that the stateless era repeats in HTTP headers (x-mcp-header). */
#ifndef EXEC_TARGET_MCP_PARAM_H
#define EXEC_TARGET_MCP_PARAM_H

#include "exec/target/mcp_tools.h"

/* Refuses the tools whose annotations break a rule: over HTTP they are not for use. */
void mcp_param_finish(struct mcp_tools *tools);
/* "Mcp-Param-NAME: value" for a call's arguments; NULL-terminated, in the arena; NULL: there are none. */
const char *const *mcp_param_headers(const struct mcp_tool *tool, const struct json *arguments, struct arena *a);

#endif
