/* --config FILE: what the command line may say, in the file that also holds settings; --save-config FILE writes one.
 *
 *     [options]        ; of whatever verb knows them
 *     target = demo
 *     [options.fuzz]   ; of this verb alone; they win over those above
 *     time = 10m
 *     tools = yes      ; one without a value
 *     [exec]           ; settings
 *     step-timeout = 5s
 */
#ifndef CLI_CONFIG_FILE_H
#define CLI_CONFIG_FILE_H

#include "cli/cli.h"

/* Puts what the file of --config says in front of what the command line said, which wins: an option that stands there is not taken
 * from the file, however often the file has it; nor is a target where the command line names one in any way. With --save-config FILE
 * options and settings are written, as they are now, and *done says that this was all; values that may be secrets are left out, which is
 * said. EXIT_… on a fault, said. */
int cli_config(const struct verb *v, struct cli_args *args, bool *done);

#endif
