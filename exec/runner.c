/* The runner: one task, one fresh session, from the first step to the last process. See runner.h.
 *
 * Invariants: each observation belongs to a step of the task, in the order in which they were sent; an
 * observation exists for each round of each step, also for those that were not sent (OUTCOME_SKIPPED);
 * nothing here judges. */
#include "exec/runner_internal.h"

#include <string.h>

#include "base/clock.h"
#include "exec/target/whereabouts.h"
#include "exec/user_command.h"

bool runner_stopped(const struct runner *r)
{
    return r->stop && *r->stop;
}

int64_t runner_time_left(const struct runner *r, int64_t ms)
{
    int64_t left = (r->deadline_ns - clock_monotonic_ns()) / 1000000;
    return left < 1 ? 1 : left < ms ? left : ms;
}

const char *runner_unmet_need(struct target *target, const struct task *task)
{
    for (size_t i = 0; i < task->need_count; i++)
        if (target_lacks(target, task->needs[i]))
            return task->needs[i];
    for (size_t i = 0; i < task->step_count; i++)
        if (target_lacks(target, task->steps[i].op->name))
            return task->steps[i].op->name;
    return NULL;
}

/* Does the session have it? What it has not is remembered. */
static bool is_met(struct runner *r, bool met, const char *need)
{
    if (!met && session_alive(r->session)) /* else it says nothing about the next one */
        target_note_lack(session_target(r->session), need);
    return met;
}

static const char *missing_need(struct runner *r)
{
    for (size_t i = 0; i < r->task->need_count; i++) {
        const char *need = r->task->needs[i];
        if (!is_met(r, session_supports(r->session, need), need))
            return need;
    }
    for (size_t i = 0; i < r->task->step_count; i++) {
        const struct op *op = r->task->steps[i].op;
        if (strcmp(op->needs, op->name) != 0 && !is_met(r, session_supports_op(r->session, op), op->name))
            return op->name;
    }
    return NULL;
}

static void make_room(struct runner *r)
{
    size_t rounds = 0;
    for (size_t i = 0; i < r->task->step_count; i++)
        rounds += r->task->steps[i].repeat ? r->task->steps[i].repeat : 1;
    size_t most = (size_t)settings_int(r->settings, "budget.calls");
    r->capacity = rounds < most ? rounds : most;
    r->e->observations = arena_alloc(r->a, (r->capacity + 1) * sizeof *r->e->observations);
    r->e->wire = arena_alloc(r->a, RUNNER_WIRE_MAX * sizeof *r->e->wire);
}

static bool everything_sent(const struct runner *r)
{
    for (size_t i = 0; i < r->e->count; i++)
        if (r->e->observations[i].outcome.class == OUTCOME_SKIPPED)
            return false;
    return !r->given_up;
}

/* Why a step could not be sent, when it was the first thing that went otherwise than planned: then the task
 * does not suit the target. Later on it follows from what failed before. Tabs that are not opened since those before took too much say something
 * of the target: up to there the task was carried out. */
static const char *unsuited(const struct runner *r)
{
    for (size_t i = 0; i < r->e->count && !r->given_up; i++) {
        const struct outcome *o = &r->e->observations[i].outcome;
        if (o->class != OUTCOME_OK)
            return o->class == OUTCOME_SKIPPED && o->skip_reason != runner_page_spent ? o->skip_reason : NULL;
    }
    return NULL;
}

/* Has the task left the session as it found it, as far as one can see? In doubt it has not: a finding of the next task would be the
 * fault of this one. */
static bool is_fit(struct runner *r)
{
    const struct execution *e = r->e;
    const struct runner_client *c = &r->clients[0];
    bool calm = !e->harness && !e->target_died && !r->given_up && !runner_stopped(r) && e->control.made && e->control.answered &&
                !runner_closed(r, c);
    for (size_t i = 0; i < e->count && calm; i++) {
        const struct observation *o = &e->observations[i];
        enum outcome_class class = o->outcome.class;
        bool lost = class == OUTCOME_TIMEOUT || class == OUTCOME_TRANSPORT_ERROR || class == OUTCOME_TARGET_DIED;
        calm = !lost && !o->outcome.fault && strcmp(o->step->op->name, "send") != 0 && o->step->cancel_after_ms < 0;
    }
    struct process_info one;
    return calm && session_processes(r->session, &one, 1) <= c->calm_count;
}

static bool may_stay(struct runner *r)
{
    const struct runner_pool *pool = r->pool;
    return pool && pool->reset != RUNNER_RESET_SESSION && pool->used + 1 < pool->most && is_fit(r);
}

static void run_task(struct runner *r)
{
    struct execution *e = r->e;
    make_room(r);
    runner_wire(r, SIZE_MAX);
    lookout_task_begin(r->lookout, r->task);
    runner_steps(r);
    runner_jobs_noticed(r);
    lookout_task_end(r->lookout, e);
    if (runner_stopped(r) || e->harness)
        return;
    e->executed = everything_sent(r);
    e->skip_reason = e->executed ? NULL : unsuited(r);
    bool closed = runner_closed(r, &r->clients[0]);
    e->target_died = !runner_all_alive(r);
    if (!closed && !e->target_died && !r->given_up) {
        runner_page_end(r);
        runner_control(r, e->count ? e->count - 1 : SIZE_MAX);
    }
    e->target_died = !runner_all_alive(r);
    e->out_of_memory = session_out_of_memory(r->session);
    runner_site(r);
    runner_crosses(r);
    runner_finals(r);
    runner_wire(r, e->count ? e->count - 1 : SIZE_MAX);
    e->stderr_tail = arena_copy(r->a, session_stderr_tail(r->session));
    runner_outside_end(r);
    runner_root_stayed(r);
    r->stays = may_stay(r);
    if (r->stays)
        return;
    runner_kept_before(r);
    runner_leftovers(r);
    runner_kept_after(r);
    runner_wire(r, e->count ? e->count - 1 : SIZE_MAX); /* how it took the end */
}

static void first_client(struct runner *r)
{
    r->clients = arena_alloc(r->a, RUNNER_CLIENTS_MAX * sizeof *r->clients);
    r->client_count = 1;
    r->clients[0].name = r->task->step_count ? r->task->steps[0].session : "main";
    r->clients[0].session = r->session;
    runner_note_processes(r, &r->clients[0]);
}

static int take_session(struct runner *r, struct observers *observers, struct target *target, const struct start *start,
                        struct error **err)
{
    struct runner_pool *pool = r->pool;
    if (pool && pool->session) {
        r->session = pool->session;
        r->lookout = pool->lookout;
        pool->session = NULL;
        pool->lookout = NULL;
        return 0;
    }
    if (pool)
        pool->used = 0;
    r->lookout = lookout_new(observers);
    int status = session_open_watched(target, start, lookout_hooks(r->lookout), &r->session, err);
    if (status < 0)
        lookout_free(r->lookout);
    return status;
}

static void end_session(struct session *s, struct lookout *w)
{
    session_close(s);
    lookout_free(w);
}

static void give_back(struct runner_pool *pool, struct session *s, struct lookout *w)
{
    if (!session_reset(s, pool->reset == RUNNER_RESET_TASK)) {
        end_session(s, w);
        return;
    }
    session_stop_with(s, NULL);
    pool->session = s;
    pool->lookout = w;
    pool->used++;
}

void runner_pool_release(struct runner_pool *pool)
{
    end_session(pool->session, pool->lookout);
    pool->session = NULL;
    pool->lookout = NULL;
}

/* For who wants to send it again. Of a session that tasks share it would be those of all. */
static void keep_wire(struct runner *r)
{
    struct buf wire, command;
    r->e->driver = target_driver(session_target(r->session));
    if (r->pool && r->pool->reset != RUNNER_RESET_SESSION)
        return;
    buf_init(&wire, 1 << 20);
    buf_init(&command, 1 << 20);
    session_wire_log(r->session, &wire, &command);
    r->e->sent = arena_copy(r->a, buf_bytes(&wire));
    r->e->command = arena_copy(r->a, buf_bytes(&command));
    buf_release(&wire);
    buf_release(&command);
}

int runner_execute_pooled(struct runner_pool *pool, struct target *target, const struct task *task, struct arena *a,
                          const atomic_int *stop, struct execution *e, struct error **err)
{
    struct start as;
    struct observers *observers = pool ? pool->observers : NULL;
    if (start_of(task, &as))
        pool = NULL; /* nobody else's session is like it */
    *e = (struct execution){.task = task, .policy = target_policy(target), .rules = target_rules(target),
                              .user_checks = target_checks(target), .arena = a};
    struct runner r = {
        .task = task,
        .settings = target_settings(target),
        .ops = target_ops(target),
        .a = a,
        .e = e,
        .stop = stop,
        .pool = pool,
    };
    int64_t start = clock_monotonic_ns();
    if (runner_stopped(&r))
        return error_set(err, ERR_STOP, "stopped");
    const char *unmet = runner_unmet_need(target, task);
    if (unmet) {
        e->skip_reason = arena_string(a, bytes_of_string(unmet));
        return 0;
    }
    TRY(take_session(&r, observers, target, &as, err));
    session_stop_with(r.session, stop);
    first_client(&r);
    r.deadline_ns = start + settings_int(r.settings, "exec.session-timeout") * 1000000;
    e->skip_reason = missing_need(&r);
    if (e->skip_reason) {
        e->skip_reason = arena_string(a, bytes_of_string(e->skip_reason));
        r.stays = pool && pool->reset != RUNNER_RESET_SESSION;
    } else {
        witness_source_init(&r.witness, r.session);
        runner_outside_begin(&r);
        run_task(&r);
    }
    for (size_t i = 0; i < r.client_count; i++)
        e->first_refused = e->first_refused || session_first_refused(r.clients[i].session);
    runner_end_clients(&r);
    if (r.outside && !r.stays) {
        runner_outside_escaped(&r);
        session_stop(r.session);
        runner_outside_stopped(&r);
    }
    runner_outside_done(&r);
    keep_wire(&r);
    if (r.stays)
        give_back(pool, r.session, r.lookout);
    else
        end_session(r.session, r.lookout);
    e->ns = clock_monotonic_ns() - start;
    user_commands_ask(r.settings, target_secrets(target), stop, e);
    return runner_stopped(&r) ? error_set(err, ERR_STOP, "stopped") : 0;
}

int runner_execute(struct target *target, const struct task *task, struct arena *a, const atomic_int *stop,
                   struct execution *e, struct error **err)
{
    return runner_execute_pooled(NULL, target, task, a, stop, e, err);
}
