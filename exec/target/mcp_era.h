/* Which era a server speaks: the one that begins with `initialize` (up to 2025-11-25), or the stateless one (2026-07-28).
 *
 * It is found out by asking server/discover first. Whatever is no answer of the stateless era, silence and death too, means the
 * other one. A server that the question has spoiled (it fell silent, ended, or then refused initialize) is to be started again and met
 * by `initialize` first. What a server turned out to speak is remembered by whoever asked. */
#ifndef EXEC_TARGET_MCP_ERA_H
#define EXEC_TARGET_MCP_ERA_H

#include "exec/target/mcp_handshake.h"

enum mcp_era {
    MCP_ERA_ASK,        /* not known: server/discover first */
    MCP_ERA_HELLO,      /* not known, and server/discover is bad for it: initialize first */
    MCP_ERA_OLD, MCP_ERA_MODERN /* known, or asked for: nothing else is tried */
};

struct mcp_meeting {
    enum mcp_era era;         /* in: how to begin; out: OLD or MODERN when all went well */
    int64_t ask_ms;           /* how long server/discover is waited for, where initialize may follow */
    bool restartable;         /* the server can be started again, so one that kept silent is not talked to any longer */
    const char *capabilities; /* what we offer in the stateless era, an object as JSON text */
    bool again;               /* out, with an error: start the server again, and begin with MCP_ERA_HELLO */
};

/* The first conversation, whichever era it is in: the server's word on itself, and its tools. Errors as mcp_handshake's. */
int mcp_meet(struct mcp_client *c, int64_t ms, const char *command, struct mcp_meeting *m, struct mcp_server *s,
             struct error **err);

#endif
