/* One file per verb, one row of the table in main.c each. */
#ifndef CLI_VERBS_H
#define CLI_VERBS_H

#include "cli/cli.h"

extern const struct verb verb_generate, verb_run, verb_fuzz, verb_replay, verb_shrink, verb_explain, verb_rebucket, verb_minimise, verb_corpus, verb_merge, verb_report, verb_export, verb_check, verb_domains, verb_mutators,
    verb_ops, verb_targets, verb_site, verb_doctor, verb_help;

#endif
