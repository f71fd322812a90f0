/* JSON-RPC 2.0 and the part of MCP (2025-11-25, 2025-06-18) that a server with tools speaks: initialize,
 * ping, tools/list, tools/call, notifications. Every request gets exactly one answer; ids are given back as
 * they were written. */
#ifndef LEAKYBOX_RPC_H
#define LEAKYBOX_RPC_H

#include "leakybox/server.h"

enum {
    RPC_PARSE = -32700,
    RPC_INVALID = -32600,
    RPC_NO_METHOD = -32601,
    RPC_BAD_PARAMS = -32602,
    RPC_INTERNAL = -32603
};

void rpc_line(struct server *s, struct bytes line); /* one message, without its newline */
/* A message longer than LINE_MAX_BYTES, of which only the scan is left. */
void rpc_too_long(struct server *s, struct idscan *scan);

/* `id` is JSON text. */
void rpc_error(struct server *s, struct bytes id, int code, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
void rpc_result(struct server *s, struct bytes id, const struct json *result);
/* Results of tools/call: a text; an error in words; a structured value, with its JSON as text beside it,
 * after a notice for the reader or NULL. */
void rpc_text(struct server *s, struct bytes id, struct bytes text, bool failed);
void rpc_structured(struct server *s, struct bytes id, const struct json *value, bool failed,
                    const char *notice);

#endif
