/* Inputs that somebody gives: seeds of any kind, and dictionaries. */
#ifndef CLI_SEEDS_OPTIONS_H
#define CLI_SEEDS_OPTIONS_H

#include "cli/cli.h"
#include "corpus/store.h"
#include "gen/import/import.h"

extern const struct cli_option options_seeds[]; /* --seeds --dict */

struct cli_seeds {
    struct import import;
    struct dictionary *words; /* of --dict and of what the seeds hold; NULL before cli_seeds */
    struct task **tasks;      /* those to be run, of cli_seeds_admit */
    size_t task_count;
    bool begun;
};

/* Reads all of them. A file that was named and is no good is EXIT_USAGE; one within a directory is told on standard error. */
int cli_seeds(const struct verb *v, const struct cli_args *args, const struct ops *ops, struct cli_seeds *seeds);
/* Keeps where each came from, and leaves in `tasks` those that the database has not seen executed on the target, each once. */
int cli_seeds_admit(struct cli_seeds *seeds, struct store *store, int64_t run, const char *target, struct error **err);
void cli_seeds_release(struct cli_seeds *seeds);

#endif
