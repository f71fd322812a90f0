/* The MCP driver's state, shared by driver_mcp.c (its life), mcp_calls.c and mcp_support.c. */
#ifndef EXEC_TARGET_DRIVER_MCP_INTERNAL_H
#define EXEC_TARGET_DRIVER_MCP_INTERNAL_H

#include "exec/target/mcp_handshake.h"
#include "exec/target/peer.h"
#include "exec/target/profile.h"

struct mcp_driver {
    struct peer peer;
    struct mcp_server server;
    struct profile *profile;       /* or NULL */
    struct tool_map map;
    unsigned languages_probed, languages_there; /* sets of 1 << index into language_rows */
};

/* The driver's functions of these names; see driver.h. */
void mcp_calls(struct session *s, struct call *const *calls, size_t count);
enum support mcp_supports(struct session *s, const char *need);
unsigned mcp_run_channel(struct session *s);

#endif
