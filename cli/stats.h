/* --stats FILE, replaced as a whole, and --series FILE, a row of CSV appended, each stats.interval. Both are whole whenever taskgen is
 * killed: the first is renamed into its place, of the second a row is one write, and what a full disk left of one is cut off. */
#ifndef CLI_STATS_H
#define CLI_STATS_H

#include "cli/figures.h"

struct stats {
    const char *file;   /* NULL: none */
    const char *series; /* likewise */
    int series_fd;      /* -1 */
    int64_t interval_ms, next_ms; /* of elapsed_ms */
};

/* NULL: not wanted. ERR_INPUT for a series of other columns than ours, ERR_OUTPUT where they cannot be written. */
int stats_open(struct stats *s, const char *file, const char *series, int64_t interval_ms, struct error **err);
bool stats_due(const struct stats *s, int64_t elapsed_ms);
/* ERR_OUTPUT; the next one may succeed. Secrets are taken out. */
int stats_write(struct stats *s, const struct figures *f, struct error **err);
void stats_close(struct stats *s);

#endif
