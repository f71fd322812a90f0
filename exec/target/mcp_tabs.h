/* What tabs are called, between tasks and a server.
 *
 * A server names tabs by numbers that stay (then a task sees those), or by their positions, which move when a tab before
 * them is closed: then a task sees numbers of ours, and positions are kept here. When a server lists fewer tabs than
 * there should be, nobody knows which of them went, and no tab is known any more until all are listed anew.
 *
 * Some servers want to be told the tab with each call: the current one, which is the one that was opened or switched to
 * last, or which the server marks in a list. */
#ifndef EXEC_TARGET_MCP_TABS_H
#define EXEC_TARGET_MCP_TABS_H

#include "exec/outcome.h"
#include "exec/target/map.h"

enum { MCP_TABS_MAX = 4096 }; /* further ones are not known */

struct mcp_tabs {
    bool positions;
    int64_t *at;        /* by position: our numbers */
    size_t count;
    int64_t next;       /* our number for the next new tab */
    struct buf current; /* JSON: what the server calls it, or our number of it; empty: not known */
};

void mcp_tabs_init(struct mcp_tabs *t, const struct tool_map *map);
void mcp_tabs_release(struct mcp_tabs *t);
/* What the server calls the tab with this handle; of NULL: the current one. NULL: not known. In the arena. */
struct json *mcp_tabs_name(const struct mcp_tabs *t, const struct json *handle, struct arena *a);
/* After an answer of any browser op: notes what changed, and puts handles into the place of positions in the result. */
void mcp_tabs_note(struct mcp_tabs *t, const char *op, const struct json *args, struct outcome *o, struct arena *a);
/* Does this map's tool want to be told the current tab? */
bool mcp_tabs_asked(const struct op_map *map);

#endif
