/* missing-field: a member of the request is not there, or of a wrong kind. No lawful client sends it.
 *
 * But for the kind "id", which makes a notification of it, the id can be read: an error with that id is owed,
 * and no right target does what the request asks for. */
#include <string.h>

#include "mutate/wire/wire_internal.h"

static const struct wire_variant variants[] = {
    {"jsonrpc", "without jsonrpc", 0, false},
    {"method", "without a method", 0, false},
    {"id", "without an id, so that it is a notification", 0, false},
    {"params", "without params", 0, false},
    {"params-null", "params is null", 0, false},
    {"params-array", "params is an array", 0, false},
    {"params-string", "params is a string", 0, false},
    {"arguments-string", "the arguments are a string", 0, false},
    {"arguments-array", "the arguments are an array", 0, false},
    {"method-number", "the method is a number", 0, false},
    {"method-empty", "the method is the empty string", 0, false},
    {0}};

static const struct {
    const char *kind, *member, *value; /* NULL: the member goes */
} defects[] = {
    {"jsonrpc", "jsonrpc", NULL},
    {"method", "method", NULL},
    {"id", "id", NULL},
    {"params", "params", NULL},
    {"params-null", "params", "null"},
    {"params-array", "params", "[1]"},
    {"params-string", "params", "\"x\""},
    {"arguments-string", "arguments", "\"x\""},
    {"arguments-array", "arguments", "[1]"},
    {"method-number", "method", "7"},
    {"method-empty", "method", "\"\""},
};

/* The frame with another text as a member of its own, or of its params where the kind says so. */
static struct bytes frame_of(struct arena *a, struct bytes frame, size_t defect)
{
    const char *member = defects[defect].member;
    struct bytes value = bytes_of_string(defects[defect].value);
    struct wire_token key, params;
    if (strcmp(member, "arguments") != 0)
        return wire_with_member(a, frame, member, value);
    if (!wire_member(frame, "params", &key, &params) || frame.data[params.from] != '{')
        return BYTES_NONE;
    struct bytes inner = wire_with_member(a, bytes_slice(frame, params.from, params.to), member, value);
    return inner.len ? wire_replaced(a, frame, params.from, params.to, inner) : BYTES_NONE;
}

static bool plan(const char *kind, const struct wire_request *r, struct arena *a, struct wire_plan *p)
{
    size_t i = 0;
    while (strcmp(defects[i].kind, kind) != 0)
        if (++i == sizeof defects / sizeof *defects)
            return false;
    struct bytes frame = frame_of(a, r->frame, i);
    if (!frame.len)
        return false;
    wire_put(p, frame);
    wire_newline(p, r);
    p->own_id = strcmp(kind, "id") != 0;
    p->nulls = 1;
    p->inert = true;
    return true;
}

static bool apply(struct mutation *m)
{
    return wire_apply(m, &wire_missing_field, false);
}

const struct mutator mutator_missing_field = {
    .name = "missing-field",
    .group = "wire",
    .summary = "a request without one of its members",
    .details = "Without jsonrpc, method, id or params; params null, an array or a string, and so the "
               "arguments of a call; a method that is a number or empty. No lawful client sends it; an error with the "
               "request's id is owed.",
    .places = "",
    .kinds = "jsonrpc method id params params-null params-array params-string arguments-string arguments-array method-number method-empty",
    .apply = apply,
};

const struct wire_row wire_missing_field = {&mutator_missing_field, variants, plan};
