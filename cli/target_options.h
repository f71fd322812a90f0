/* Options that name a target, shared by run, fuzz, replay and targets. */
#ifndef CLI_TARGET_OPTIONS_H
#define CLI_TARGET_OPTIONS_H

#include "cli/cli.h"
#include "corpus/store.h"
#include "exec/target/target.h"

extern const struct cli_option options_target[];

/* The target that the options name; `fallback` (a SPEC) when they name none, NULL: a usage fault. Prints on a fault. */
int cli_target(const struct verb *v, const struct cli_args *args, const struct settings *settings, const struct ops *ops,
               const char *fallback, struct target **target);

/* The target that the options name, else that of a finding; with the policy that they name, else that of the run which saw it last. */
int cli_target_of(const struct verb *v, const struct cli_args *args, const struct settings *settings, const struct ops *ops,
                  struct store *store, const struct finding *f, struct target **target);

/* The command line as it was given, quoted for a shell, with the values of --env left out: what is stored with a run. */
char *cli_command_text(const struct verb *v, const struct cli_args *args);

#endif
