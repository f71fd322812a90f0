/* A campaign: tasks against a target with a person watching. What run and fuzz have in common. */
#ifndef CLI_CAMPAIGN_H
#define CLI_CAMPAIGN_H

#include "cli/cli.h"
#include "cli/generate_options.h"
#include "cli/seeds_options.h"
#include "cli/tools_options.h"
#include "exec/loop.h"

extern const struct cli_option options_campaign[]; /* --db --time --workers --tools --json --quiet */

struct campaign {
    const struct verb *verb;
    const struct cli_args *args;
    const struct settings *settings;
    const struct ops *ops;
    struct target *target;
    const struct cli_generate *generate; /* NULL: only the given tasks */
    const struct cli_tools *tools;       /* of the target's own; NULL: none */
    struct task *const *tasks;
    size_t task_count;
    struct cli_seeds *seeds;             /* run before all else, where the database does not know them; NULL */
    bool resume;                         /* go on at the first index that the database has not seen */
    bool feed_back;
    uint64_t features;                   /* domains of features that count; 0: all */
};

/* Opens the database, runs, prints what is found and a summary, and gives the exit status: EXIT_FOUND when there is a
 * finding of this run that --fail-on counts. */
int campaign_run(const struct campaign *c);

#endif
