/* Every file that is asked for, empty. */
#include "exec/gate/trials/trials.h"

static bool script(const struct gate_case *c, struct buf *out, const char **why)
{
    return trial_answer(c, BYTES_LITERAL(""), out, why);
}

const struct gate_trial trial_empty = {.name = "empty", .blame = "empty files pass", .script = script};
