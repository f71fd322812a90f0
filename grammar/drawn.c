/* Which entries of a log a replay answered, and which came from the rng: the replay is gone through once more, with the
 * log as the one who asks. */
#include <stdlib.h>

#include "grammar/chooser_internal.h"

void derivation_drawn(const struct derivation *replayed, const struct derivation *log, bool *drawn)
{
    struct chooser c;
    struct derivation again;
    derivation_init(&again);
    chooser_init(&c, NULL, replayed, &again);
    size_t *open = xmalloc((log->count + 1) * sizeof *open), depth = 0;
    for (size_t i = 0; i < log->count; i++) {
        while (depth && log->items[open[depth - 1]].end <= i)
            chooser_shut(&c, open[--depth]);
        const struct choice *recalled = chooser_recall(&c, log->items[i].site);
        drawn[i] = !recalled;
        open[depth++] = chooser_open(&c, log->items[i].site, log->items[i].value, recalled);
    }
    free(open);
    derivation_release(&again);
}
