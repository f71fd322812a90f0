/* Mutations that are applied while a task runs: which call has one, and what must be done after those that ended a session or left a
 * program at work. */
#include "exec/runner_internal.h"

#include <string.h>

#include "base/clock.h"
#include "exec/oracle/judge.h"
#include "mutate/mutate.h"

enum { WORK_ENDS_MS = 700, WORK_AGAIN_MS = 400, WORK_MOST_MS = 6000, SLICE_MS = 100 };

const struct wire_mutation *runner_mutation(struct runner *r, const struct task_step *step)
{
    struct wire_mutation found;
    if (!wire_find(r->task, step->id, "wire", &found) && !wire_find(r->task, step->id, "env", &found))
        return NULL;
    struct wire_mutation *kept = arena_alloc(r->a, sizeof *kept);
    *kept = found;
    return kept;
}

static struct runner_client *client_of(struct runner *r, const struct observation *o)
{
    for (size_t i = 0; i < r->client_count; i++)
        if (strcmp(r->clients[i].name, o->step->session) == 0)
            return &r->clients[i];
    return NULL;
}

/* It was ended by us, and a target that cannot be started again after that has a fault. */
static void revive(struct runner *r, struct runner_client *c, size_t index)
{
    struct error *err = NULL;
    if (session_reopen(c->session, &err) == 0) {
        session_stop_with(c->session, r->stop);
        c->calm_count = 0;
        runner_note_processes(r, c);
        return;
    }
    r->e->control = (struct control){
        .made = true,
        .op = "reopen",
        .what = arena_printf(r->a, "it could not be started again on the same root: %s", err ? err->text : "no reason"),
        .after_step = index};
    r->given_up = "the target could not be started again";
    error_free(err);
}

void runner_revive(struct runner *r, size_t from, size_t count)
{
    for (size_t i = from; i < from + count && !r->given_up && !runner_stopped(r); i++) {
        const struct observation *o = &r->e->observations[i];
        struct runner_client *c = client_of(r, o);
        if (c && o->outcome.gone)
            revive(r, c, i);
    }
}

static void wait_ms(const struct runner *r, int64_t ms)
{
    int64_t end = clock_monotonic_ns() + runner_time_left(r, ms) * 1000000;
    for (int64_t left; !runner_stopped(r) && (left = (end - clock_monotonic_ns()) / 1000000) > 0;)
        clock_sleep_ms(left < SLICE_MS ? left : SLICE_MS);
}

static uint64_t work_size(struct runner *r)
{
    struct file_view view = {0};
    witness_look(&r->witness, BYTES_LITERAL(WORK_FILE), 0, r->a, &view);
    return view.exists ? view.size : 0;
}

/* One that we cut off, whose program says which file it adds to, and somebody can look at it. */
static bool leaves_work(const struct runner *r, const struct observation *o)
{
    bool cut = o->step->cancel_after_ms >= 0 || o->outcome.by_us;
    return cut && r->witness.outside && o->outcome.class != OUTCOME_SKIPPED &&
           bytes_find(observation_script(o), BYTES_LITERAL(WORK_FILE), 0) >= 0;
}

/* The target has answered for a program that goes on. Whether it answers once more when that ends shows only then. */
static void see_end_of_work(struct runner *r, uint64_t size)
{
    for (int64_t ms = 0; ms < WORK_MOST_MS; ms += WORK_AGAIN_MS) {
        wait_ms(r, WORK_AGAIN_MS);
        uint64_t now = work_size(r);
        if (now == size || runner_stopped(r))
            break;
        size = now;
    }
    wait_ms(r, WORK_AGAIN_MS);
}

void runner_look_at_work(struct runner *r, size_t from, size_t count)
{
    for (size_t i = from; i < from + count; i++) {
        struct observation *o = &r->e->observations[i];
        if (!leaves_work(r, o))
            continue;
        wait_ms(r, WORK_ENDS_MS);
        o->work.after_ms = WORK_ENDS_MS;
        o->work.first = work_size(r);
        wait_ms(r, WORK_AGAIN_MS);
        o->work.second = work_size(r);
        o->work.looked = !runner_stopped(r);
        if (o->work.second > o->work.first && observation_refused(o))
            see_end_of_work(r, o->work.second);
    }
}
