/* Requests of a handshake: until the first valid answers are there, whatever goes wrong is the target's being unusable, said in
 * one clear line with its last words. */
#ifndef EXEC_TARGET_MCP_ASK_H
#define EXEC_TARGET_MCP_ASK_H

#include "exec/target/mcp_client.h"

/* Sends x and waits. 0 with the result object of the answer, or ERR_TARGET: "COMMAND: ended with status 1 before it answered
 * initialize; its last words: …". A refusal (an error as the answer) is *refusal, when that is wanted. */
int mcp_ask(struct mcp_client *c, struct mcp_exchange *x, const char *command, struct arena *a, const struct json **result,
            bool *refusal, struct error **err);
/* The same for an exchange that is over. */
int mcp_asked(struct mcp_client *c, const struct mcp_exchange *x, const char *command, struct arena *a,
              const struct json **result, bool *refusal, struct error **err);
/* Text of a target, made fit for one line of ours: at most max bytes, unprintable ones escaped. */
const char *mcp_visible(struct arena *a, struct bytes text, size_t max);

#endif
