/* The stateless era of MCP (2026-07-28): there is no handshake, so every request says in its `_meta` which version it speaks and
 * what the client can do, and over HTTP headers repeat what stands in the body. Text only: what is sent when is mcp_client.c's. */
#ifndef EXEC_TARGET_MCP_MODERN_H
#define EXEC_TARGET_MCP_MODERN_H

#include "base/json.h"

#define MCP_MODERN_VERSION "2026-07-28"
#define MCP_META "io.modelcontextprotocol/" /* what the protocol's own keys in _meta begin with */

/* Error codes that only this era has: whoever sends one speaks it. */
enum mcp_modern_code { MCP_HEADER_MISMATCH = -32020, MCP_MISSING_CAPABILITY = -32021, MCP_UNSUPPORTED_VERSION = -32022 };
bool mcp_modern_code(int64_t code);

/* What goes along with every request. */
struct mcp_envelope {
    char *version; /* NULL: another era, nothing goes along */
    char *members; /* of _meta, as JSON text without the braces */
};
void mcp_envelope_set(struct mcp_envelope *e, const char *version, const char *capabilities); /* an object as JSON text */
void mcp_envelope_release(struct mcp_envelope *e);
/* Appends `,"params":{…}` with the envelope in it. Members of a _meta that params has already win over ours, so that a request can
 * be made to say something else. Params that are no object go as they are. */
void mcp_envelope_params(const struct mcp_envelope *e, struct bytes params, struct buf *out);

/* What HTTP headers have to repeat of a message; texts live in the arena, NULL where the body has none. */
struct mcp_mirror {
    const char *version, *method, *name;
};
/* Of the message as a client that knows the protocol would repeat it; bytes that are no JSON object leave all NULL. */
void mcp_mirror_read(struct bytes body, struct arena *a, struct mcp_mirror *out);
/* A text as the value of a header: as it stands where it is plain ASCII, else =?base64?…?=. */
void mcp_header_value(struct buf *out, struct bytes text);
const char *mcp_header_text(struct arena *a, struct bytes text);

#endif
