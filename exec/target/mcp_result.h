/* From a reply to tools/call to an outcome: the class, and the op's results as far as they came.
 *
 * A result may lie in structuredContent, in a text part that is JSON, in labelled text ("Exit code: 3",
 * "size: 12", "STDOUT:"), or in plain text; bytes come as image, audio or blob, or as text that is base64.
 * General rules find them (docs/internals/mcp.md lists these); what they cannot know, a profile states.
 * Nothing here judges: a result that did not come is left out. */
#ifndef EXEC_TARGET_MCP_RESULT_H
#define EXEC_TARGET_MCP_RESULT_H

#include "exec/outcome.h"
#include "exec/target/map.h"

struct mcp_result_context {
    const struct op *op;
    const struct op_map *map;     /* how the op was carried out; NULL for the op `call` */
    const struct json *args;      /* of the call */
    struct bytes path;            /* the argument `path` as it was sent; none */
    size_t max_reply;             /* longest bytes kept of one result */
    bool modern;                  /* of the stateless era: a result says how it is to be taken */
    bool cut_here;                /* cut the content to the offset, length, head and tail of args */
    struct arena *arena;
};

/* reply: the whole JSON-RPC message, in the arena. Sets class, code, message, result, raw, exit and
 * truncated. */
void mcp_result(struct outcome *o, const struct json *reply, const struct mcp_result_context *c);

#endif
