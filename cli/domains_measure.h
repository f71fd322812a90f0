/* The measures of `taskgen domains`: what domains' tasks arm, and how much they differ. */
#ifndef CLI_DOMAINS_MEASURE_H
#define CLI_DOMAINS_MEASURE_H

#include "cli/generate_options.h"

/* Both make tasks with `g`, write to out and give an exit status. */
int domains_coverage(const struct verb *v, const struct cli_args *args, const struct cli_generate *g,
                     const struct ops *ops, unsigned threads, struct buf *out);
int domains_diversity(const struct verb *v, const struct cli_args *args, const struct cli_generate *g,
                      const struct ops *ops, unsigned threads, struct buf *out);

#endif
