/* k-paths on the command line: `generate --cover k=N` and `domains --paths`. */
#ifndef CLI_COVER_H
#define CLI_COVER_H

#include "cli/generate_options.h"

extern const struct cli_option options_cover[]; /* of generate: --cover, --missed */

/* Checks --cover, before anything is loaded: its value, and what it does not go with. *k is 0 when it is not
 * given. */
int cli_cover_check(const struct verb *v, const struct cli_args *args, unsigned *k);
/* Prints the suite of each domain as tasks, and on standard error a line for each domain about what they
 * cover. Hazards are only applied when --mutate is given. */
int cli_cover(const struct verb *v, const struct cli_args *args, const struct cli_generate *g,
              const struct settings *settings, const struct ops *ops, unsigned k, bool text);

/* Adds, for each domain, how many k-paths g->count of its tasks have, of how many; hazards change nothing
 * about it. */
int cli_paths(const struct verb *v, const struct cli_args *args, const struct cli_generate *g,
              struct buf *out);

#endif
