/* Requests and notifications of the protocol that are no calls of tools: the ops `request` and `notify`. And progress, which any
 * request may ask for: its token is the id it goes with, as a number, or MCP_TOKEN and the id, as a text. */
#ifndef EXEC_TARGET_MCP_REQUEST_H
#define EXEC_TARGET_MCP_REQUEST_H

#include "exec/target/driver_mcp_internal.h"

/* Ids of the requests that go out together. */
struct mcp_ids {
    int64_t first, next; /* of the first request of the batch, of the one that is being prepared */
};

/* Is it one of these two ops? */
bool mcp_request_is(const struct op *op);
/* Fills in the exchange but its params, which are written to `params`. False: the call is skipped, with a reason. What
 * calls a tool passes the gate as the op `call` does. */
bool mcp_request_prepare(struct mcp_driver *state, struct call *call, const struct mcp_ids *ids, struct buf *params,
                         struct mcp_exchange *x);
/* The answered exchange as an outcome; at most max_reply bytes of a result are kept. */
void mcp_request_result(struct outcome *o, const struct mcp_exchange *x, size_t max_reply, struct arena *a);

/* The token that the argument `progress` of a call asks for, as JSON text; none. */
struct bytes mcp_progress_token(const struct call *call, int64_t id);
/* What came of progress becomes the result's member `progress`, whatever the outcome. */
void mcp_progress_result(struct outcome *o, const struct mcp_exchange *x, struct arena *a);

#endif
