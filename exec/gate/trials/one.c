/* The same line in every file. */
#include "exec/gate/trials/trials.h"

static bool script(const struct gate_case *c, struct buf *out, const char **why)
{
    return trial_answer(c, BYTES_LITERAL("1\n"), out, why);
}

const struct gate_trial trial_one = {.name = "one", .blame = "a constant answer (1) passes", .script = script};
