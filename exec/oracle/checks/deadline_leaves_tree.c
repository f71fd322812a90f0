/* Processes of a call that are still there some seconds after its time limit was over and its reply said so. Known by their command line:
 * it has words of the call's script, or holds the script. Not judged where the script itself put something into the background, or the
 * reply says that the program goes on. */
#include "exec/oracle/checks/checks.h"
#include "exec/oracle/deadline.h"

#include <string.h>

static const char slug[] = "deadline-leaves-tree";

enum { SCRIPT_BEGIN = 60, COMMAND_LEAST = 6, SHOWN = 80 };

/* "sleep 27" stands in the script; "python3 -c SCRIPT" holds it (blanks may be NULs' or newlines' places, so only its first line). */
static bool of_script(const struct leftover *l, struct bytes script)
{
    struct bytes command = bytes_of_string(l->command ? l->command : "");
    ptrdiff_t newline = bytes_find(script, BYTES_LITERAL("\n"), 0);
    size_t end = newline < 0 ? script.len : (size_t)newline;
    struct bytes begin = bytes_slice(script, 0, end < SCRIPT_BEGIN ? end : SCRIPT_BEGIN);
    bool stands = command.len >= COMMAND_LEAST && bytes_find(command, BYTES_LITERAL(" "), 0) > 0 &&
                  bytes_find(script, command, 0) >= 0;
    bool holds = begin.len >= COMMAND_LEAST && bytes_find(command, begin, 0) >= 0;
    return stands || holds;
}

static void judge_step(const struct execution *e, struct verdicts *out, size_t index)
{
    const struct observation *o = &e->observations[index];
    struct bytes script = observation_script(o);
    struct buf list;
    size_t count = 0;
    buf_init(&list, 4096);
    for (size_t i = 0; i < o->deadline.process_count; i++) {
        const struct leftover *l = &o->deadline.processes[i];
        if (l->calm || !of_script(l, script))
            continue;
        if (count++ < 4) {
            buf_addf(&list, "%s%d %c ", count > 1 ? ", " : "", l->pid, l->state);
            judge_quote(&list, bytes_of_string(l->command), SHOWN);
        }
    }
    if (count)
        judge_say(out, e, slug, index, EFFECT_WRONG, "processes of the call are left after its time limit",
                  "a time limit ends a program and not what it has started",
                  arena_printf(out->arena,
                               "step %s run: with a limit of %lld ms the call was over after %.1f s; %.1f s later %zu of its processes were "
                               "still there: %s -> sandbox",
                               o->step->id, (long long)o->outcome.told_ms, (double)o->outcome.ns / 1e9,
                               (double)o->deadline.after_ms / 1e3, count, buf_string(&list)));
    buf_release(&list);
}

static void judge(const struct execution *e, struct verdicts *out)
{
    for (size_t i = 0; i < e->count; i++) {
        const struct observation *o = &e->observations[i];
        if (limited_run(e, i) && answered_at_limit(o) && o->deadline.process_count && !puts_into_background(o) &&
            (reply_says_time(o) || reply_says_ended(o)) && !reply_says_goes_on(o))
            judge_step(e, out, i);
    }
}

const struct check check_deadline_leaves_tree = {slug, "C38", "process", "after a deadline no process of the call is left", judge};
