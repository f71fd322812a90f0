/* batch: several messages in one array. Version 2025-03-26 has it: each request in it is owed its answer.
 * Where the version has none, no lawful client sends it, and one error, with whatever id, is enough; silence
 * is not. */
#include <string.h>

#include "mutate/wire/wire_internal.h"

static const struct wire_variant variants[] = {
    {"one", "an array of this request alone", 0, false},
    {"two", "an array of this request and a ping", 128, false},
    {"mixed", "an array of a number, this request and a notification", 128, false},
    {"empty", "an empty array in its place", 0, false},
    {0}};

static bool plan(const char *kind, const struct wire_request *r, struct arena *a, struct wire_plan *p)
{
    bool empty = strcmp(kind, "empty") == 0, mixed = strcmp(kind, "mixed") == 0,
         two = strcmp(kind, "two") == 0;
    struct bytes ping = bytes_of_string(arena_printf(a, "\"ping-%.*s\"", BYTES_ARG(r->id)));
    wire_put(p, mixed ? BYTES_LITERAL("[1,") : BYTES_LITERAL("["));
    wire_put(p, empty ? BYTES_NONE : r->frame);
    if (two)
        wire_put(p, bytes_of_string(arena_printf(a, ",{\"jsonrpc\":\"2.0\",\"id\":%.*s,\"method\":\"ping\"}",
                                                 BYTES_ARG(ping))));
    else if (mixed)
        wire_put(p, BYTES_LITERAL(",{\"jsonrpc\":\"2.0\",\"method\":\"notifications/taskgen\"}"));
    wire_put(p, BYTES_LITERAL("]"));
    wire_newline(p, r);
    p->lawful = r->batches && !empty && !mixed;
    p->own_id = r->batches && !empty;
    if (r->batches && two)
        wire_owe(p, ping);
    p->any = !r->batches && !empty;
    p->nulls = p->lawful ? 0 : 3;
    p->inert = !r->batches;
    return true;
}

static bool apply(struct mutation *m)
{
    return wire_apply(m, &wire_batch, false);
}

const struct mutator mutator_batch = {
    .name = "batch",
    .group = "wire",
    .summary = "several messages in one array",
    .details = "The request alone, with a ping, between a number and a notification, or an empty array. "
               "Lawful in version 2025-03-26 "
               "only; elsewhere some error is owed.",
    .places = "",
    .kinds = "one two mixed empty",
    .apply = apply,
};

const struct wire_row wire_batch = {&mutator_batch, variants, plan};
