/* slow-reader: after the call was sent nothing is read from the target for a while. What it says must wait
 * for us, whole. */
#include <string.h>

#include "mutate/wire/wire_internal.h"

static const struct wire_variant variants[] = {
    {"short", "nothing is read for 300 ms", 0, true}, {"long", "nothing is read for 1000 ms", 0, true}, {0}};

int64_t wire_deaf_ms(const struct wire_mutation *mutation)
{
    if (strcmp(mutation->mutator, "slow-reader") != 0)
        return 0;
    return strcmp(mutation->kind, "long") == 0 ? 1000 : 300;
}

static bool apply(struct mutation *m)
{
    return wire_apply(m, &wire_slow_reader, false);
}

const struct mutator mutator_slow_reader = {
    .name = "slow-reader",
    .group = "env",
    .summary = "the client does not read for a while",
    .details = "For 300 or 1000 ms after the call was sent nothing is read from the target; the call has "
               "that much longer. Any client "
               "may be that slow.",
    .places = "",
    .kinds = "short long",
    .apply = apply,
};

const struct wire_row wire_slow_reader = {&mutator_slow_reader, variants, NULL};
