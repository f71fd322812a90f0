/* The target's process was killed by us while a call was under way, and the call went on waiting until its deadline. */
#include "exec/oracle/checks/checks.h"

#include <string.h>

static const char slug[] = "peer-death-unnoticed";

static void judge(const struct execution *e, struct verdicts *out)
{
    for (size_t i = 0; i < e->count; i++) {
        const struct observation *o = &e->observations[i];
        const struct outcome_fault *f = o->outcome.fault;
        if (!f || !f->struck || strcmp(f->mutator, "kill-server") != 0 || o->outcome.class != OUTCOME_TIMEOUT)
            continue;
        judge_say(out, e, slug, i, EFFECT_NONE, "a call waits on after the target was killed",
                  "a call goes on waiting after the target's process was killed",
                  arena_printf(out->arena, "step %s %s: the process was killed under it (%s), and the connection stayed open without an "
                                           "answer for %.1f s -> interface",
                               o->step->id, o->step->op->name, f->kind, (double)o->outcome.ns / 1e9));
    }
}

const struct check check_peer_death_unnoticed = {slug, "C25", "session", "a call that waits ends soon after its peer is gone", judge};
