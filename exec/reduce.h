/* Makes the task of a stored finding smaller (mutate/shrink.h proposes, this runs and decides). Each candidate that still shows
 * the finding's signature in a fresh session is stored at once, so whoever is stopped or killed loses nothing: the next
 * call goes on from the smallest task so far.
 *
 * A candidate counts when the very same signature shows. A finding that showed in every run so far must show twice in a
 * row, so that a sure task is not given away for a shaky one; one that did not gets as many sessions as its rate asks for, until it
 * shows once. A lawful task is never replaced by one that sends what no client may. */
#ifndef EXEC_REDUCE_H
#define EXEC_REDUCE_H

#include <stdatomic.h>

#include "corpus/store.h"
#include "exec/target/target.h"
#include "gen/generate.h"

struct reduce_options {
    struct target *target;
    struct store *store;
    const struct settings *settings;   /* shrink.runs; generate.* for derivations */
    const struct ops *ops;
    const struct domain *const *domains; /* those at hand; a task of another is reduced as a record */
    size_t domain_count;
    const atomic_int *stop;            /* true: end soon, with what there is; NULL: never */
    int64_t time_ms;                   /* at most */
};

enum reduce_end {
    REDUCE_WHOLE,    /* nothing smaller shows it */
    REDUCE_RUNS,     /* shrink.runs sessions were had */
    REDUCE_TIME,     /* time_ms passed */
    REDUCE_STOPPED,
    REDUCE_NOT_SHOWN /* its own task did not show it; nothing was changed */
};
const char *reduce_end_words(enum reduce_end end);

struct reduce_result {
    enum reduce_end end;
    int64_t runs;        /* sessions */
    size_t candidates, accepted;
    int64_t steps_before, steps;
};

/* `signature`: all 16 digits of a finding in the store. A finding that is as small as it gets already costs no session, unless `again`.
 * ERR_INPUT: unknown, or its task cannot be read; ERR_TARGET: no sessions can be had (several in a row); ERR_OUTPUT: the
 * store. What was accepted before is stored in any case. */
int reduce_finding(const struct reduce_options *o, const char *signature, bool again, struct reduce_result *r,
                   struct error **err);

#endif
