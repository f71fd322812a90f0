/* The MCP drivers' state, shared by driver_mcp.c and driver_http.c (its life), mcp_calls.c and mcp_support.c. */
#ifndef EXEC_TARGET_DRIVER_MCP_INTERNAL_H
#define EXEC_TARGET_DRIVER_MCP_INTERNAL_H

#include "exec/target/mcp_gate.h"
#include "exec/target/mcp_handshake.h"
#include "exec/target/mcp_tabs.h"
#include "exec/target/peer.h"
#include "exec/target/profile.h"

struct mcp_driver {
    struct peer peer;
    struct mcp_server server;
    struct profile *profile;       /* or NULL */
    struct tool_map map;
    struct mcp_tabs tabs;
    struct mcp_gate gate;
    bool over_http;
    uint64_t tools_seen;           /* how many tools/list_changed had come when the list was last fetched */
    unsigned relists;              /* how often it was fetched again */
    bool greet;                    /* initialize is the first message, whatever is not known of the era */
    uint64_t calls;                /* made since the server was started */
};

/* The first answers of a server whose client is there: era, handshake, tools, profile, map, identity. Restartable: a new session would
 * start the server anew, so one that a question has spoiled may be given up (s->again). */
int mcp_learn(struct mcp_driver *state, const char *command, bool restartable, struct error **err);
void mcp_driver_free(struct mcp_driver *state);
/* Fetches the tools again when the server said that they changed; bounded. No call may be under way. */
void mcp_relearn(struct mcp_driver *state);

/* Functions of the driver, over pipes and over HTTP alike; see driver.h. */
bool mcp_alive(struct session *s);
size_t mcp_wire_events(struct session *s, const struct wire_event **events);
struct bytes mcp_stderr_tail(struct session *s);
void mcp_explain(struct session *s, struct buf *out);
bool mcp_tool_list(struct session *s, struct buf *out, struct target_tools *facts);
void mcp_calls(struct session *s, struct call *const *calls, size_t count);
enum support mcp_supports(struct session *s, const char *need);
const struct op *mcp_helper(struct session *s, const char *name);
unsigned mcp_run_channel(struct session *s);

#endif
