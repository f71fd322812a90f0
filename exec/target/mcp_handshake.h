/* The first conversation with a server: initialize, notifications/initialized, tools/list page by page. */
#ifndef EXEC_TARGET_MCP_HANDSHAKE_H
#define EXEC_TARGET_MCP_HANDSHAKE_H

#include "exec/target/mcp_client.h"
#include "exec/target/mcp_tools.h"

struct mcp_server {
    struct arena arena;
    const char *name, *version;   /* serverInfo, made printable; "?" when not told */
    struct bytes protocol;        /* the version agreed on */
    struct mcp_tools tools;       /* not finished: see mcp_tools_finish */
    bool tools_refused;           /* it has no tools/list */
    const struct json *capabilities; /* what it declared, an object; NULL */
    bool modern;                  /* of the stateless era */
    bool hello_refused;           /* the answer to initialize was an error */
    int64_t keep_ms;              /* how long, by its own word, the list of tools stays good; -1: not said */
    const char *keep_scope;       /* for whom: "public", "private"; NULL: not said */
};

void mcp_server_init(struct mcp_server *s);
void mcp_server_release(struct mcp_server *s);
/* ERR_TARGET with one line when there is no valid first answer within ms: it ended, said something else,
 * refused, or kept silent. `command` names the server in it. */
int mcp_handshake(struct mcp_client *c, int64_t ms, const char *command, struct mcp_server *s,
                  struct error **err);
/* tools/list page by page, into the server's empty list. */
int mcp_list_tools(struct mcp_client *c, int64_t ms, struct mcp_server *s, struct error **err);

/* The beginning of it: initialize and notifications/initialized, again where a session has ended. */
int mcp_greet(struct mcp_client *c, int64_t ms, const char *command, struct mcp_server *s, struct error **err);
bool mcp_version_is_known(struct bytes version); /* one of those that begin with initialize */
void mcp_server_is(struct mcp_server *s, const struct json *who); /* serverInfo; NULL: not told */
/* mcp_list_tools for a server that is met for the first time: an error is told of `command`. */
int mcp_first_tools(struct mcp_client *c, int64_t until_ns, const char *command, struct mcp_server *s, struct error **err);

#endif
