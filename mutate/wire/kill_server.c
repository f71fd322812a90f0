/* kill-server: the target's own process is killed while a call is under way, as the machine's memory killer
 * would. The session is opened again on the same root; what had been acknowledged must still be there. */
#include "mutate/wire/wire_internal.h"

static const struct wire_variant variants[] = {
    {"at-once", "the target is killed as soon as the call was sent", 0, false},
    {"during", "the target is killed 40 ms after the call was sent", 0, false},
    {0}};

static bool apply(struct mutation *m)
{
    return wire_apply(m, &wire_kill_server, true);
}

const struct mutator mutator_kill_server = {
    .name = "kill-server",
    .group = "env",
    .summary = "the target is killed during a call",
    .details = "With SIGKILL, at once or 40 ms after the call was sent; then the session is opened again on "
               "the same root. That it died "
               "is our doing and no finding; that the call never ends, or that earlier work is gone, is one.",
    .places = "",
    .kinds = "at-once during",
    .apply = apply,
};

const struct wire_row wire_kill_server = {&mutator_kill_server, variants, NULL};
