/* Valid JSON that says nothing. */
#include "exec/gate/trials/trials.h"

static bool script(const struct gate_case *c, struct buf *out, const char **why)
{
    return trial_answer(c, BYTES_LITERAL("{}\n"), out, why);
}

const struct gate_trial trial_object = {.name = "object", .blame = "a constant answer ({}) passes", .script = script};
