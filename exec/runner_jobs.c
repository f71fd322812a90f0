/* Jobs in the background as this machine sees them: which processes live around the steps that start, ask about and signal them.
 *
 * A step on a job is looked at when it runs alone. A signal is given its time: what was there before it may take JOBS_GRACE_MS to end.
 * What did a job's work is what counts; when that has ended, the rest of it (a shell that waited for it) has JOBS_REST_MS more. When
 * the target is asked about a job next, it has had JOBS_NOTICED_MS to notice, so that what it says is what it knows. */
#include "exec/runner_internal.h"

#include <string.h>

#include "base/clock.h"
#include "exec/oracle/judge.h"

enum { JOBS_NAP_MS = 20, JOBS_GRACE_MS = 1500, JOBS_REST_MS = 300, JOBS_NOTICED_MS = 500, NS_PER_MS = 1000000 };

static bool was_there(const struct runner_client *c, int pid)
{
    for (size_t i = 0; i < c->calm_count; i++)
        if (c->calm_pids[i] == pid)
            return true;
    return false;
}

/* Live processes that have come since the session began. */
static size_t look(const struct runner_client *c, struct process_info *list)
{
    size_t count = session_processes(c->session, list, RUNNER_PROCESSES_MAX), kept = 0;
    for (size_t i = 0; i < count && i < RUNNER_PROCESSES_MAX; i++)
        if (list[i].state != 'Z' && list[i].state != 'X' && !was_there(c, list[i].pid))
            list[kept++] = list[i];
    return kept;
}

static struct process_info *new_list(struct runner *r)
{
    return arena_alloc(r->a, RUNNER_PROCESSES_MAX * sizeof(struct process_info));
}

static bool has_pid(const struct process_info *list, size_t count, int pid)
{
    for (size_t i = 0; i < count; i++)
        if (list[i].pid == pid)
            return true;
    return false;
}

static bool has_child(const struct process_info *list, size_t count, int pid)
{
    for (size_t i = 0; i < count; i++)
        if (list[i].parent == pid)
            return true;
    return false;
}

bool runner_jobs_does(const struct observation *start, const struct process_info *p)
{
    struct bytes command = bytes_of_string(p->command), script = observation_script(start);
    return observation_is(start, "start") && script.len && command.len &&
           (bytes_find(script, command, 0) >= 0 || bytes_find(command, bytes_slice(script, 0, 60), 0) >= 0);
}

static bool does_work(const struct runner *r, const struct jobs_look *before, const struct process_info *p)
{
    bool started = false;
    for (size_t i = 0; i < r->e->count && !started; i++)
        started = runner_jobs_does(&r->e->observations[i], p);
    return started && !has_child(before->list, before->count, p->pid);
}

/* How many of those before live now. */
static size_t still_there(const struct jobs_look *before, const struct process_info *now, size_t count)
{
    size_t there = 0;
    for (size_t i = 0; i < before->count; i++)
        there += has_pid(now, count, before->list[i].pid);
    return there;
}

static size_t spared(const struct runner *r, const struct jobs_look *before, const struct process_info *now, size_t count)
{
    size_t there = 0;
    for (size_t i = 0; i < before->count; i++)
        there += has_pid(now, count, before->list[i].pid) && does_work(r, before, &before->list[i]);
    return there;
}

static void note_none(struct runner *r, size_t count)
{
    if (count)
        r->no_jobs_ns = 0;
    else if (!r->no_jobs_ns)
        r->no_jobs_ns = clock_monotonic_ns();
}

void runner_jobs_noticed(struct runner *r)
{
    int64_t left = r->noticed_ns - clock_monotonic_ns();
    if (left > 0 && !runner_stopped(r))
        clock_sleep_ms(runner_time_left(r, (left + NS_PER_MS - 1) / NS_PER_MS));
}

void runner_jobs_before(struct runner *r, struct observation *o, const struct runner_client *c, struct jobs_look *looked)
{
    static const char *const ops[] = {"start", "poll", "wait", "signal", NULL};
    if (!observation_is_any(o, ops))
        return;
    if (!observation_is(o, "start"))
        runner_jobs_noticed(r);
    looked->list = new_list(r);
    looked->count = look(c, looked->list);
    note_none(r, looked->count);
    o->jobs.before = (uint32_t)looked->count;
    o->jobs.none_ms = r->no_jobs_ns ? (clock_monotonic_ns() - r->no_jobs_ns) / 1000000 : 0;
    if (observation_is(o, "start"))
        r->no_jobs_ns = 0; /* what was seen before is no news of the new one */
}

/* A signal after which a process is meant to end, if it has not said otherwise. */
static bool ends(const struct observation *o)
{
    struct bytes name = observation_argument(o, "signal");
    return observation_is(o, "signal") && observation_claims(o) && !bytes_equal_string(name, "STOP") && !bytes_equal_string(name, "CONT");
}

/* Until none of those before is left, or for as long as they are given. Returns how many there are then. */
static size_t outlive(struct runner *r, const struct runner_client *c, const struct jobs_look *before, struct process_info *now)
{
    int64_t end = clock_monotonic_ns() + runner_time_left(r, JOBS_GRACE_MS) * NS_PER_MS;
    bool working = spared(r, before, before->list, before->count) > 0;
    size_t count = look(c, now);
    while (!runner_stopped(r) && still_there(before, now, count) && clock_monotonic_ns() < end) {
        if (working && !spared(r, before, now, count)) {
            int64_t rest = clock_monotonic_ns() + JOBS_REST_MS * NS_PER_MS;
            end = rest < end ? rest : end;
            working = false;
        }
        clock_sleep_ms(JOBS_NAP_MS);
        count = look(c, now);
    }
    return count;
}

void runner_jobs_after(struct runner *r, struct observation *o, const struct runner_client *c, const struct jobs_look *before)
{
    if (!before->list || !session_alive(c->session))
        return;
    struct process_info *now = new_list(r);
    bool signal = ends(o);
    size_t count = signal ? outlive(r, c, before, now) : look(c, now);
    o->jobs.after = (uint32_t)count;
    for (size_t i = 0; i < count; i++)
        o->jobs.working += runner_jobs_does(o, &now[i]);
    o->jobs.spared = signal ? (uint32_t)spared(r, before, now, count) : 0;
    o->jobs.looked = !runner_stopped(r);
    note_none(r, count);
    if (signal && before->count)
        r->noticed_ns = clock_monotonic_ns() + JOBS_NOTICED_MS * NS_PER_MS;
}
