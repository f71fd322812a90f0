/* MCP servers as other clients' configuration files have them: a JSON object with "mcpServers" or "servers" (also within "mcp"), whose
 * members are servers: command, args, env, envFile, cwd; or type, url, headers. Comments and commas before a closing bracket are
 * passed over, as editors do. */
#ifndef EXEC_TARGET_MCP_CONFIG_H
#define EXEC_TARGET_MCP_CONFIG_H

#include "exec/target/given.h"

struct mcp_config {
    char *spec;   /* a SPEC that says what is started or connected to, ${…} not expanded: what may be stored */
    char **words; /* what it is, expanded: the command and its arguments, or the address */
    char *cwd;    /* NULL: not said */
};

/* The server of that name; NULL: the only one that is not disabled. Its variables and headers go to `g`, which learns what is
 * secret. ERR_INPUT with the file, the line, and what was expected. */
int mcp_config_read(const char *file, const char *server, struct given *g, struct mcp_config *config, struct error **err);
void mcp_config_release(struct mcp_config *config);

#endif
