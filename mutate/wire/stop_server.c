/* stop-server: the target's own process is stopped for a moment while a call is under way, and goes on: a
 * machine that was suspended. Nothing may be lost by it. */
#include "mutate/wire/wire_internal.h"

static const struct wire_variant variants[] = {
    {"short", "the target is stopped for 150 ms during the call", 0, true},
    {"long", "the target is stopped for 800 ms during the call", 0, true},
    {0}};

static bool apply(struct mutation *m)
{
    return wire_apply(m, &wire_stop_server, true);
}

const struct mutator mutator_stop_server = {
    .name = "stop-server",
    .group = "env",
    .summary = "the target is stopped for a moment during a call",
    .details = "With SIGSTOP for 150 or 800 ms, then SIGCONT; the call has that much longer, and nothing "
               "may be lost.",
    .places = "",
    .kinds = "short long",
    .apply = apply,
};

const struct wire_row wire_stop_server = {&mutator_stop_server, variants, NULL};
