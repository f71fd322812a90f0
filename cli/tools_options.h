/* --tools and --domain tools: tasks of the target's own tools, beside those of domains or alone. */
#ifndef CLI_TOOLS_OPTIONS_H
#define CLI_TOOLS_OPTIONS_H

#include "cli/cli.h"
#include "exec/target/target.h"
#include "gen/tools.h"

enum tools_wish {
    TOOLS_NEVER, /* domains were named, tools were not */
    TOOLS_MAYBE, /* nothing was named: when the target has tools that the domains' ops do not reach */
    TOOLS_ALSO,
    TOOLS_ONLY
};
enum tools_wish cli_tools_wish(const struct cli_args *args);
/* Takes "tools" out of the names that --domain gave; returns how many are left. Only for verbs that have
 * --tools. */
size_t cli_tools_strip(const struct verb *v, const char **names, size_t count);

struct cli_tools {
    struct toolset *set;    /* NULL: no tasks of tools */
    unsigned share, period; /* for struct loop_options */
    struct buf list;        /* of the target's tools, as gen/tools.h has it; empty where nobody asked */
};
/* Opens a session to learn which tools there are, unless the wish is NEVER. EXIT_… on a fault: no session, or
 * no tools though they were wished for. `domains` is the number of domains that tasks are spread over. */
int cli_tools_open(const struct verb *v, enum tools_wish wish, struct target *target, size_t domains,
                   struct cli_tools *tools);
void cli_tools_release(struct cli_tools *tools);
/* `grammar` with the tool list's hash added, where there is one; takes over and gives to the caller. */
char *cli_tools_hash(const struct cli_tools *tools, char *grammar);

#endif
