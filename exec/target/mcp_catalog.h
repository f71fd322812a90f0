/* What a server has beside tools: resources, templates of their addresses, prompts. Asked for when somebody wants to know, once
 * per target, page by page, and only where the server declares that it has them. */
#ifndef EXEC_TARGET_MCP_CATALOG_H
#define EXEC_TARGET_MCP_CATALOG_H

#include "exec/target/driver_mcp_internal.h"

enum { CATALOG_LISTS = 3 };

struct mcp_catalog {
    struct arena arena;
    struct {
        const char *member;   /* "resources", "resourceTemplates", "prompts" */
        bool declared, whole; /* whole: no page failed, no bound was met */
        struct json *items;   /* an array of objects with what counts of each */
        size_t own;           /* more of them, which name a directory of the session and so mean nothing elsewhere */
    } lists[CATALOG_LISTS];
};

/* The target's, fetched in this session when nobody has yet; lives as long as the target. No call may be under way. */
const struct mcp_catalog *mcp_catalog_of(struct mcp_driver *state);
/* Members "capabilities" and the lists, for whoever makes tasks. */
void mcp_catalog_add(const struct mcp_catalog *catalog, const struct mcp_server *server, struct arena *a, struct json *object);
/* A line for each list: how many, and their names. */
void mcp_catalog_explain(const struct mcp_catalog *catalog, struct buf *out);

#endif
