/* A program that reads its input, of which there is none or a little, and a call that never comes back. */
#include "exec/oracle/checks/checks.h"
#include "exec/oracle/fatal.h"
#include "exec/oracle/script.h"

/* A mutator changed what runs, not only what it is given. */
static bool step_mutated_program(const struct execution *e, const struct observation *o)
{
    for (const struct json *m = e->task->mutations ? e->task->mutations->first : NULL; m; m = m->next)
        if (mutation_changes(m, bytes_of_string(o->step->id)) &&
            bytes_find(json_as_text(json_get(m, "at")), BYTES_LITERAL("/stdin"), 0) < 0)
            return true;
    return false;
}

static void judge(const struct execution *e, struct verdicts *out)
{
    for (size_t i = 0; i < e->count && !control_failed(e); i++) {
        const struct observation *o = &e->observations[i];
        struct script_traits t;
        if (!observation_is(o, "run") || o->outcome.class != OUTCOME_TIMEOUT || !observation_lost(o))
            continue;
        bool shell = script_traits_of(o, &t) && t.reads_input && !t.foreground_slow;
        bool given = script_reads_given(o) && !o->outcome.fault && !step_mutated_program(e, o);
        if (!shell && !script_python_reads(o) && !given)
            continue;
        judge_say(out, e, "stdin-hang", i, EFFECT_NONE, "waits for input for ever",
                  "a program that reads its input hangs the call",
                  arena_printf(out->arena,
                               "step %s run reads standard input; there was no answer within %.1f s, while a "
                               "plain call is answered -> interface",
                               o->step->id, (double)o->outcome.ns / 1e9));
    }
}

const struct check check_stdin_hang = {"stdin-hang", "C43", "process",
                                       "a program that reads its input gets the end of it", judge};
