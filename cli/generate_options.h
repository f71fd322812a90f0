/* Options that say which tasks to make, shared by generate, run and fuzz. */
#ifndef CLI_GENERATE_OPTIONS_H
#define CLI_GENERATE_OPTIONS_H

#include "cli/cli.h"
#include "mutate/select.h"

extern const struct cli_option options_generate[];

enum { CLI_WORKFLOWS_MAX = 64 };

struct cli_generate {
    struct cli_domains domains;
    struct generate_options options;
    uint64_t seed;               /* 1 */
    uint64_t count;              /* 0: not given */
    double mutate;               /* strength of hazards: the setting mutate.strength */
    struct selection *selection; /* makes task i, whatever is selected by */
    char *wishes;                /* "class:C63,steps:3..5": what is selected by; "" for nothing */
    const char *workflows[CLI_WORKFLOWS_MAX];
};

/* Loads the domains that --domain names (`fallback` when it is not given; NULL: a usage fault) and reads the
 * rest. Hazards that name no mutator are refused here, since templates cannot know mutators. */
int cli_generate(const struct verb *v, const struct cli_args *args, const struct settings *settings,
                 const struct ops *ops, const char *fallback, struct cli_generate *g);
void cli_generate_release(struct cli_generate *g);
/* Their hashes and the wishes, joined by commas: what a run is stored with. Owned by the caller. */
char *cli_grammar_hashes(const struct cli_generate *g);

#endif
