/* Two requests in flight with one id: each is answered, or one is refused. One answer for both leaves somebody waiting for ever. */
#include "exec/oracle/checks/checks.h"
#include "exec/oracle/fatal.h"

#include <string.h>

static const char slug[] = "duplicate-id-crossed";

static void judge(const struct execution *e, struct verdicts *out)
{
    for (size_t i = 0; i < e->count && !control_failed(e); i++) {
        const struct observation *o = &e->observations[i];
        const struct outcome_fault *f = o->outcome.fault;
        bool quick = strcmp(o->step->op->group, "files") == 0;
        if (!observation_reframed(o) || !f->duplicate || !quick || f->replies != 1 || f->nulls)
            continue;
        judge_say_op(out, e, slug, i, "send", EFFECT_NONE, "one answer to two requests",
                     "of two requests in flight with one id only one is answered",
                     arena_printf(out->arena, "step %s %s, sent twice with one id: one answer; a plain call is answered -> interface",
                                  o->step->id, o->step->op->name));
    }
}

const struct check check_duplicate_id_crossed = {slug, "C22", "concurrency",
                                                 "requests in flight with one id get each an answer or a refusal", judge};
