/* early-close: the client goes away, in the middle of a request or before its answer. Any client may die so.
 * Over pipes the target may end then; over HTTP only the request's connection is gone, and the target must
 * serve the next one. */
#include <string.h>

#include "mutate/wire/wire_internal.h"

enum { WAIT_MS = 60 };

static const struct wire_variant variants[] = {
    {"half-frame", "nothing more is sent after half of the request", 0, false},
    {"before-reply", "nothing more is sent after the request, before its answer", 0, false},
    {"broken", "the connection is broken off after the request, in both directions", 0, false},
    {"half-broken", "the connection is broken off in the middle of the request", 0, false},
    {0}};

static bool plan(const char *kind, const struct wire_request *r, struct arena *a, struct wire_plan *p)
{
    bool half = strncmp(kind, "half", 4) == 0;
    uint64_t whole = r->frame.len + (r->lines ? 1 : 0);
    wire_put(p, bytes_slice(r->frame, 0, half ? r->frame.len / 2 : r->frame.len));
    if (!half)
        wire_newline(p, r);
    p->declared = whole;
    p->end = strstr(kind, "broken") ? WIRE_BREAKS : WIRE_CLOSES;
    p->end_after_ms = half ? 0 : WAIT_MS;
    p->lawful = true;
    return true;
}

static bool apply(struct mutation *m)
{
    return wire_apply(m, &wire_early_close, true);
}

const struct mutator mutator_early_close = {
    .name = "early-close",
    .group = "wire",
    .summary = "the client goes away in the middle of a request or before its answer",
    .details = "The input closed, or the connection broken off in both directions, after half of the request "
               "or after all of it. Any "
               "client may die so. The session is opened again after it where it was the target's only one.",
    .places = "",
    .kinds = "half-frame before-reply broken half-broken",
    .apply = apply,
};

const struct wire_row wire_early_close = {&mutator_early_close, variants, plan};
