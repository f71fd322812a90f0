/* Steps: resolving, waiting, calling, one at a time or a group at once, with a witness before and after. */
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "exec/oracle/judge.h"
#include "exec/resolve.h"
#include "exec/runner_internal.h"

enum { SLICE_MS = 100 };

static void skip(struct observation *o, const char *reason)
{
    o->outcome = (struct outcome){.class = OUTCOME_SKIPPED, .skip_reason = reason};
}

/* The result object of the last round of a step. */
static const struct json *result_of(void *user, struct bytes step)
{
    const struct runner *r = user;
    for (size_t i = r->e->count; i-- > 0;)
        if (bytes_equal_string(step, r->e->observations[i].step->id))
            return r->e->observations[i].outcome.result;
    return NULL;
}

static uint64_t bytes_left(const struct runner *r)
{
    uint64_t budget = (uint64_t)settings_int(r->settings, "budget.bytes");
    uint64_t most = (uint64_t)settings_int(r->settings, "generate.max-content");
    uint64_t left = budget > r->bytes_sent ? budget - r->bytes_sent : 0;
    return left < most ? left : most;
}

/* Waits in slices, so that a stop or the session's end is noticed. */
static void wait_ms(const struct runner *r, int64_t ms)
{
    if (target_in_process(session_target(r->session)))
        return;
    int64_t end = clock_monotonic_ns() + runner_time_left(r, ms) * 1000000;
    for (int64_t left; !runner_stopped(r) && (left = (end - clock_monotonic_ns()) / 1000000) > 0;)
        clock_sleep_ms(left < SLICE_MS ? left : SLICE_MS);
}

/* The op idle is ours: nothing is sent. */
static void idle(const struct runner *r, struct observation *o)
{
    int64_t ms = 0, start = clock_monotonic_ns();
    json_as_integer(json_get(o->args, "ms"), &ms);
    wait_ms(r, ms > 0 ? ms : 0);
    o->outcome = (struct outcome){.class = OUTCOME_OK, .start_ns = start, .ns = clock_monotonic_ns() - start};
}

/* False when it cannot be sent; o then says why. */
static bool resolve(struct runner *r, struct observation *o, struct call *call)
{
    struct resolver resolver = {.task = r->task, .result = result_of, .user = r, .site = session_site(r->session), .max_bytes = bytes_left(r)};
    struct resolved resolved = {0};
    struct error *err = NULL;
    if (resolve_step(&resolver, o->step, r->a, &resolved, &err) < 0) {
        skip(o, arena_string(r->a, bytes_of_string(err ? err->text : "the step cannot be resolved")));
        error_free(err);
        return false;
    }
    if (resolved.skip_reason) {
        skip(o, resolved.skip_reason);
        return false;
    }
    o->args = resolved.args;
    const char *full = runner_page_full(r, o->step);
    if (full) {
        skip(o, full);
        return false;
    }
    int64_t timeout = o->step->timeout_ms > 0 ? o->step->timeout_ms
                                              : settings_int(r->settings, "exec.step-timeout");
    *call = (struct call){
        .op = o->step->op,
        .args = resolved.args,
        .path_as = resolved.path_as,
        .to_as = resolved.to_as,
        .timeout_ms = runner_time_left(r, timeout),
        .own_limit_ms = o->step->timeout_ms,
        .cancel_after_ms = o->step->cancel_after_ms,
        .mutation = runner_mutation(r, o->step),
        .arena = r->a,
    };
    return true;
}

/* An outcome after which a plain call must be tried. */
static bool is_defect(struct runner *r, const struct observation *o)
{
    if (observation_lost(o) || observation_mutated(o))
        return true;
    if (!observation_refused(o) || error_expected(r->e, o->step) || r->refusal_checked)
        return false;
    r->refusal_checked = true; /* once a session is enough for errors that were told */
    return true;
}

static bool is_idle(const struct observation *o)
{
    return strcmp(o->step->op->name, "idle") == 0;
}

/* Observations [from, from + count), which go at once, and those of them that can be sent. */
struct batch {
    size_t from, count, ready;
    struct observation *all, *owner[RUNNER_BATCH_MAX]; /* of this and the next two the first `ready` */
    struct runner_client *clients[RUNNER_BATCH_MAX];
    struct call calls[RUNNER_BATCH_MAX];
    bool single;                                       /* one step, sent alone: it can be looked at closely */
    struct jobs_look jobs;
    struct deadline_watch watch;
};

static void prepare(struct runner *r, struct batch *b)
{
    for (size_t i = 0; i < b->count; i++) {
        const char *why = NULL;
        struct observation *o = &b->all[i];
        b->clients[b->ready] = runner_client(r, o->step->session, &why);
        if (!b->clients[b->ready])
            skip(o, why);
        else if (resolve(r, o, &b->calls[b->ready]) && !is_idle(o))
            b->owner[b->ready++] = o;
    }
    b->single = b->count == 1 && b->ready == 1;
}

static void batch_before(struct runner *r, struct batch *b)
{
    if (b->single)
        runner_jobs_before(r, b->owner[0], b->clients[0], &b->jobs);
    else
        runner_jobs_noticed(r);
    for (size_t i = 0; i < b->ready; i++) {
        runner_page_kill(r, b->owner[i]);
        runner_views_before(r, b->owner[i]);
    }
    if (b->single)
        runner_deadline_before(r, b->owner[0], b->clients[0]->session, &b->watch);
}

static void take_outcomes(struct runner *r, struct batch *b)
{
    for (size_t i = 0; i < b->ready; i++) {
        b->owner[i]->outcome = b->calls[i].outcome;
        r->bytes_sent += b->calls[i].outcome.bytes_in;
        r->e->harness = r->e->harness || b->calls[i].outcome.class == OUTCOME_HARNESS;
    }
}

/* The deadline first, since what it leaves behind may go; the same call again last, since it may change what the others look at. */
static void batch_after(struct runner *r, struct batch *b)
{
    if (b->single)
        runner_deadline_after(r, b->owner[0], &b->watch);
    for (size_t i = 0; i < b->ready && !r->e->harness; i++)
        if (b->owner[i]->outcome.class != OUTCOME_SKIPPED)
            runner_views_after(r, b->owner[i]);
    if (b->single && !r->e->harness)
        runner_jobs_after(r, b->owner[0], b->clients[0], &b->jobs);
    for (size_t i = 0; i < b->ready; i++)
        runner_root_parent(r, b->owner[i]);
    if (b->single && !r->e->harness)
        runner_try_again(r, b->clients[0]->session, b->from, &b->calls[0]);
}

static void carry_out(struct runner *r, size_t from, size_t count)
{
    struct batch b = {.from = from, .count = count, .all = &r->e->observations[from]};
    prepare(r, &b);
    batch_before(r, &b);
    session_wire_mark(r->session, "step", from);
    session_site_step(r->session, (int64_t)from);
    runner_calls(r, b.clients, b.calls, b.ready);
    session_wire_mark(r->session, "done", from);
    for (size_t i = 0; i < count; i++)
        if (b.all[i].args && is_idle(&b.all[i]))
            idle(r, &b.all[i]);
    take_outcomes(r, &b);
    batch_after(r, &b);
}

/* What follows from how the batch went: the wire, a search for what vanished, a control call. */
static void look_after(struct runner *r, size_t from, size_t count)
{
    size_t last = from + count - 1, defect = SIZE_MAX;
    runner_wire(r, last);
    runner_look_at_work(r, from, count);
    runner_revive(r, from, count);
    for (size_t i = from; i <= last; i++) {
        const struct observation *o = &r->e->observations[i];
        if (is_defect(r, o))
            defect = i;
        else if (observation_claims(o))
            runner_search(r, i);
    }
    if (defect != SIZE_MAX && session_alive(r->session))
        runner_control(r, defect);
    if (!runner_all_alive(r))
        r->given_up = "the target has died";
    else if (r->e->control.made && !r->e->control.answered)
        r->given_up = "the target no longer answers";
}

/* What no lawful client sends may make the target refuse all that follows. That is only news when a plain call went well before. */
static void look_before(struct runner *r, size_t from, size_t count)
{
    for (size_t i = from; i < from + count && !r->e->control.made; i++) {
        const struct task_step *step = r->e->observations[i].step;
        struct wire_mutation frame;
        if (strcmp(step->op->name, "send") == 0 || wire_find(r->task, step->id, "wire", &frame))
            runner_control(r, from ? from - 1 : SIZE_MAX);
    }
    if (r->e->control.made && !r->e->control.answered)
        r->given_up = "the target no longer answers";
}

/* The task ends a session that it goes on with: the next steps may hide what was lost by that. */
static bool ends_session(struct runner *r, size_t index, size_t count)
{
    return count == 1 && observation_is(&r->e->observations[index], "reopen") && r->ends++ < RUNNER_ENDS_MAX;
}

static void run_batch(struct runner *r, size_t from, size_t count)
{
    if (!r->given_up && clock_monotonic_ns() >= r->deadline_ns)
        r->given_up = "the session's time is used up";
    if (!r->given_up)
        look_before(r, from, count);
    if (r->given_up) {
        for (size_t i = from; i < from + count; i++)
            skip(&r->e->observations[i], r->given_up);
        return;
    }
    int64_t after_ms = 0;
    for (size_t i = from; i < from + count; i++) {
        int64_t ms = r->e->observations[i].step->after_ms;
        after_ms = ms > after_ms ? ms : after_ms;
    }
    if (after_ms > 0)
        wait_ms(r, after_ms);
    struct arena scratch;
    struct file_view names = {0};
    arena_init(&scratch);
    if (count == 1)
        runner_root_look(r, &scratch, &names);
    bool ends = ends_session(r, from, count);
    if (ends)
        runner_kept_before(r);
    carry_out(r, from, count);
    if (ends)
        runner_kept_after(r);
    if (count == 1 && names.have_entries)
        runner_root_appeared(r, &r->e->observations[from], &names);
    arena_release(&scratch);
    runner_outside_step(r, from, count);
    if (!r->e->harness && !runner_stopped(r))
        look_after(r, from, count);
}

static struct observation *next_observation(struct runner *r, const struct task_step *step, uint32_t round,
                                            bool in_group)
{
    if (r->e->count == r->capacity)
        return NULL;
    struct observation *o = &r->e->observations[r->e->count++];
    *o = (struct observation){.step = step, .round = round, .in_group = in_group};
    return o;
}

static bool same_group(const struct task_step *a, const struct task_step *b)
{
    return a->group && b->group && strcmp(a->group, b->group) == 0;
}

/* The neighbouring steps of one group, all rounds of each, at once. Returns how many steps that were. */
static size_t run_group(struct runner *r, size_t index)
{
    const struct task *t = r->task;
    size_t steps = 0, from = r->e->count;
    while (index + steps < t->step_count && same_group(&t->steps[index], &t->steps[index + steps])) {
        const struct task_step *step = &t->steps[index + steps];
        for (uint32_t round = 0; round < (step->repeat ? step->repeat : 1); round++)
            if (r->e->count - from < RUNNER_BATCH_MAX && !next_observation(r, step, round, true))
                break;
        steps++;
    }
    if (r->e->count > from)
        run_batch(r, from, r->e->count - from);
    return steps;
}

static void run_alone(struct runner *r, const struct task_step *step)
{
    for (uint32_t round = 0; round < (step->repeat ? step->repeat : 1); round++) {
        size_t from = r->e->count;
        if (r->e->harness || runner_stopped(r) || !next_observation(r, step, round, false))
            return;
        run_batch(r, from, 1);
    }
}

void runner_steps(struct runner *r)
{
    for (size_t i = 0; i < r->task->step_count && !r->e->harness && !runner_stopped(r);) {
        if (r->task->steps[i].group) {
            i += run_group(r, i);
            continue;
        }
        run_alone(r, &r->task->steps[i++]);
    }
}
