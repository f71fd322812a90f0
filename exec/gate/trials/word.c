/* A word that means success. */
#include "exec/gate/trials/trials.h"

static bool script(const struct gate_case *c, struct buf *out, const char **why)
{
    return trial_answer(c, BYTES_LITERAL("true\n"), out, why);
}

const struct gate_trial trial_word = {.name = "word", .blame = "a constant answer (true) passes", .script = script};
