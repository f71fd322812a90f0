/* unknown-version: a version of JSON-RPC or of the protocol that does not exist. No lawful client sends it in
 * the middle of a session. The id can be read and is owed an answer: an error, or, to initialize, a version
 * that the target has. */
#include <string.h>

#include "mutate/wire/wire_internal.h"

static const struct wire_variant variants[] = {
    {"jsonrpc-1", "jsonrpc is 1.0", 0, false},
    {"jsonrpc-3", "jsonrpc is 3.0", 0, false},
    {"jsonrpc-number", "jsonrpc is the number 2.0", 0, false},
    {"initialize", "initialize with the version 2999-01-01 in its place", 256, false},
    {0}};

static const struct {
    const char *kind, *value;
} versions[] = {{"jsonrpc-1", "\"1.0\""}, {"jsonrpc-3", "\"3.0\""}, {"jsonrpc-number", "2.0"}};

static bool plan(const char *kind, const struct wire_request *r, struct arena *a, struct wire_plan *p)
{
    struct bytes frame = BYTES_NONE;
    for (size_t i = 0; i < sizeof versions / sizeof *versions; i++)
        if (strcmp(kind, versions[i].kind) == 0)
            frame = wire_with_member(a, r->frame, "jsonrpc", bytes_of_string(versions[i].value));
    if (strcmp(kind, "initialize") == 0)
        frame = bytes_of_string(
            arena_printf(a,
                         "{\"jsonrpc\":\"2.0\",\"id\":%.*s,\"method\":\"initialize\",\"params\":{"
                         "\"protocolVersion\":\"2999-01-01\","
                         "\"capabilities\":{},\"clientInfo\":{\"name\":\"taskgen\",\"version\":\"0\"}}}",
                         BYTES_ARG(r->id)));
    wire_put(p, frame);
    wire_newline(p, r);
    p->own_id = true;
    p->nulls = 1;
    p->inert = true;
    return frame.len > 0;
}

static bool apply(struct mutation *m)
{
    return wire_apply(m, &wire_unknown_version, false);
}

const struct mutator mutator_unknown_version = {
    .name = "unknown-version",
    .group = "wire",
    .summary = "a version that does not exist",
    .details = "jsonrpc 1.0, 3.0 or a number; or an initialize with the version 2999-01-01 in the request's "
               "place. No lawful client "
               "sends it in the middle of a session; an answer to its id is owed.",
    .places = "",
    .kinds = "jsonrpc-1 jsonrpc-3 jsonrpc-number initialize",
    .apply = apply,
};

const struct wire_row wire_unknown_version = {&mutator_unknown_version, variants, plan};
