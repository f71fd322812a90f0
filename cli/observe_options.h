/* Who looks on while a campaign's tasks run (exec/observe/observer.h). */
#ifndef CLI_OBSERVE_OPTIONS_H
#define CLI_OBSERVE_OPTIONS_H

#include "cli/cli.h"
#include "exec/observe/observer.h"

#define OBSERVE_OPTIONS \
    {"observe", 0, "LIST", "what is observed beside answers, with commas: syscalls, node; all (default); none (docs/targets.md)"}, \
        {"no-observe", 0, NULL, "the same as --observe none"}

/* As the options say. EXIT_… on a fault. */
int cli_observers(const struct verb *v, const struct cli_args *args, struct target *target, struct observers **observers);

/* One line on standard error: what is observed, and why not. */
void cli_say_observers(const struct verb *v, const struct observers *observers);

#endif
