/* --suppress: which findings are known and put up with. */
#ifndef CLI_SUPPRESS_OPTIONS_H
#define CLI_SUPPRESS_OPTIONS_H

#include "cli/cli.h"
#include "corpus/suppress.h"

#define SUPPRESS_OPTION                                                                                      \
    {                                                                                                        \
        "suppress", 0, "FILE", "findings that are known: kept, but neither counted nor failed for"           \
    }

/* The rules of the file that is given, which are kept in the database where it may be written; else those that it keeps. Says on
 * standard error which of them have expired. 0, or an exit status, after a message; *s is for the caller to free. */
int cli_suppressions(const struct verb *v, const struct cli_args *args, struct store *store, bool writes,
                     struct suppressions **s);

#endif
