/* replay: a finding's task again, and all of them again; see docs/findings.md. */
#ifndef CLI_REPLAY_H
#define CLI_REPLAY_H

#include "cli/cli.h"
#include "cli/fail_on.h"
#include "corpus/suppress.h"
#include "exec/loop.h"

struct replay {
    const struct verb *verb;
    const struct cli_args *args;
    const struct settings *settings;
    const struct ops *ops;
    struct store *store;
    const struct suppressions *suppress;
    int runs;
    int64_t time_ms;            /* for all of them; 0: no limit */
    const struct fail_on *fail; /* NULL: whatever still fails */
    const atomic_int *halt;     /* a signal came, or the time is up */
};

/* What came of one. */
enum replay_outcome {
    REPLAY_TRIED,   /* n_run times, at least once */
    REPLAY_HALTED,  /* not once: there was no time for it */
    REPLAY_LACKS,   /* it needs a check that was not given; said on standard error */
    REPLAY_UNTRIED, /* its target cannot be had, or did not run it; said */
    REPLAY_FAILED   /* the database, or the finding's own task, is at fault; said */
};
struct replayed {
    enum replay_outcome outcome;
    enum finding_state was, is;
    int n_failed, n_run;
    bool counts;  /* it failed, and that makes the exit status 1 */
    bool target_gone; /* REPLAY_UNTRIED: no session of its target can be had at all */
    int status;   /* of those that are not tried: the exit status that belongs to it */
};

/* Tries one, stores and prints what came of it. */
struct replayed replay_one(const struct replay *r, const struct finding *f);
/* All of them in order; tells about the whole at the end. The exit status. */
int replay_all(struct replay *r, struct finding *findings, size_t count);

/* replay_account.c: what is told of the runs of one finding: of the last that showed it, or else of the last. */
struct replay_account {
    struct arena arena;
    const struct json *then; /* how its steps went when it was stored; NULL: not kept */
    const char *expected, *observed; /* as stored */
    const char *now, *difference, *left;
    bool shows;
};
void replay_account_init(struct replay_account *x, const struct finding *f);
void replay_account_run(void *user, const struct execution *e, const char *record); /* struct loop_view's `ran`; `user` is the account */
void replay_account_print(const struct replay *r, const struct finding *f, const struct replay_account *x, const struct replayed *came);
void replay_print_event(const struct replay *r, const struct json *event); /* a line of --json */

#endif
