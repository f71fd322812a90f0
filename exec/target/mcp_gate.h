/* The one gate that everything passes which could call a tool: ops by their map, the ops call and request, raw bytes. What --tool,
 * --exclude-tool and the destructive mark leave out does not go through, whichever way it was written. */
#ifndef EXEC_TARGET_MCP_GATE_H
#define EXEC_TARGET_MCP_GATE_H

#include "exec/target/mcp_client.h"
#include "exec/target/mcp_tools.h"

struct mcp_gate {
    const struct mcp_tools *tools;
    const char *const *only, *const *exclude; /* globs; NULL */
    struct buf unfinished;                    /* raw bytes since the last end of a line: the next ones go on from there */
};

void mcp_gate_init(struct mcp_gate *g, const struct mcp_tools *tools, const char *const *only, const char *const *exclude);
void mcp_gate_release(struct mcp_gate *g);
/* Why a call of the tool with this name, and these arguments (NULL: none), may not go out; NULL: it may. Text that is written as it
 * stands (JSON_RAW) in either is read as raw bytes are. */
const char *mcp_gate_call(struct mcp_gate *g, const struct json *name, const struct json *arguments);
/* Why raw bytes may not go out. Strict, since nobody knows what a server makes of them: a name that is refused must not stand in
 * them as a JSON string, however it is escaped, and in a call no name that the globs leave out. Bytes that may go are remembered
 * until the end of their line. */
const char *mcp_gate_raw(struct mcp_gate *g, struct bytes raw);

/* Why a request of any method with these params (JSON text, or none) may not go out: as strict as with raw bytes. */
const char *mcp_gate_request(struct mcp_gate *g, struct bytes method, struct bytes params);

#endif
