/* Lists that come page by page: cursors go back as they came, whatever stands in them, an empty text too. */
#ifndef EXEC_TARGET_MCP_PAGES_H
#define EXEC_TARGET_MCP_PAGES_H

#include "base/json.h"

enum { MCP_PAGES_MAX = 256 };

/* Starts as zeros. */
struct mcp_pages {
    const struct json *cursor; /* of the next page; NULL: the first. Where the last result lies */
    uint64_t seen[MCP_PAGES_MAX];
    size_t count;              /* of pages that came */
};

/* Params of the next request. */
struct bytes mcp_pages_params(const struct mcp_pages *p, struct arena *a);
/* Takes the cursor of a result, which must live on until mcp_pages_params was called. False: that was the last page, or the
 * list is cut here because it has MCP_PAGES_MAX of them or a cursor came a second time. */
bool mcp_pages_next(struct mcp_pages *p, const struct json *result);

#endif
