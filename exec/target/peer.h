/* The process at the other end of a driver that speaks JSON-RPC over standard input and output: started by the session's
 * agent in the session's box, with a client (mcp_client.h) for the conversation. */
#ifndef EXEC_TARGET_PEER_H
#define EXEC_TARGET_PEER_H

#include "exec/target/driver.h"
#include "exec/target/mcp_client.h"

struct peer {
    struct session *session;
    struct agent_process process;
    struct mcp_client *client; /* NULL until the process runs */
};

/* Starts the words in the session's environment and directory, as the session's main process. ERR_TARGET: one clear line. The
 * peer must stay where it is until peer_release. */
int peer_start(struct peer *p, struct session *s, char *const *words, struct error **err);
/* Its standard input is closed, and it has exec.grace to end. */
void peer_finish(struct peer *p);
void peer_release(struct peer *p);

#endif
