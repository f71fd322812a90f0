/* Processes that outlive their session. Its end was asked for in good order, and there was time; what was
 * there before the first step, or belongs to a job that our own lowering put in the background, is calm. */
#include "exec/oracle/checks/checks.h"
#include "mutate/mutate.h"

#include <string.h>

static const char slug[] = "orphan-left";

/* The step that most likely started them: the last one that left something in the background, else the last
 * program. */
static size_t starter(const struct execution *e)
{
    size_t last = e->count;
    for (size_t i = e->count; i-- > 0;) {
        const struct observation *o = &e->observations[i];
        if (o->outcome.class == OUTCOME_SKIPPED)
            continue;
        if (observation_is(o, "start") ||
            (observation_is(o, "run") && script_in_background(observation_script(o))))
            return i;
        if (last == e->count &&
            (observation_is(o, "run") || observation_is(o, "call") || observation_is(o, "serve")))
            last = i;
    }
    return last;
}

static void judge(const struct execution *e, struct verdicts *out)
{
    struct buf list;
    size_t count = 0, escaped = 0;
    buf_init(&list, 4096);
    for (size_t i = 0; i < e->leftover_count; i++) {
        const struct leftover *l = &e->leftovers[i];
        /* What goes on after it was cancelled is another check's. */
        bool cancelled = l->command && strstr(l->command, WORK_FILE);
        bool process = l->kind == LEFTOVER_PROCESS || l->kind == LEFTOVER_ESCAPED;
        if (l->calm || l->state == 'Z' || cancelled || !process)
            continue;
        escaped += l->kind == LEFTOVER_ESCAPED;
        if (count++ < 8) {
            buf_addf(&list, "%s%d %c ", count > 1 ? ", " : "", l->pid, l->state);
            judge_quote(&list, bytes_of_string(l->command && l->command[0] ? l->command : l->name), 80);
        }
    }
    if (count) {
        size_t at = starter(e);
        /* It is the end of the session that has to see to them, whatever op started them. */
        judge_say_op(out, e, slug, at, "session", EFFECT_WRONG, "processes are left after the session",
                     "processes outlive the session that started them",
                     arena_printf(out->arena,
                                  "after the target was closed in good order, %zu processes were still "
                                  "there%s%s%s: %s -> sandbox",
                                  count, escaped ? ", out of the session's reach" : "", at < e->count ? ", most likely of step " : "",
                                  at < e->count ? e->observations[at].step->id : "", buf_string(&list)));
    }
    buf_release(&list);
}

const struct check check_orphan_left = {slug, "C40", "process", "no process of a session outlives it", judge};
