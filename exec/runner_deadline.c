/* Programs that a task gave a time limit of their own: what is left of them when the time is over, and what they had done by then.
 *
 * Processes count only when some are there in every look until leftover.limit has gone by; most sessions have none in the first look
 * and lose no time. A target may ask a program to end and use force some seconds later, so one that does not want to is given longer. */
#include "exec/runner_internal.h"

#include <string.h>

#include "base/clock.h"
#include "exec/oracle/judge.h"

enum { NAP_MS = 200, PROCESSES_KEPT = 16, UNWILLING_TIMES = 4 };

/* The file of an expectation that the script names; none: there is none, or there are several. */
static struct bytes file_of(const struct runner *r, const struct observation *o)
{
    struct bytes script = observation_script(o), found = BYTES_NONE;
    for (const struct json *x = r->task->expect ? r->task->expect->first : NULL; x; x = x->next) {
        const struct json *file = json_get(x, "file");
        struct bytes path = json_as_text(task_is_wrapper(file, "$path") ? json_get(file, "$path") : file);
        if (!path.len || bytes_find(script, path, 0) < 0 || bytes_equal(path, found))
            continue;
        if (found.len)
            return BYTES_NONE;
        found = path;
    }
    return found;
}

/* From inside a look is a call, which would have to wait for a target that is busy with this one. */
static void look_at_file(struct runner *r, const struct observation *o, struct file_view *out)
{
    struct bytes path = file_of(r, o);
    if (path.len && r->witness.outside)
        witness_look(&r->witness, path, 0, r->a, out);
}

void runner_deadline_before(struct runner *r, struct observation *o, struct session *s, struct deadline_watch *w)
{
    *w = (struct deadline_watch){.session = s};
    if (!observation_is(o, "run") || o->step->timeout_ms <= 0 || o->in_group)
        return;
    struct process_info *list = arena_alloc(r->a, RUNNER_PROCESSES_MAX * sizeof *list);
    size_t count = session_processes(s, list, RUNNER_PROCESSES_MAX);
    w->watching = count <= RUNNER_PROCESSES_MAX;
    w->there = list;
    w->count = count;
    look_at_file(r, o, &o->deadline.before);
}

static bool was_there(const struct deadline_watch *w, int pid)
{
    for (size_t i = 0; i < w->count; i++)
        if (w->there[i].pid == pid)
            return true;
    return false;
}

/* The new ones that have not ended; at most PROCESSES_KEPT. */
static size_t look_at_processes(struct runner *r, const struct deadline_watch *w, struct process_info *list)
{
    size_t count = session_processes(w->session, list, RUNNER_PROCESSES_MAX), kept = 0;
    for (size_t i = 0; i < count && i < RUNNER_PROCESSES_MAX && !runner_stopped(r); i++)
        if (list[i].state != 'Z' && list[i].state != 'X' && !was_there(w, list[i].pid))
            list[kept++] = list[i];
    return kept < PROCESSES_KEPT ? kept : PROCESSES_KEPT;
}

static void keep_processes(struct runner *r, struct deadline_view *v, const struct process_info *list, size_t count)
{
    struct leftover *kept = arena_alloc(r->a, (count + 1) * sizeof *kept);
    for (size_t i = 0; i < count; i++)
        kept[i] = (struct leftover){.pid = list[i].pid,
                                    .state = list[i].state,
                                    .name = arena_string(r->a, bytes_of_string(list[i].name)),
                                    .command = arena_string(r->a, bytes_of_string(list[i].command))};
    v->processes = kept;
    v->process_count = count;
}

/* Its limit was known to the target, and the call ended when it was over, or later. */
static bool reached(const struct outcome *o)
{
    bool ended = o->class == OUTCOME_OK || o->class == OUTCOME_TOOL_ERROR || o->class == OUTCOME_PROTOCOL_ERROR ||
                 o->class == OUTCOME_TIMEOUT;
    return ended && o->told_ms > 0 && !o->by_us && !o->gone && o->ns / 1000000 >= o->told_ms - o->told_ms / 5;
}

static bool is_unwilling(const struct observation *o)
{
    static const char *const words[] = {"trap", "STOP", "TSTP", "signal."};
    struct bytes script = observation_script(o);
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (bytes_find(script, bytes_of_string(words[i]), 0) >= 0)
            return true;
    return false;
}

void runner_deadline_after(struct runner *r, struct observation *o, const struct deadline_watch *w)
{
    if (!w->watching || !reached(&o->outcome))
        return;
    struct deadline_view *v = &o->deadline;
    struct process_info *list = arena_alloc(r->a, RUNNER_PROCESSES_MAX * sizeof *list);
    int64_t start = clock_monotonic_ns();
    v->looked = true;
    look_at_file(r, o, &v->file);
    if (o->outcome.class == OUTCOME_TIMEOUT) /* who never answered has been asked to cancel by now */
        return;
    int64_t settle = settings_int(r->settings, "leftover.limit") * (is_unwilling(o) ? UNWILLING_TIMES : 1);
    for (size_t count; (count = look_at_processes(r, w, list)) > 0 && !runner_stopped(r) && clock_monotonic_ns() < r->deadline_ns;) {
        v->after_ms = (clock_monotonic_ns() - start) / 1000000;
        if (v->after_ms >= settle) {
            keep_processes(r, v, list, count);
            return;
        }
        clock_sleep_ms(NAP_MS);
    }
}
