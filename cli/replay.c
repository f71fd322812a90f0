/* One finding's task again, on its target; see replay.h. */
#include "cli/replay.h"

#include "cli/target_options.h"
#include "exec/oracle/check.h"
#include "exec/target/target.h"

/* Without --fail-on whatever still fails counts, notes and what is flaky too: somebody asked for it. */
static bool counts(const struct replay *r, const struct finding *f, const struct replayed *came)
{
    const struct fail_case known = {.state = came->is,
                                    .layer = f->layer,
                                    .primitive = f->primitive,
                                    .note = detail_is_note(f->detail),
                                    .client_illegal = f->client_illegal,
                                    .suppressed = f->suppressed};
    return came->n_failed && !f->suppressed && (!r->fail || fail_on_counts(r->fail, &known));
}

/* Trouble with this finding alone, or with its target? */
static bool target_is_gone(struct target *target)
{
    struct session *session = NULL;
    struct error *err = NULL;
    bool gone = session_open(target, &session, &err) < 0;
    error_free(err);
    session_close(session);
    return gone;
}

static void try_it(const struct replay *r, const struct finding *f, struct target *target, const struct task *task, struct replayed *came)
{
    struct error *err = NULL;
    struct replay_account account;
    replay_account_init(&account, f);
    const struct loop_view view = {replay_account_run, &account};
    int status = loop_replay_seen(target, task, f->signature, r->runs, r->settings, r->halt, &view, &came->n_failed, &came->n_run, &err);
    if (status == ERR_TARGET) {
        came->outcome = REPLAY_UNTRIED;
        came->status = cli_fail(r->verb, err);
        came->target_gone = !*r->halt && target_is_gone(target);
    } else if (status < 0 || (came->n_run && store_retested(r->store, f->signature, came->n_failed, came->n_run, &came->is, &err) < 0)) {
        came->outcome = REPLAY_FAILED;
        came->status = cli_fail(r->verb, err);
    } else {
        came->outcome = came->n_run ? REPLAY_TRIED : REPLAY_HALTED;
        came->counts = counts(r, f, came);
        if (came->n_run)
            replay_account_print(r, f, &account, came);
    }
    arena_release(&account.arena);
}

struct replayed replay_one(const struct replay *r, const struct finding *f)
{
    struct replayed came = {.outcome = REPLAY_FAILED, .was = f->state, .is = f->state};
    struct error *err = NULL;
    struct task *task = NULL;
    struct target *target = NULL;
    if (cli_lacks_check(r->verb, f)) {
        came.outcome = REPLAY_LACKS;
        came.status = EXIT_USAGE;
        return came;
    }
    if (task_read(r->ops, bytes_of_string(f->task), f->signature, &task, &err) < 0) {
        came.status = cli_fail(r->verb, err);
        return came;
    }
    came.status = cli_target_of(r->verb, r->args, r->settings, r->ops, r->store, f, &target);
    store_keep_secret(r->store, cli_secrets());
    if (came.status) {
        came.outcome = REPLAY_UNTRIED;
        came.target_gone = true;
    } else {
        try_it(r, f, target, task, &came);
    }
    target_free(target);
    task_free(task);
    return came;
}
